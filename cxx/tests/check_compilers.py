#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of the C++ interface give no warning of their own with the strict options of GCC and of Clang (which is
asked if it is there), compile without exceptions and with what MPI 3.1 has, and refuse an
older MPI in one sentence.
Use: check_compilers.py compiler include_directory scratch_directory flag..."""
import shutil
import subprocess
import sys
from pathlib import Path

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wold-style-cast", "-Wconversion", "-Wsign-conversion", "-Werror"]
NEEDS_OTHER_LIBRARIES = {"task.hpp"}  # the task machine is no part of this interface
NEEDS_CEREAL = {"serialize.hpp", "serialization/archive.hpp"}
NEEDS_EXCEPTIONS = NEEDS_CEREAL | {"run.hpp", "testing.hpp", "sender.hpp", "execution.hpp"}
NEEDS_LISLE = {"run.hpp", "testing.hpp"}
CLANG = "clang++"


def compile_text(compiler, text, flags):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *flags, "-xc++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def including(headers):
    return "".join(f"#include <lisle/{header}>\n" for header in headers)


def must_compile(compiler, headers, flags):
    done = compile_text(compiler, including(headers), flags)
    if done.returncode != 0:
        sys.exit(f"{compiler} {' '.join(flags)}:\n{done.stderr}")


def main():
    compiler, include, scratch, *flags = sys.argv[1:]
    root = Path(include, "lisle")
    headers = sorted(str(file.relative_to(root)) for file in root.rglob("*.hpp"))
    mine = [name for name in headers if name not in NEEDS_OTHER_LIBRARIES and not name.startswith("task/")]
    if not Path("/usr/include/cereal/cereal.hpp").exists():
        mine = [name for name in mine if name not in NEEDS_CEREAL]
    for each in {compiler, shutil.which(CLANG) or compiler}:
        must_compile(each, mine, [*STRICT, *flags])
        must_compile(each, [name for name in mine if name not in NEEDS_EXCEPTIONS], [*flags, "-fno-exceptions"])
        must_compile(each, [name for name in mine if name not in NEEDS_LISLE], [*STRICT, *flags, "-DLISLE_MPI_3_ONLY"])
    old = Path(scratch, "old_mpi")
    old.mkdir(parents=True, exist_ok=True)
    (old / "mpi.h").write_text("#define MPI_VERSION 3\n#define MPI_SUBVERSION 0\n", encoding="utf-8")
    refused = compile_text(compiler, including(["lisle.hpp"]), [f"-I{old}", *flags])
    if refused.returncode == 0 or "need MPI 3.1 or newer" not in refused.stderr or refused.stderr.count("\n") > 15:
        sys.exit(f"with MPI 3.0 the compiler says:\n{refused.stderr}")


if __name__ == "__main__":
    main()
