#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of mistakes name the line and function of a Python program.

Usage: python_test.py LISLERUN LIBRARY INTERPRETER KIND...   (77: this interpreter does not show its frames, or cannot
be a rank of any of these kinds)
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

PROGRAM = pathlib.Path(__file__).with_name("python_mistakes.py")
DEADLOCK, SKIPPED = 125, 77


def place(function, mark):
    """ "python_mistakes.py:12 in function" of the line with this mark in a function."""
    inside = None
    for number, line in enumerate(PROGRAM.read_text().splitlines(), 1):
        if found := re.match(r"def (\w+)", line):
            inside = found[1]
        if inside == function and mark in line.partition("# ")[2].split(", "):
            return f"{PROGRAM.name}:{number} in {function}"
    sys.exit(f"no mark {mark} in {function}")


# The level, how the job ends (None: in any way), and sentences of which each must be there.
MISTAKES = {
    "other_type": (1, None, [f"(MPI_ERR_TYPE, at {place('receive_as_others', 'other_type')})"]),
    "deadlock": (0, DEADLOCK, [place("deadlock", "deadlock")]),
    "deadlock_with_lock": (0, DEADLOCK, [place("deadlock_with_lock", "deadlock_with_lock")]),
    "deadlock_beside_lock": (0, DEADLOCK, [place("deadlock_beside_lock", "deadlock_beside_lock")]),
    "begun": (2, DEADLOCK, [f"MPI_Isend to rank 1, tag 5, at {place('begin_send', 'begun')}"]),
    "leaked": (2, 0, [f"that MPI_Irecv made at {place('begin_receive', 'leaked')} was not freed"]),
    "leaked_type": (1, 0, [f"that MPI_Type_contiguous made at {place('leaked_type', 'leaked_type')} was not freed"]),
    "changed": (2, 0, [f"the send buffer of MPI_Isend at {place('begin_send', 'changed')} was changed before "
                       f"MPI_Wait at {place('changed', 'changed')} completed it"]),
    "code": (0, 0, [f"rank {other} is outside MPI_COMM_WORLD, which has 2 ranks (at {place('code', 'code')})"
                    for other in (7000, 8000)]),
}


def shows_frames(interpreter):
    asks = "import ctypes, sys; sys.version_info[:2] == (3, 13) or ctypes.pythonapi._Py_DumpTraceback"
    return subprocess.run([interpreter, "-c", asks], stderr=subprocess.DEVNULL, check=False).returncode == 0


def can_be_thread(interpreter):
    """Whether it can be loaded at any address: a program of the type ET_DYN."""
    file = subprocess.run([interpreter, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True,
                          check=True).stdout.strip()
    with open(file, "rb") as program:
        return program.read(18)[16] == 3


def main():
    lislerun, library, interpreter, *kinds = sys.argv[1:]
    kinds = [kind for kind in kinds if kind == "process" or can_be_thread(interpreter)]
    if not shows_frames(interpreter) or not kinds:
        sys.exit(SKIPPED)
    file = subprocess.run([interpreter, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True,
                          check=True).stdout.strip()
    for kind in kinds:
        for mistake, (level, status, sentences) in MISTAKES.items():
            done = run(lislerun, "-n", 2, "--ranks", kind, file, PROGRAM, library, mistake, status=None,
                       env={**os.environ, "LISLE_CHECK": str(level)})
            said = done.stdout + done.stderr
            wrong = done.returncode == 0 if status is None else done.returncode != status
            expect(not wrong, f"{kind}, {mistake}: ended with {done.returncode}:\n{said}")
            for sentence in sentences:
                expect(sentence in said, f"{kind}, {mistake}: '{sentence}' is not in:\n{said}")


if __name__ == "__main__":
    main()
