#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A project that says `import lisle;` finds Lisle::module in the installed package, and runs. Skipped (77) where CMake
or the compiler cannot. Use: check_module.py cmake build-directory work-directory compiler"""
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
PROJECT = """cmake_minimum_required(VERSION 3.28)
project(program CXX)
find_package(Lisle REQUIRED)
if(NOT Lisle_MODULE_FOUND)
  message(FATAL_ERROR "no module for ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
endif()
add_executable(program program.cpp)
target_link_libraries(program PRIVATE Lisle::module)
"""
PROGRAM = """import lisle;

struct point {
    int x;
    double y;
};

int main() {
    const lisle::environment environment;
    const auto world = lisle::world();
    const int rank = world.rank();
    const auto all = world.allgather(rank);
    const int sum = world.allreduce(rank, [](int a, int b) { return a + b; });
    const point sent{rank, 0.5};
    auto sending = world.isend(point{sent}, rank);
    const auto got = world.receive<point>(rank);
    sending.wait();
    return static_cast<int>(all.size()) != world.size() || sum != world.size() * (world.size() - 1) / 2 ||
           got.x != rank || got.y != 0.5;
}
"""


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"{command} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def main():
    cmake, build, work, compiler = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
    version = tuple(int(part) for part in run(cmake, "--version").split()[2].split("-")[0].split(".")[:2])
    if version < (3, 28):
        skip("modules need CMake 3.28")
    if not shutil.which("ninja"):
        skip("CMake builds modules with Ninja only")
    clang = "clang" in run(compiler, "--version").splitlines()[0]
    if int(run(compiler, "-dumpversion").split(".")[0]) < (16 if clang else 14):
        skip("modules need GCC 14 or Clang 16")
    shutil.rmtree(work, ignore_errors=True)
    prefix, source = work / "prefix", work / "source"
    source.mkdir(parents=True)
    run(cmake, "--install", build, "--prefix", prefix)
    (source / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    (source / "program.cpp").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix)}
    run(cmake, "-S", source, "-B", work / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", env=environment)
    run(cmake, "--build", work / "build", env=environment)
    for ranks in (1, 2, 4):
        run(prefix / "bin/mpiexec", "-n", ranks, work / "build/program")


if __name__ == "__main__":
    main()
