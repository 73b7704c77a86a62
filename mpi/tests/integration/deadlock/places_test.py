#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report of a deadlock names the lines of a C++ program, not those of the headers that make its calls, and what it
has begun and not waited for.

Usage: places_test.py LISLERUN PROGRAM SOURCE process|thread
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run


def main():
    launcher, program, source, kind = sys.argv[1:]
    numbers = {line.split("// ")[-1]: number
               for number, line in enumerate(pathlib.Path(source).read_text().splitlines(), 1) if "// " in line}
    done = run(launcher, "-q", "--ranks", kind, "-n", "2", "--timeout", "60", program, status=125,
               env={**os.environ, "LISLE_CHECK": "2"})
    for sentence in [f"a message from rank 1  5    MPI_COMM_WORLD  4      places.cpp:{numbers['waits']}\n",
                     f"Rank 0 has begun and not waited for: MPIX_Irecv_allocate from rank 1, tag 9, at "
                     f"places.cpp:{numbers['begins to receive']}; MPI_Isend_c to rank 1, tag 4, at "
                     f"places.cpp:{numbers['begins to send']}.\n"]:
        expect(sentence in done.stderr, f"no '{sentence}' in\n{done.stderr}")


if __name__ == "__main__":
    main()
