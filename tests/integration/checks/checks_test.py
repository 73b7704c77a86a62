#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What LISLE_CHECK=1 says of mistakes, and that it says nothing of what is right.

Usage: checks_test.py LISLERUN PROGRAM KIND
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

OTHER_TYPE = "MPI_Wait: the message from rank 0 with tag 5 has elements of another type than the receive"
# How the job ends, and what is said: one of the sentences, since the rank that is first ends the job.
MISTAKES = {
    "unreceived": (True, ["rank 1: MPI_Finalize: a message of 8 bytes with tag 5 from rank 0 on MPI_COMM_WORLD was "
                          "never received"]),
    "other_type": (False, [OTHER_TYPE]),
    "other_type_late": (False, [OTHER_TYPE]),
    "types_of_collective": (False, ["rank 1 names elements of another type than rank 0"]),
    "other_collective": (False, ["MPI_Wait: the ranks do not make the same call: rank 1 calls MPI_Ibcast, rank 0 calls "
                                 "MPI_Ibarrier"]),
    "other_form": (False, ["the ranks do not make the same call: rank 1 calls MPI_Ibarrier, rank 0 calls MPI_Barrier"]),
    "bytes": (True, []),
}


def main():
    launcher, program, kind = sys.argv[1:]
    for how, (ends_well, sentences) in MISTAKES.items():
        done = run(launcher, "-n", "2", "--ranks", kind, program, how, status=None,
                   env={**os.environ, "LISLE_CHECK": "1"})
        expect((done.returncode == 0) == ends_well, f"{how}: exit code {done.returncode}\n{done.stderr}")
        expect(any(sentence in done.stderr for sentence in sentences) or (not sentences and not done.stderr),
               f"{how}: {done.stderr}")
    for how in ("unreceived", "other_type"):
        done = run(launcher, "-n", "2", "--ranks", kind, program, how, env={**os.environ, "LISLE_CHECK": "0"})
        expect(not done.stderr, f"{how} without checks: {done.stderr}")


if __name__ == "__main__":
    main()
