#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of types that do not fit: both types, both ranks, and with LISLE_CHECK=2 both places.

Usage: types_test.py LISLERUN C_PROGRAM CPP_PROGRAM KIND
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

MESSAGE = "the message from rank 0 with tag 5 has elements of another type than the receive of rank 1 in MPI_COMM_WORLD: "
CALLS = "the ranks do not make the same call: "
# What was sent, and what is received.
MESSAGES = {
    "float_as_int": ("2 MPI_FLOAT", "2 MPI_INT"),
    "structures": ("{MPI_INT, MPI_DOUBLE}", "{MPI_DOUBLE, MPI_INT}"),
    "structure_as_int": ("{MPI_INT, MPI_DOUBLE}", "3 MPI_INT"),
    "int_as_structure": ("3 MPI_INT", "{MPI_INT, MPI_DOUBLE}"),
    "pair": ("MPI_FLOAT_INT", "2 MPI_INT"),
    "cut": ("MPI_FLOAT", "{MPI_DOUBLE, MPI_INT}"),
}
WAYS = ["plain", "wait", "late", "synchronous", "gaps", "many"]
# The sentence, and the level from which on it is said.
COLLECTIVES = {
    "broadcast": ("rank 1 names elements of another type than rank 0: {MPI_DOUBLE, MPI_INT}, rank 0 {MPI_INT, MPI_DOUBLE}", 1),
    "ibroadcast": ("rank 1 names elements of another type than rank 0: {MPI_DOUBLE, MPI_INT}, rank 0 {MPI_INT, MPI_DOUBLE}", 1),
    "broadcast_ints": ("rank 1 names elements of another type than rank 0: 3 MPI_INT, rank 0 {MPI_INT, MPI_DOUBLE}", 1),
    "allgather": ("rank 1 names elements of another type than rank 0: {MPI_DOUBLE, MPI_INT}, rank 0 {MPI_INT, MPI_DOUBLE}", 1),
    "allreduce": ("rank 1 names elements of another type than rank 0: {MPI_DOUBLE, MPI_INT}, rank 0 {MPI_INT, MPI_DOUBLE}", 1),
    "gatherv": ("rank 1 names elements of another type than rank 0: MPI_FLOAT, rank 0 MPI_INT", 1),
    "lengths": ("rank 1 takes 12 bytes, rank 0 takes 8 bytes", 1),
}
PARTICLE, BODY = "{MPI_INT, 3 MPI_DOUBLE}", "{3 MPI_DOUBLE, MPI_INT}"
OBJECTS = {
    "float_as_int": (MESSAGE, "MPI_FLOAT", "MPI_INT"),
    "objects": (MESSAGE, PARTICLE, BODY),
    "later": (MESSAGE, PARTICLE, BODY),
    "vectors": (MESSAGE, "100 of " + PARTICLE, "100 of " + BODY),
}


def many(words):
    """The words for 20,000 times as much."""
    count = re.match(r"(\d+) ", words)
    times = 20000 * (int(count[1]) if count else 1)
    return f"{times} {'of ' if words.startswith('{') else ''}{words[count.end():] if count else words}"


def main():
    launcher, c_program, cpp_program, kind = sys.argv[1:]

    def make(program, level, *arguments, **settings):
        done = run(launcher, "-n", "2", "--ranks", kind, program, *arguments, status=None,
                   env={**os.environ, "LISLE_CHECK": str(level), **settings})
        return done, f"{arguments} at level {level}: exit code {done.returncode}\n{done.stderr}"

    for what, (sent, taken) in MESSAGES.items():
        for how in WAYS if what == "structures" else WAYS[:1]:
            for level in (1, 2):
                done, about = make(c_program, level, what, how)
                words = (many(sent), many(taken)) if how == "many" else (sent, taken)
                send = r" \(MPI_(Isend|Ssend) at unfit_types\.c:\d+\)" if level == 2 else ""
                receive = r" \(MPI_(Irecv|Recv) at unfit_types\.c:\d+\)" if level == 2 else ""
                pattern = re.escape(MESSAGE + words[0]) + send + ", and the receive takes " + re.escape(words[1]) + receive
                expect(re.search(pattern, done.stderr) and done.returncode != 0, about)
        done, about = make(c_program, 0, what, "plain")
        expect(done.returncode == 0 and not done.stderr, about)
    # Streams of packets, where the kernel copies nothing between processes.
    done, about = make(c_program, 1, "structures", "many", LISLE_CMA_MINIMUM="off")
    expect(MESSAGE + "20000 of {MPI_INT, MPI_DOUBLE}, and the receive" in done.stderr and done.returncode != 0, about)
    for what, (sentence, least) in COLLECTIVES.items():
        for level in range(least, 3):
            done, about = make(c_program, level, what, "plain")
            expect(CALLS + sentence in done.stderr and done.returncode != 0, about)
            if level == 2:
                expect(re.search(r"\(rank 1: MPI_\w+ at unfit_types\.c:\d+; rank 0: MPI_\w+ at unfit_types\.c:\d+\)", done.stderr), about)
    for how in WAYS:
        for level in range(3):
            done, about = make(c_program, level, "right", how)
            expect(done.returncode == 0 and not done.stderr, about)

    for what, (begin, sent, taken) in OBJECTS.items():
        for level in (1, 2):
            done, about = make(cpp_program, level, what)
            places = r" \(\w+ at unfit_objects\.cpp:\d+\)" if level == 2 else ""
            pattern = re.escape(begin + sent) + places + ", and the receive takes " + re.escape(taken) + places
            expect(re.search(pattern, done.stderr) and done.returncode == 77, about)
    for level in range(3):
        done, about = make(cpp_program, level, "lengths")
        expect("rank 1: " in done.stderr and done.returncode == 77, about)
        done, about = make(cpp_program, level, "right")
        expect(done.returncode == 0 and not done.stderr, about)
    for level in (1, 2):
        done, about = make(cpp_program, level, "broadcast")
        expect(f"{BODY}, rank 0 {PARTICLE}" in done.stderr and done.returncode == 77, about)


if __name__ == "__main__":
    main()
