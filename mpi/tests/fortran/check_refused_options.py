#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of the compiler that give MPI's arguments another size are refused, with what to do instead.

Usage: check_refused_options.py MPIFORT COMPILER INCLUDE_DIR WORK_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADER = {"fixed.f": "      program p\n      include 'mpif.h'\n      integer error, min, max, kind\n      call mpi_init(error)\n"
                     "      min = 1\n      max = 2\n      kind = min + max\n      call mpi_finalize(error)\n      end\n",
          "free.f90": "program p\n  implicit none\n  include 'mpif.h'\n  integer :: error\n  call mpi_init(error)\n"
                      "  call mpi_finalize(error)\nend program\n"}
MODULE = {"module.f90": "program p\n  use mpi_f08\n  call MPI_Init()\n  call MPI_Finalize()\nend program\n"}
WIDE = ["-fdefault-integer-8", "-finteger-4-integer-8"]
OTHER_REAL = ["-freal-8-real-4", "-freal-8-real-10", "-freal-8-real-16"]
ALLOWED = [[], ["-fdefault-real-8"], ["-fdefault-real-8", "-fdefault-double-8"], ["-freal-4-real-8"], ["-std=f2008"], ["-Wall", "-Werror"],
           ["-ffixed-line-length-none", "-ffree-line-length-none"]]


def compiled(command, options, source):
    return subprocess.run([*command, *options, "-c", source, "-o", source.with_suffix(".o")], text=True, capture_output=True, check=False,
                          env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"})


def expect(right, what, done):
    if not right:
        sys.exit(f"{what}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def line_of(error, include):
    """The line of mpif.h at which the compiler has stopped first."""
    where = re.search(r"^(?:.*/)?mpif\.h:(\d+):", error, re.MULTILINE)
    return pathlib.Path(include, "mpif.h").read_text(encoding="ascii").splitlines()[int(where[1]) - 1] if where else ""


def main():
    mpifort, compiler, include, work = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=work) as folder:
        sources = {}
        for name, text in {**HEADER, **MODULE}.items():
            sources[name] = pathlib.Path(folder, name)
            sources[name].write_text(text, encoding="ascii")
        direct = [compiler, "-I", include]
        for name, source in sources.items():
            for options in ALLOWED:
                done = compiled([mpifort], options, source)
                expect(done.returncode == 0, f"{name} with {options}", done)
            for option in WIDE:
                done = compiled([mpifort], [option], source)
                expect(done.returncode != 0 and done.stderr.startswith(f"mpifort: {option} gives INTEGER 8 bytes")
                       and "leave it out" in done.stderr and done.stderr.count("\n") == 1, f"mpifort {option} {name}", done)
        for name in HEADER:
            for options, names in ((WIDE, "MPI_OMIT_FDEFAULT_INTEGER_8"), (OTHER_REAL, "MPI_OMIT_FREAL_8_REAL")):
                for option in options:
                    done = compiled(direct, [option], sources[name])
                    expect(done.returncode != 0 and names in line_of(done.stderr, include), f"{option} {name}", done)
        # What is only linked has been compiled before, and other questions are answered.
        done = subprocess.run([mpifort, "-fdefault-integer-8", "--showme:version"], text=True, capture_output=True, check=False)
        expect(done.returncode == 0, "a question", done)
        compiled([mpifort], [], sources["free.f90"])
        done = subprocess.run([mpifort, "-fdefault-integer-8", pathlib.Path(folder, "free.o"), "-o", pathlib.Path(folder, "free")],
                              text=True, capture_output=True, check=False)
        expect(done.returncode == 0, "linking", done)


if __name__ == "__main__":
    main()
