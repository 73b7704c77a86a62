#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds words that readers of the field do not know, in the documents and in the comments of the code.

Usage: check_words.py PROJECT_DIR

Prints one line for each word that the project does not use any more, with what it says instead; for each term that
a document introduces (a bold word in small letters) and docs/glossary.md does not explain; and for each word in the name
of something in the code that is neither in tools/words.txt, which has those of the language and the field, nor in the
glossary, which has our own. Exits with 1 if there is any. docs/glossary.md may name any word.
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
NO_NAMES = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*#\s*include[^\n]*', re.DOTALL | re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w*")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SHORTEST = 4  # shorter ones are abbreviations of an expression or two
ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers", "or", "able", "ly")
BEGINNINGS = ("un", "re")
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


def product_files(project):
    """The files whose names count: sources of the products, not their tests."""
    folders = [folder for product in PRODUCTS for folder in (f"{product}/src", f"{product}/include")]
    return sorted(each for folder in folders for suffix in ("hpp", "cpp", "h", "c")
                  for each in project.glob(f"{folder}/**/*.{suffix}"))


def words_of_names(path):
    """Yields (word, name, line number) once for each word in the names of a file."""
    text = path.read_text()
    seen = set()
    for match in NAME.finditer(NO_NAMES.sub(lambda found: "\n" * found[0].count("\n"), text)):
        for word in WORD.findall(match[0]):
            word = word.lower()
            if len(word) >= SHORTEST and word not in seen:
                seen.add(word)
                yield word, match[0], match.string.count("\n", 0, match.start()) + 1


def stems(word):
    """The word without one ending or beginning, as a dictionary might have it."""
    yield word
    for ending in ENDINGS:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            yield from (stem, stem + "e", stem[:-1], stem + "y", stem[:-1] + "y")
    for beginning in BEGINNINGS:
        if word.startswith(beginning):
            yield word[len(beginning):]


def unknown_names(project):
    """Yields (file, line number, word, name) of words that are neither the field's nor in the glossary."""
    known = set((project / "tools/words.txt").read_text().partition("\n\n")[2].split())
    for line in (project / "docs/glossary.md").read_text().splitlines():
        known.update(word.lower() for word in re.findall(r"[A-Za-z]+", line.split("|")[1] if "|" in line else ""))
    for path in product_files(project):
        for word, name, number in words_of_names(path):
            if not any(stem in known for stem in stems(word)):
                yield path, number, word, name


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
    for path, number, word, name in unknown_names(project):
        found += 1
        print(f'{path.relative_to(project)}:{number}: "{word}" in {name}: say it in the field\'s words, or add it to '
              "tools/words.txt if it is one, or explain it in docs/glossary.md")  # fmt: skip
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
