#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An exception that leaves the environment's scope prints its text and its rank, and ends all. Use: check_leaving.py lislerun
program"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mpi/tests/integration"))
from commands import LIMIT  # noqa: E402

WANTED = {"send": "lisle: rank 1: MPI_Send: rank 99 is outside", "other": "lisle: rank 1: an exception that is no lisle::error"}


def main():
    launcher, program = sys.argv[1:]
    for kind in ("process", "thread", "fiber"):
        for how, wanted in WANTED.items():
            run = subprocess.run([launcher, "-n", "2", "--ranks", kind, program, how], capture_output=True, text=True,
                                 check=False, timeout=LIMIT)
            if run.returncode != 1 or wanted not in run.stderr or "too late" in run.stdout:
                sys.exit(f"{kind} {how}: {run.returncode}\n{run.stdout}\n{run.stderr}")


if __name__ == "__main__":
    main()
