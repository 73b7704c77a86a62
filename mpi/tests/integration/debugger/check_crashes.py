#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of a rank that crashes: its stack, and what the others do.

Usage: check_crashes.py LISLERUN PROGRAM KIND
"""
import ctypes
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from commands import expect  # noqa: E402
from waiting_job import KINDS, WaitingJob  # noqa: E402

KINDS = {**KINDS, "fibers": ("-n", "4", "--ranks", "fiber", "--workers", "4")}  # those of the same worker cannot answer
MOST_LINES = 20
TURNS = 5
SIGNALS = {"fault": "SEGV", "abort": "ABRT", "divide": "FPE", "overflow": "SEGV"}
INNERMOST = {"fault": "crash", "abort": "crash", "divide": "crash", "overflow": "deeper"}


def has_debug_library():
    try:
        ctypes.CDLL("libdw.so.1")
    except OSError:
        return False
    return True


def crash(launcher, kind, program, how, *variables):
    with tempfile.TemporaryDirectory() as folder, WaitingJob(
        launcher, [*variables, *KINDS[kind]], program, how, folder
    ) as waiting:
        said = waiting.finish()
    lines = re.findall(r"^  #\d+ .*", said, re.MULTILINE)
    return said, lines


def knows_calls(said):
    return all(re.search(rf"^ +{rank} +MPI_Recv +a message from rank 2 ", said, re.MULTILINE) for rank in (0, 1, 3))


def crash_with_calls(*what):
    """Ranks that get no time to answer say nothing, so a loaded machine may need several turns."""
    for _ in range(TURNS):
        said, lines = crash(*what)
        if knows_calls(said):
            break
    return said, lines


def check(launcher, kind, program, how):
    said, lines = crash_with_calls(launcher, kind, program, how)
    expect(f"rank 2 has crashed by SIG{SIGNALS[how]}" in said, f"{kind}, {how}: no word of the crash in\n{said}")
    expect(0 < len(lines) < MOST_LINES, f"{kind}, {how}: {len(lines)} frames in\n{said}")
    if has_debug_library():
        place = rf"^  #\d+ {INNERMOST[how]} at debugged\.c:\d+"
        expect(any(re.match(place, line) for line in lines), f"{kind}, {how}: no line of the source in\n{said}")
    expect(knows_calls(said), f"{kind}, {how}: the others' calls are not in\n{said}")
    expect(re.search(rf"rank 2 \(.*was ended by SIG{SIGNALS[how]}", said), f"{kind}, {how}: no verdict in\n{said}")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    launcher, program, kind = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3]
    for how in SIGNALS:
        check(launcher, kind, program, how)
    said, lines = crash(launcher, kind, program, "fault", "-x", "LISLE_CRASH=quiet")
    expect(not lines and "was ended by SIGSEGV" in said, f"{kind}: LISLE_CRASH=quiet is not in\n{said}")
    said, lines = crash(launcher, kind, program, "handled")
    expect(not lines and "SIGSEGV" not in said, f"{kind}: the program's own handler has not come first:\n{said}")


if __name__ == "__main__":
    main()
