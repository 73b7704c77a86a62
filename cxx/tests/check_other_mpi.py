#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers with another MPI library, by the standard's functions alone: compiles a program with its compiler wrapper
and runs it. With --same as 1, 2 and 3 ranks, whose outputs must be alike: the whole, or what the groups of --print's
expression find. Use: check_other_mpi.py mpicxx mpiexec scratch_directory [--same] [--run=arguments] [--print=expression]
source... flag..."""
import argparse
import os
import re
import subprocess
from pathlib import Path

# Open MPI: as root in a container, with more ranks than cores, by shared memory and TCP.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_pml": "ob1"}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("wrapper")
    parser.add_argument("launcher")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--run", default="")
    parser.add_argument("--print", default="(?s)(.*)")
    return parser.parse_known_args()


def main():
    given, compiled = arguments()
    given.scratch.mkdir(parents=True, exist_ok=True)
    program = given.scratch / Path(compiled[0]).stem
    subprocess.run([given.wrapper, "-std=c++20", "-O1", "-DLISLE_STANDARD_ONLY", *compiled, "-o", program], check=True)
    outputs = []
    for ranks in (1, 2, 3) if given.same else (2, 3):
        run = subprocess.run([given.launcher, "-n", str(ranks), program, *given.run.split()], check=True,
                             env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        print(run.stdout)
        outputs.append(re.search(given.print, run.stdout).groups())
    if given.same and (len(set(outputs)) != 1 or not outputs[0][0].strip()):
        raise SystemExit("the number of ranks changes what it prints")


if __name__ == "__main__":
    main()
