#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that links of the documents to files of the project lead to files that exist.

Usage: check_links.py PROJECT_DIR

Prints one line for each that does not, and exits with 1 if there is any.
"""
import re
import sys
from pathlib import Path

NOT_PROSE = re.compile(r"^```.*?^```|^    [^\n]*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PLACES = ("*.md", "docs/**/*.md", "examples/**/*.md", "packaging/**/*.md", *(f"{product}/**/*.md" for product in ("mpi", "cxx", "tasks", "tiles")))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1])
    seen = wrong = 0
    for page in sorted({page for place in PLACES for page in project.glob(place)}):
        for link in LINK.findall(NOT_PROSE.sub("", page.read_text())):
            if "://" not in link and not link.startswith("mailto:"):
                seen += 1
                if not (page.parent / link).exists():
                    wrong += 1
                    print(f"{page.relative_to(project)}: there is no {link}")
    if seen == 0:
        sys.exit(f"{project} has no page with a link")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
