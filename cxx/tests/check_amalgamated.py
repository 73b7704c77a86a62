#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An example compiles with the one header that tools/amalgamate_interface.py writes, in a folder with nothing else but an mpi.h.
Use: check_amalgamated.py compiler tool include_directory example scratch_directory"""
import re
import shutil
import subprocess
import sys
from pathlib import Path


def main():
    compiler, tool, include, example, scratch = sys.argv[1:]
    folder = Path(scratch)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("mpi.h", "mpix.h"):
        shutil.copy(Path(include, name), folder)
    subprocess.run([sys.executable, tool, folder / "lisle.hpp"], check=True)
    text = re.sub(r"#include <lisle/.*>\n", "", Path(example).read_text(encoding="utf-8"))
    (folder / "program.cpp").write_text('#include "lisle.hpp"\n' + text, encoding="utf-8")
    for flags in ([], ["-DLISLE_MPI_3_ONLY"]):
        subprocess.run([compiler, "-std=c++20", "-I.", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *flags, "program.cpp"], cwd=folder, check=True)


if __name__ == "__main__":
    main()
