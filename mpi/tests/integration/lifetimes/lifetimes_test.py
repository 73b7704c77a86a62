#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With LISLE_CHECK=2 buffers that end before their operations are named, with both calls; no others are.

Usage: lifetimes_test.py LISLERUN PROGRAM KIND
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

RETURNED = "the function whose variable it is has returned"
GIVEN_BACK = "its memory has been given back"
LOST = {"sent": ("MPI_Isend", RETURNED), "received": ("MPI_Irecv", RETURNED), "lent": ("MPI_Isend_c", RETURNED),
        "given_back": ("MPI_Irecv", GIVEN_BACK)}


def main():
    launcher, program, kind = sys.argv[1:]

    def make(what):
        done = run(launcher, "-n", "2", "--ranks", kind, program, what, status=None, env={**os.environ, "LISLE_CHECK": "2"})
        return done, f"{what}: exit code {done.returncode}\n{done.stderr}"

    for what, (call, why) in LOST.items():
        done, about = make(what)
        place = r" at lost_buffers\.cpp:\d+"
        expect(re.search(rf"rank 0: the buffer of {call}{place} does not exist any more in MPI_Wait\w*{place}, before which the "
                         rf"operation was not complete: {why}", done.stderr), about)
        expect(done.returncode == 0, about)
    done, about = make("right")
    expect(done.returncode == 0 and not done.stderr, about)


if __name__ == "__main__":
    main()
