#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that links of the documents to files of the project lead to files that exist, and that the index by reader,
docs/README.md, which the site takes its navigation from, leads to every page.

Usage: check_links.py PROJECT_DIR

Prints one line for each fault, and exits with 1 if there is any.
"""
import re
import sys
from pathlib import Path

NOT_PROSE = re.compile(r"^```.*?^```|^    [^\n]*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PLACES = ("*.md", "docs/**/*.md", "examples/**/*.md", "packaging/**/*.md", *(f"{product}/**/*.md" for product in ("mpi", "cxx", "tasks", "tiles")))


def pages_of(project):
    return sorted({page for place in PLACES for page in project.glob(place)})


def pages_outside_index(project):
    """The front page of the project leads to the index; all others are in it."""
    index = project / "docs/README.md"
    listed = {(index.parent / link).resolve() for link in LINK.findall(index.read_text())} if index.exists() else set()
    return [page for page in pages_of(project) if page not in (project / "README.md", index) and page.resolve() not in listed]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1])
    seen = wrong = 0
    for page in pages_of(project):
        for link in LINK.findall(NOT_PROSE.sub("", page.read_text())):
            if "://" not in link and not link.startswith("mailto:"):
                seen += 1
                if not (page.parent / link).exists():
                    wrong += 1
                    print(f"{page.relative_to(project)}: there is no {link}")
    for page in pages_outside_index(project):
        wrong += 1
        print(f"{page.relative_to(project)}: docs/README.md does not lead there")
    if seen == 0:
        sys.exit(f"{project} has no page with a link")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
