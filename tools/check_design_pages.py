#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the design pages (*/docs/design) have their one form, and that files which pages name are there.

Usage: check_design_pages.py PROJECT_DIR

Prints one line for each page that lacks a section, has them in another order or has no figure under "States", and for
each name of a source file in a page (docs, */docs, not the log) to which no file ends. Exits with 1 if there is any.
"""
import re
import sys
from pathlib import Path

FORM = ["Problem", "States", "Invariants", "Decision"]
FURTHER = ["Checked by", "Measured"]
PRODUCTS = ("mpi", "cxx", "tasks", "tiles")
SOURCE = re.compile(r"`([\w./-]+/[\w.-]+\.(?:hpp|cpp|py|pml))`")
FIGURE = re.compile(r"^```|^    .*[-|+>]|!\[", re.MULTILINE)


def sections(text):
    """{title: text} of the sections of the second level, in their order."""
    unfenced = re.sub(r"(?ms)^```.*?^```", lambda block: block[0].replace("\n#", "\n "), text)
    parts = re.split(r"^## (.*)$", unfenced, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def complaints(page):
    found = sections(page.read_text())
    wanted = FORM + [title for title in FURTHER if title in found]
    if list(found) != wanted:
        yield f"has the sections {', '.join(found)} instead of {', '.join(wanted)}"
    elif not FIGURE.search(found["States"]):
        yield "has no figure under States"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1])
    wrong = []
    for page in sorted(page for product in PRODUCTS for page in (project / product / "docs/design").glob("*.md")):
        if page.name != "README.md":
            wrong += [f"{page.relative_to(project)}: {said}" for said in complaints(page)]
    folders = [project / folder for folder in (*PRODUCTS, "tests", "tools", "cmake", "examples")]
    files = {str(each.relative_to(project)) for folder in folders for each in folder.rglob("*") if each.is_file()}
    ends = {"/".join(name.split("/")[first:]) for name in files for first in range(name.count("/") + 1)}
    for folder in ("docs", *(f"{product}/docs" for product in PRODUCTS)):
        for page in sorted(each for each in project.glob(f"{folder}/**/*.md") if "log" not in each.parts):
            for number, line in enumerate(page.read_text().splitlines(), 1):
                wrong += [f"{page.relative_to(project)}:{number}: there is no {name}" for name in SOURCE.findall(line)
                          if name not in ends and not name.startswith("generated/")]  # fmt: skip
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
