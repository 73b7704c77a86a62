#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What MPI_Finalize lists with LISLE_CHECK=2: everything that was not freed, for each rank, and nothing else.

Usage: leaks_test.py LISLERUN PROGRAM KIND
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run

# What the program leaves behind: how many of what, its name, and the call that made it.
EVERYTHING = [
    ("1 info object", "", "MPI_Info_create"),  # before MPI_Init
    ("1 communicator", "halo", "MPI_Comm_dup"),
    ("1 communicator", "", "MPI_Comm_split"),
    ("1 group", "", "MPI_Comm_group"),
    ("1 datatype", "column", "MPI_Type_vector"),
    ("1 datatype", "", "MPI_Type_get_contents"),
    ("1 operation", "", "MPI_Op_create"),
    ("1 error handler", "", "MPI_Comm_create_errhandler"),
    ("1 error handler", "", "MPI_Comm_get_errhandler"),
    ("1 attribute key", "", "MPI_Comm_create_keyval"),
    ("1 info object", "", "MPI_Info_create"),
    ("3 requests", "", "MPI_Irecv"),
    ("1 request", "", "MPI_Recv_init"),
    ("1 request", "", "MPI_Grequest_start"),
]
LITTLE = [("1 communicator", "halo", "MPI_Comm_dup"), ("1 communicator", "", "MPI_Comm_split")]
# With LISLE_CHECK=1 requests of messages are counted.
COUNTED = re.compile(r"lisle: rank (\d+): MPI_Finalize: (\d+) requests of messages were neither completed nor freed")
LINE = re.compile(r'lisle: rank (\d+): MPI_Finalize: (\d+ [a-z ]+?)(?: called "(.*)")? that (\w+) made at (\S+)'
                  r" (?:was|were) not freed")


def listed(launcher, program, kind, check, *arguments):
    """{rank: what MPI_Finalize lists}, and where the program made it."""
    done = run(launcher, "-q", "-n", "2", "--ranks", kind, program, *arguments,
               env={**os.environ, "LISLE_CHECK": check})
    found, places = {}, set()
    for line in done.stderr.splitlines():
        if counted := COUNTED.search(line):
            found.setdefault(int(counted[1]), []).append((f"{counted[2]} requests", "", "counted"))
            continue
        match = LINE.search(line)
        expect(match, f"an unexpected line: {line}")
        rank, what, name, call, place = match.groups()
        found.setdefault(int(rank), []).append((what, name or "", call))
        places.add(place)
    return found, places


def main():
    launcher, program, kind = sys.argv[1:]
    found, places = listed(launcher, program, kind, "2", "leak")
    expect(found.get(0) == EVERYTHING, f"rank 0 lists {found.get(0)}")
    expect(found.get(1) == LITTLE, f"rank 1 lists {found.get(1)}")
    # A line where there is libdw, else what addr2line takes; in the program either way.
    expect(all(re.search(r"^leaks(\.c:\d+|\+0x[0-9a-f]+)$", place) for place in places), str(places))
    found, _ = listed(launcher, program, kind, "1", "leak")
    counted = [each for each in EVERYTHING if each[2] != "MPI_Irecv"] + [("3 requests", "", "counted")]
    expect(found.get(0) == counted, f"rank 0 lists {found.get(0)} at level 1")
    expect(found.get(1) == LITTLE, f"rank 1 lists {found.get(1)} at level 1")
    for check, arguments in [("2", []), ("1", []), ("0", ["leak"])]:
        found, _ = listed(launcher, program, kind, check, *arguments)
        expect(not found, f"LISLE_CHECK={check} {arguments}: {found}")


if __name__ == "__main__":
    main()
