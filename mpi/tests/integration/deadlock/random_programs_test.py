#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs: each one with a planted deadlock is reported with just the waits that the program foretells,
none of the others is ended. Half of them have one.

Usage: random_programs_test.py LISLERUN PROGRAM KIND FIRST COUNT
"""
import concurrent.futures
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run
from kinds import options_of

EXIT_CODE = 125
RANKS = [2, 3, 5, 8]
AT_ONCE = 50  # programs without a deadlock in one job
JOBS = 4  # at once: those with a deadlock mostly sleep


def all_certain(table):
    """Else another rank might have helped, and which ring is named is a matter of choice."""
    return not any("any rank" in awaited or "MPI_Waitany" == call for call, awaited in table.values())


def check_planted(options, seed):
    done = run(*options, seed, 1, "plant", status=EXIT_CODE)
    table = {}
    for line in done.stderr.splitlines():
        if re.match(r"  \d+ ", line):
            rank, call, awaited = re.split(r"  +", line.strip())[:3]
            table[rank] = call, re.sub(r", (or one of|and) \d+ more$", "", awaited)
    foretold = [line.split("|")[:4] for line in done.stdout.splitlines() if "|" in line]
    expect(foretold, f"seed {seed}: nothing is foretold\n{done.stdout}{done.stderr}")
    for what, *words in foretold:
        if what == "row":
            rank, *state = words
            expect(table.get(rank) == tuple(state), f"seed {seed}: rank {rank} is to be in {state}\n{done.stderr}")
        elif all_certain(table):
            expect(words[0] in done.stderr, f"seed {seed}: no \"{words[0]}\" in\n{done.stderr}")


def main():
    launcher, program, kind = sys.argv[1:4]
    where = options_of(kind)
    first, count = int(sys.argv[4]), int(sys.argv[5]) // 2

    def options(which):
        ranks = RANKS[which % len(RANKS)]
        return [launcher, "-n", ranks, *where, "--timeout", "90", program]

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        waits = [pool.submit(check_planted, options(seed), seed) for seed in range(first, first + count)]
        for each in waits:
            each.result()
    for seed in range(first, first + count, AT_ONCE):
        run(*options(seed // AT_ONCE), seed, min(AT_ONCE, first + count - seed))


if __name__ == "__main__":
    main()
