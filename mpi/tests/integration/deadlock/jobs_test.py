#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deadlocks of several jobs. Usage: jobs_test.py LISLERUN PROGRAM KIND"""

import os
import subprocess
import sys
import tempfile

DEADLOCK = 125


def fail(why):
    sys.exit(why)


def run(launcher, program, kind, part):
    command = [launcher, "-n", "2", "--ranks", kind, "--timeout", "120", program, part]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def expect_report(launcher, program, kind, part, lines):
    code, said = run(launcher, program, kind, part)
    if code != DEADLOCK:
        fail(f"{part}: exit code {code} instead of {DEADLOCK}:\n{said}")
    for line in lines:
        if line not in said:
            fail(f"{part}: the report lacks \"{line}\":\n{said}")


def expect_report_of_strangers(launcher, program, kind, lines):
    """Two jobs that were started apart and have met by a port: one launcher reports, both end."""
    with tempfile.TemporaryDirectory() as folder:
        port = os.path.join(folder, "port")
        jobs = [subprocess.Popen([launcher, "-n", "2", "--ranks", kind, "--timeout", "120", program, part, port],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for part in ("server", "client")]
        said = [each.communicate()[0] for each in jobs]
    codes = [each.returncode for each in jobs]
    if codes != [DEADLOCK, DEADLOCK]:
        fail(f"strangers: exit codes {codes} instead of {DEADLOCK}:\n{said[0]}\n{said[1]}")
    both = said[0] + said[1]
    for line in lines:
        if both.count(line) != 1:
            fail(f"strangers: \"{line}\" is there {both.count(line)} times:\n{both}")


def main():
    launcher, program, kind = sys.argv[1:]
    two = ["no rank of 2 jobs", "ranks 0-1 below: ranks 0-1 of deadlock_jobs",
           "ranks 2-3 below: ranks 0-1 of deadlock_jobs, another job"]
    expect_report(launcher, program, kind, "crossed",
                  two + ["a message from rank 2", "a message from rank 0", "MPI_Barrier",
                         "rank 0 waits in MPI_Recv for rank 2, rank 2 waits in MPI_Recv for rank 0"])
    expect_report(launcher, program, kind, "sending", two + ["MPI_Ssend", "rank 2 to receive", "rank 0 to receive"])
    expect_report(launcher, program, kind, "three", ["no rank of 3 jobs", "ranks 0-1 below"])
    code, said = run(launcher, program, kind, "late")
    if code != 0 or said:
        fail(f"late: exit code {code}:\n{said}")
    expect_report_of_strangers(launcher, program, kind, two)


if __name__ == "__main__":
    main()
