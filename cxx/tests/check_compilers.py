#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of the C++ interface give no warning of their own with the strict options of GCC and of Clang (which is
asked if it is there), compile without exceptions and types of objects, and after their names alone, and refuse an
MPI below 3.1 in one sentence.
Use: check_compilers.py compiler include_directory scratch_directory flag..."""
import shutil
import subprocess
import sys
from pathlib import Path

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wold-style-cast", "-Wconversion", "-Wsign-conversion", "-Werror"]
NEEDS_OTHER_LIBRARIES = {"task.hpp"}  # the task machine is no part of this interface
NEEDS_CEREAL = {"serialize.hpp", "serialization/archive.hpp"}
NEEDS_EXCEPTIONS = NEEDS_CEREAL | {"run.hpp", "testing.hpp", "recover.hpp", "pool.hpp", "sender.hpp", "execution.hpp"}
# What a program's headers say of classes of the interface without including them.
FORWARD = """#include <lisle/forward.hpp>
void run(const lisle::communicator &, lisle::future<int> &, const lisle::window<double> *);
static_assert(LISLE_CXX_VERSION_MAJOR >= 0 && LISLE_CXX_VERSION >= 100);
"""
VERSION = 'static_assert(LISLE_CXX_VERSION == LISLE_VERSION_NUMBER, "tools/release sets both");\n'
CLANG = "clang++"


def compile_text(compiler, text, flags):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *flags, "-xc++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def including(headers):
    return "".join(f"#include <lisle/{header}>\n" for header in headers)


def must_compile(compiler, text, flags):
    done = compile_text(compiler, text, flags)
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
        must_compile(each, FORWARD + including(mine) + VERSION, [*STRICT, *flags])
        plain = [name for name in mine if name not in NEEDS_EXCEPTIONS]
        must_compile(each, including(plain), [*flags, "-fno-exceptions", "-fno-rtti"])
    must_compile(compiler, FORWARD, [f"-I{include}", "-nostdinc"])
    old = Path(scratch, "old_mpi")
    old.mkdir(parents=True, exist_ok=True)
    (old / "mpi.h").write_text("#define MPI_VERSION 3\n#define MPI_SUBVERSION 0\n", encoding="utf-8")
    refused = compile_text(compiler, including(["lisle.hpp"]), [f"-I{old}", *flags])
    if refused.returncode == 0 or "need MPI 3.1 or newer" not in refused.stderr or refused.stderr.count("\n") > 15:
        sys.exit(f"with MPI 3.0 the compiler says:\n{refused.stderr}")


if __name__ == "__main__":
    main()
