#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs: each one with a planted deadlock is reported with just that ring, none of the others is ended.

Usage: random_programs_test.py LISLERUN PROGRAM KIND FIRST COUNT
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

EXIT_CODE = 125
RANKS = [2, 3, 5, 8]
AT_ONCE = 50  # programs without a deadlock in one job


def in_words(ring):
    smallest = ring.index(min(ring))
    ring = ring[smallest:] + ring[:smallest]
    return ", ".join(f"rank {rank} waits in MPI_Recv for rank {ring[(i + 1) % len(ring)]}"
                     for i, rank in enumerate(ring)) + ".\n"  # fmt: skip


def main():
    launcher, program, kind = sys.argv[1:4]
    first, count = int(sys.argv[4]), int(sys.argv[5])
    for seed in range(first, first + count):
        options = [launcher, "-n", RANKS[seed % len(RANKS)], "--ranks", kind, "--timeout", "90", program]
        done = run(*options, seed, 1, "plant", status=EXIT_CODE)
        ring = [int(word) for word in done.stdout.partition(":")[2].split()]
        expect(in_words(ring) in done.stderr, f"seed {seed}: the ring is {ring}\n{done.stderr}")
    for seed in range(first, first + count, AT_ONCE):
        options = [launcher, "-n", RANKS[seed // AT_ONCE % len(RANKS)], "--ranks", kind, "--timeout", "90", program]
        run(*options, seed, min(AT_ONCE, first + count - seed))


if __name__ == "__main__":
    main()
