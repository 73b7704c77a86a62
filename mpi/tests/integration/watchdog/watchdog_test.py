#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fiber rank that lets no other one run is named with LISLE_WATCHDOG, and only then, and only if it does so.

Usage: watchdog_test.py LISLERUN PROGRAM
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, run  # noqa: E402

COMPLAINT = "has run for 1 s without a call in which fibers take turns"


def main():
    launcher, program = sys.argv[1:]
    fibers = [launcher, "-n", "3", "--ranks", "fiber", "--workers", "1"]
    os.environ["LISLE_WATCHDOG"] = "1"
    spun = run(*fibers, program)
    expect(spun.stdout == "not seen\n", spun.stdout)
    expect(spun.stderr.count(COMPLAINT) == 1, spun.stderr)
    expect("lisle: rank 0 " in spun.stderr and "cannot run: 1, 2" in spun.stderr, spun.stderr)
    expect("spin.c:" in spun.stderr or "watchdog_spin+0x" in spun.stderr, spun.stderr)
    for polite in ([*fibers, program, "politely"], [launcher, "-n", "3", "--ranks", "thread", program]):
        done = run(*polite)
        expect(done.stdout == "seen\n" and COMPLAINT not in done.stderr, f"{done.stdout}{done.stderr}")
    # A worker whose thread blocks the signal cannot be asked, which keeps nobody from asking another one.
    deaf = run(launcher, "-n", "4", "--ranks", "fiber", "--workers", "2", program, "deaf")
    expect("lisle: rank 2 " in deaf.stderr and "cannot run: 3" in deaf.stderr, deaf.stderr)
    expect("rank 0 " not in deaf.stderr, deaf.stderr)
    del os.environ["LISLE_WATCHDOG"]
    expect(COMPLAINT not in run(*fibers, program).stderr, "named unasked")


main()
