#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What LISLE_CHECK=2 says of a program that `mpicc --check` has compiled: each mistake with both of its places, and
nothing of what is right. The source marks the places.

Usage: accesses_test.py LISLERUN MPICC SOURCE KIND...
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run


def marked(source):
    """The mistakes by name: the lines of their places. A mark that stands alone is of the next line."""
    found = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for name in re.findall(r"/\* [AB] (\w+) \*/", line):
            found.setdefault(name, []).append(number + line.strip().startswith("/*"))
    return found


def main():
    launcher, compiler, source, *kinds = sys.argv[1:]
    source = pathlib.Path(source)
    environment = {**os.environ, "LISLE_CHECK": "2"}
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/accesses"
        run(compiler, "--check", "-O0", str(source), "-o", program)
        for kind in kinds:
            wrong = run(launcher, "-n", "2", "--ranks", kind, program, env=environment)
            for name, lines in marked(source).items():
                named = any(all(re.search(rf"{source.name}:{line}\b", said) for line in lines)
                            for said in wrong.stderr.splitlines())
                expect(named, f"{kind}: {name} is not named with lines {lines}\n{wrong.stderr}")
            right = run(launcher, "-n", "2", "--ranks", kind, program, "right", env=environment)
            expect(not right.stderr, f"{kind}: what is right\n{right.stderr}")
            quiet = run(launcher, "-n", "2", "--ranks", kind, program, "right", env={**os.environ, "LISLE_CHECK": "0"})
            expect(not quiet.stderr, f"{kind}: unchecked\n{quiet.stderr}")


if __name__ == "__main__":
    main()
