#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers with another MPI library, by the standard's functions alone: compiles a test with its compiler wrapper
and runs it. Use: check_other_mpi.py mpicxx mpiexec source scratch_directory flag..."""
import subprocess
import sys
from pathlib import Path

RANKS = (2, 3)


def main():
    wrapper, launcher, source, scratch, *flags = sys.argv[1:]
    Path(scratch).mkdir(parents=True, exist_ok=True)
    program = Path(scratch, Path(source).stem)
    subprocess.run([wrapper, "-std=c++20", "-O1", "-DLISLE_STANDARD_ONLY", *flags, source, "-o", program], check=True)
    for ranks in RANKS:
        subprocess.run([launcher, "-n", str(ranks), program], check=True)


if __name__ == "__main__":
    main()
