#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What LISLE_CHECK says of mistakes at its levels, and that it says nothing of what is right.

Usage: checks_test.py LISLERUN PROGRAM KIND
"""
import ctypes
import os
import pathlib
import platform
import re
import struct
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

DEADLOCK = 125
OTHER_TYPE = "the message from rank 0 with tag 5 has elements of another type than the receive"
CALLS = "the ranks do not make the same call: "


@dataclass
class Mistake:
    """What is said at the levels from `level` on: one of the sentences, since the rank that is first ends the job."""
    level: int
    sentences: list
    status: object = 0  # how the job ends from that level on; None: with any error
    ranks: int = 2
    below: int = 0  # how it ends below; None: in any way
    waits: bool = False  # at level 2, where sends wait for their receives, it is a deadlock
    least: int = 0  # what happens below is not defined


MISTAKES = {
    "unreceived": Mistake(1, ["rank 1: MPI_Finalize: a message of 8 bytes with tag 5 from rank 0 on MPI_COMM_WORLD was never "
                              "received", "rank 1 to receive"], waits=True),
    "other_type": Mistake(1, [f"MPI_Wait: {OTHER_TYPE} of rank 1 in MPI_COMM_WORLD: MPI_INT"], None),
    "other_type_late": Mistake(1, [f"MPI_Wait: {OTHER_TYPE}"], None),
    "other_type_announced": Mistake(1, [f"MPI_Recv: {OTHER_TYPE}"], None),
    "types_of_collective": Mistake(1, [f"{CALLS}rank 1 names elements of another type than rank 0", OTHER_TYPE], None),
    "other_operation": Mistake(1, [f"{CALLS}rank 1 reduces with MPI_MAX, rank 0 reduces with MPI_SUM"], None),
    "other_collective": Mistake(1, [f"MPI_Wait: {CALLS}rank 1 calls MPI_Ibcast, rank 0 calls MPI_Ibarrier"], None, below=None),
    "other_form": Mistake(2, [f"{CALLS}rank 1 calls MPI_Ibarrier, rank 0 calls MPI_Barrier"], None, below=None),
    "freed_early": Mistake(1, ["rank 0: MPI_Request_free at mistakes.c:"]),
    "relies_on_buffers": Mistake(2, ["a program that relies on it is not portable"], DEADLOCK),
    "changed_send": Mistake(2, ["rank 0: the send buffer of MPI_Isend at mistakes.c:"]),
    "changed_receive": Mistake(2, ["rank 1: the receive buffer of MPI_Irecv at mistakes.c:"]),
    "changed_collective": Mistake(2, ["rank 0: the receive buffer of MPI_Igatherv at mistakes.c:"]),
    "overlapping_receives": Mistake(2, ["rank 1: MPI_Irecv at mistakes.c:"]),
    "overlapping_sendrecv": Mistake(2, [f"rank {rank}: MPI_Sendrecv at mistakes.c:" for rank in (0, 1)]),
    "null_origin": Mistake(1, ["rank 0: MPI_Put: origin_addr is a null pointer, but there are 4 elements"], None, least=1),
    "null_window": Mistake(1, ["MPI_Win_create: base is a null pointer, but size is 16"], None, least=1),
    "bytes_twice": Mistake(2, ["rank 1: MPI_Recv at mistakes.c:"]),
    "changed_window": Mistake(2, ["rank 0 (MPI_Get at mistakes.c:"]),
    "other_thread": Mistake(1, [f"rank {rank}: MPI_Barrier at mistakes.c:" for rank in (0, 1)], least=1),
    "two_at_once": Mistake(1, [f"{call} at mistakes.c:" for call in ("rank 1: MPI_Recv", "rank 1: MPI_Ssend")], least=1),
    "two_collectives": Mistake(1, ["threads must not be in collectives of one communicator at once"], None, least=1),
    "any_source": Mistake(2, ["rank 0: note: MPI_Recv at mistakes.c:"], ranks=3),
}
# What the processor's watchpoints tell, at level 2, where the system lends them. All of these.
WATCHED = {
    "used_early": [r"rank 1: a load at mistakes\.c:\d+ reads memory that MPI_Irecv at mistakes\.c:\d+ writes",
                   r"rank 0 \(MPI_Get at mistakes\.c:\d+\) and rank 1 \(a store at mistakes\.c:\d+\) access"],
}
RIGHT = {"used_late": 2, "bytes": 2, "changed_gap": 2, "named_source": 3, "in_order": 3, "right": 2}


def lends_watchpoints():
    """Whether this process may watch four bytes of its own: x86-64, Linux 6.1 or later, perf_event_open allowed."""
    release = [int(number) for number in re.findall(r"\d+", platform.release())[:2]]
    if platform.machine() != "x86_64" or release < [6, 1]:
        return False
    watched = ctypes.c_int()
    breakpoint, size, writes, exclude_kernel, bytes_watched = 5, 128, 2, 1 << 5, 4
    about = struct.pack("=IIQQQQQIIQQ", breakpoint, size, 0, 1, 0, 0, exclude_kernel, 0, writes,
                        ctypes.addressof(watched), bytes_watched).ljust(size, b"\0")
    event = ctypes.CDLL(None).syscall(298, about, 0, -1, -1, 0)  # perf_event_open
    if event < 0:
        return False
    os.close(event)
    return True


def main():
    launcher, program, kind = sys.argv[1:]

    def make(how, level, ranks):
        return run(launcher, "-n", str(ranks), "--ranks", kind, program, how, status=None,
                   env={**os.environ, "LISLE_CHECK": str(level)})

    for how, mistake in MISTAKES.items():
        for level in range(mistake.least, 3):
            done = make(how, level, mistake.ranks)
            about = f"{how} at level {level}: exit code {done.returncode}\n{done.stderr}"
            named = any(sentence in done.stderr for sentence in mistake.sentences)
            status = mistake.status if level >= mistake.level else mistake.below
            status = DEADLOCK if mistake.waits and level == 2 else status
            if level >= mistake.level:
                expect(named, about)
                expect(done.returncode != 0 if status is None else done.returncode == status, about)
            elif status is not None:
                expect(done.returncode == status and not done.stderr, about)
    for how, sentences in WATCHED.items() if lends_watchpoints() else ():
        said = make(how, 2, 2).stderr
        for sentence in sentences:
            expect(re.search(sentence, said), f"{how}: '{sentence}' is not in:\n{said}")
    for how, ranks in RIGHT.items():
        for level in range(3):
            done = make(how, level, ranks)
            expect(done.returncode == 0 and not done.stderr, f"{how} at level {level}: {done.returncode}\n{done.stderr}")
    for level in range(3):
        done = make("own_traps", level, 2)
        about = f"own_traps at level {level}: {done.returncode}\n{done.stderr}"
        if kind == "process" or level < 2 or not lends_watchpoints():
            expect(done.returncode == 0 and not done.stderr, about)
        else:  # ranks of one process have one such handler
            expect("LISLE_CHECK=2, whose watchpoints need this signal" in done.stderr, about)


if __name__ == "__main__":
    main()
