# SPDX-License-Identifier: Apache-2.0
"""tools/coverage counts the lines of a small tree: those of two objects that one was loaded of, of a template with two
instances, of a header by way of a link, and none outside the products.

Usage: check_coverage.py PROJECT_DIR COMPILER WORK_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys

SOURCES = {
    "mpi/src/base/sign.hpp": """template <class T> int sign(T value) {
    if (value < 0)
        return -1;
    return 1;
}
""",
    "mpi/src/base/used.cpp": """#include "sign.hpp"
int main() {
    return sign(1) + sign(-1.0);
}
""",
    "mpi/src/abi/unused.cpp": """int never() {
    return 1;
}
""",
    "mpi/tests/strange.cpp": """int strange() {
    return 1;
}
""",
}
EXPECTED = {"mpi/src/abi": (2, 0), "mpi/src/base": (6, 6), "all": (8, 6)}


def main():
    project, compiler, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    for name, text in SOURCES.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    build = work / "build"
    (build / "include").mkdir(parents=True)
    (build / "include/sign.hpp").symlink_to(work / "mpi/src/base/sign.hpp")
    (work / "mpi/src/base/used.cpp").write_text(SOURCES["mpi/src/base/used.cpp"].replace('"sign.hpp"', "<sign.hpp>"))
    for name in SOURCES:
        if name.endswith(".cpp"):
            subprocess.run([compiler, "--coverage", "-O0", "-Iinclude", "-c", work / name], cwd=build, check=True)
    subprocess.run([compiler, "--coverage", "used.o", "-o", "used"], cwd=build, check=True)
    subprocess.run([build / "used"], cwd=build, check=True)
    version = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, check=True).stdout.split(".")[0]
    gcov = f"gcov-{version}" if shutil.which(f"gcov-{version}") else "gcov"
    said = subprocess.run([project / "tools/coverage", "--root", work, build], capture_output=True, text=True, check=True,
                          env={**os.environ, "GCOV": gcov}).stdout  # fmt: skip
    rows = {line.split()[0]: tuple(map(int, line.split()[1:3])) for line in said.splitlines()[1:]}
    if rows != EXPECTED:
        sys.exit(f"FAILED: tools/coverage counts {rows}, not {EXPECTED}:\n{said}")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
