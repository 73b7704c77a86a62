#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What mpifort takes as the wrappers of other MPIs do: BOZ constants of old programs, and options for long vectors, with which
the compiler aligns common blocks more than usual and the linker warns of one that is not so.

Usage: check_accepted_options.py MPIFORT WORK_DIR
"""
import pathlib
import platform
import subprocess
import sys
import tempfile

OLD = "program p\n  implicit none\n  include 'mpif.h'\n  integer :: bits, error\n  bits = z'ff'\n  call mpi_init(error)\nend program\n"
PLACES = """program p
  {use}
  implicit none
  {include}
  integer :: error, numbers(4)
  call MPI_Init(error)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Recv(MPI_BOTTOM, 0, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Waitall(0, numbers, MPI_STATUSES_IGNORE, error)
end program
"""
OF_F08 = PLACES.replace("MPI_Waitall(0, numbers", "MPI_Waitall(0, requests").replace("numbers(4)\n", "numbers(4)\n  type(MPI_Request) :: requests(1)\n")


def build(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    mpifort, work = sys.argv[1:]
    sources = {"old": OLD, "header": PLACES.format(use="", include="include 'mpif.h'"), "module": PLACES.format(use="use mpi", include=""),
               "f08": OF_F08.format(use="use mpi_f08", include="")}
    with tempfile.TemporaryDirectory(dir=work) as folder:
        for name, text in sources.items():
            source = pathlib.Path(folder, f"{name}.f90")
            source.write_text(text, encoding="ascii")
            build([mpifort, str(source), "-o", str(source.with_suffix(""))])
            if platform.machine() == "x86_64" and name != "old":
                build([mpifort, "-O3", "-march=x86-64-v4", "-Wl,--fatal-warnings", str(source), "-o", str(source.with_suffix(""))])


if __name__ == "__main__":
    main()
