# SPDX-License-Identifier: Apache-2.0
"""mpicc and mpicxx: what they print, what they pass on, and when they link.

Usage: check_wrappers.py BIN_DIR WORK_DIR
"""
import os
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import empty_directory, expect, run


def main():
    bindir, work = pathlib.Path(sys.argv[1]).resolve(), empty_directory(sys.argv[2])
    mpicc = bindir / "mpicc"
    here = pathlib.Path(__file__).parent

    def shown(*arguments, **environment):
        wrapper = arguments[0] if isinstance(arguments[0], pathlib.Path) else mpicc
        rest = arguments[1:] if wrapper is arguments[0] else arguments
        return shlex.split(run(wrapper, *rest, env={**os.environ, **environment}).stdout)

    whole = shown("-show")
    expect("-lmpi_abi" in whole and f"-I{bindir.parent}/include" in whole, f"-show gave {whole}")
    expect("-lmpi_abi" not in shown("-show", "-c", "a.c"), "-c links")
    expect("-lmpi_abi" in shown("-show", "a.c", "-o", "a"), "a link without the library")
    expect("-pie" not in shown("-show", "-shared", "a.c"), "-pie with -shared")
    expect("a b.c" in shown("-show", "-c", "a b.c"), "a name with a space is not quoted")
    expect("it's" in shown("-show", "-c", "it's"), "a name with a quote is not quoted")
    expect(shown("--showme:libs") == ["mpi_abi"], "--showme:libs")
    expect(shown("--showme:incdirs") == [f"{bindir.parent}/include"], "--showme:incdirs")
    expect(shown("--showme:libdirs") == [f"{bindir.parent}/lib"], "--showme:libdirs")
    expect("-fPIC" in shown("--showme:compile"), "--showme:compile")
    expect("-lmpi_abi" in shown("--showme:link"), "--showme:link")
    expect(shown("-compile_info")[0] == whole[0] and shown("-link_info")[0] == whole[0], "-compile_info, -link_info")
    expect(shown("-show", MPICH_CC="clang")[0] == "clang", "MPICH_CC")
    expect(shown("-show", OMPI_CC="clang")[0] == "clang", "OMPI_CC")
    expect(shown("-show", LISLE_CC="ccache clang", OMPI_CC="gcc")[:2] == ["ccache", "clang"], "LISLE_CC")
    expect(shown("-show", "-cc=clang")[0] == "clang", "-cc=")
    for name in ("mpicxx", "mpic++"):
        expect(shown(bindir / name, "-show", LISLE_CXX="clang++")[0] == "clang++", name)
    run(mpicc, "--version")
    run(mpicc, "-showme:nonsense", status=1)

    # Through a symbolic link, and found in PATH.
    (work / "mpicc").symlink_to(mpicc)
    run(work / "mpicc", here / "program.c", "-o", "through_link", cwd=work)
    path = f"{bindir}{os.pathsep}{os.environ['PATH']}"
    run("mpicc", "-c", here / "program.c", "-o", "program.o", cwd=work, env={**os.environ, "PATH": path})
    run(mpicc, "program.o", "-o", "from_object", cwd=work)
    run("./from_object", cwd=work)
    header = run("readelf", "-hd", "from_object", cwd=work).stdout
    expect("DYN" in header and "RUNPATH" in header, f"no position-independent program with a run path: {header}")


if __name__ == "__main__":
    main()
