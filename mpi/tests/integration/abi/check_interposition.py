# SPDX-License-Identifier: Apache-2.0
"""A tool takes the place of MPI_ functions: preloaded, linked in, or as a library before the program's.

Usage: check_interposition.py BIN_DIR WORK_DIR
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import empty_directory, expect, run


def main():
    bindir, work, here = sys.argv[1], empty_directory(sys.argv[2]), pathlib.Path(__file__).parent
    mpicc, program, tool = f"{bindir}/mpicc", here / "program.c", here / "tool.c"
    run(mpicc, program, "-o", "plain", cwd=work)
    run(mpicc, "-shared", tool, "-o", "libtool.so", cwd=work)
    run(mpicc, program, tool, "-o", "with_object", cwd=work)
    run(mpicc, program, "-o", "with_library", "-L.", "-ltool", "-Wl,-rpath,.", cwd=work)

    def outputs(name, counted, **more):
        out = run(f"./{name}", cwd=work, env={**os.environ, **more}).stdout
        expect("received 42" in out, f"{name} printed: {out}")
        expect(("tool: 3 sends" in out) == counted, f"{name} printed: {out}")

    outputs("plain", False)
    outputs("with_object", True)
    outputs("with_library", True)
    # A sanitizer's run-time library insists on being the first that is preloaded.
    if "sanitize" not in run(mpicc, "-show").stdout:
        outputs("plain", True, LD_PRELOAD=str(work / "libtool.so"))


if __name__ == "__main__":
    main()
