#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds words that readers of the field do not know, in the documents and in the comments of the code.

Usage: check_words.py PROJECT_DIR

Prints one line for each word that the project does not use any more, with what it says instead, and for each term that
a document introduces (a bold word in small letters) and docs/glossary.md does not explain. Exits with 1 if there is any.
docs/glossary.md may name any word.
"""
import re
import sys
from pathlib import Path

# What was said once, and what is said instead.
REPLACED = {
    r"open memory": "shared heap",
    r"joint copy|jointly": "cooperative copy",
    r"patience": "spin policy",
    r"the board|a board|boards": "shared-memory collective area",
    r"far[ _]piece": "cross-process reduction",
    r"clearance": "CTS",
    r"meetings?": "in-process collective",
    r"whoever": "a thing as the subject",
    r"have it done": "a verb",
}
PRODUCTS = ("mpi", "cxx", "tasks", "tiles")
CODE = re.compile(r"`[^`\n]*`")  # names of the code are not words of the text
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TERM = re.compile(r"\*\*([a-z][a-z' -]*)\*\*")


def pages(project):
    return sorted(path for folder in ("docs", *(f"{product}/docs" for product in PRODUCTS)) for path in project.glob(f"{folder}/**/*.md"))


def texts(project):
    """Yields (file, line number, line) of what people read."""
    for path in pages(project):
        if path.name != "glossary.md":
            yield from ((path, number, line) for number, line in enumerate(path.read_text().splitlines(), 1))
    for path in sorted(each for suffix in ("hpp", "cpp", "h", "c")
                       for folder in (*PRODUCTS, "tests") for each in project.glob(f"{folder}/**/*.{suffix}")):
        text = path.read_text()
        for match in COMMENT.finditer(text):
            first = text.count("\n", 0, match.start()) + 1
            yield from ((path, first + index, line) for index, line in enumerate(match[0].splitlines()))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1])
    found = 0
    patterns = [(re.compile(rf"\b(?:{old})\b", re.IGNORECASE), new) for old, new in REPLACED.items()]
    for path, number, line in texts(project):
        for pattern, new in patterns:
            for match in pattern.finditer(CODE.sub("", line)):
                found += 1
                print(f'{path.relative_to(project)}:{number}: "{match[0]}": say {new}')
    explained = [line.split("|")[1] for line in (project / "docs/glossary.md").read_text().splitlines() if "|" in line]
    for path in pages(project):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for term in TERM.findall(line):
                if not any(term in entry for entry in explained):
                    found += 1
                    print(f'{path.relative_to(project)}:{number}: "{term}": docs/glossary.md does not explain it')
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
