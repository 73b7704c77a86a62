#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that are built into a program or loaded in front of it have a copy for each rank, in every kind of rank."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from commands import LIMIT  # noqa: E402

HERE = pathlib.Path(__file__).parent
LAUNCHER = ""
WRAPPERS = ""
RANKS = 4
SHAPES = {
    "processes": ["-n", str(RANKS), "--ranks", "process"],
    "threads": ["-n", str(RANKS), "--ranks", "thread"],
    "fibers": ["-n", str(RANKS), "--ranks", "fiber"],
    "fibers of one worker": ["-n", str(RANKS), "--ranks", "fiber", "--workers", "1"],
    "two processes of two threads": ["-P", "2", "-T", "2"],
}


class Tools(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, *words, compiler="mpicc"):
        subprocess.run([f"{WRAPPERS}/{compiler}", *map(str, words)], cwd=self.folder, check=True)

    def job(self, options, *words, environment=None):
        done = subprocess.run([LAUNCHER, "-q", *options, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=LIMIT, check=False, env={**os.environ, **(environment or {})})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.splitlines())


class preloaded(Tools):
    """LD_PRELOAD."""

    def setUp(self):
        super().setUp()
        self.compile("-shared", "-fPIC", HERE / "tool.c", "-o", "libtool.so")
        self.compile(HERE / "program.c", "-o", "program")
        self.wanted = [f"tool: rank {rank}, 5 barriers, 5 reductions, preloaded 1" for rank in range(RANKS)]

    def test_by_the_environment(self):
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                tool = str(self.folder / "libtool.so")
                self.assertEqual(self.job(options, "./program", environment={"LD_PRELOAD": tool}), self.wanted)

    def test_by_an_option(self):
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                found = self.job([*options, "-x", f"LD_PRELOAD={self.folder}/libtool.so"], "./program")
                self.assertEqual(found, self.wanted)

    def test_by_its_name_alone(self):
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                found = self.job([*options, "-x", "LD_PRELOAD=libtool.so", "-x", f"LD_LIBRARY_PATH={self.folder}"],
                                 "./program")
                self.assertEqual(found, self.wanted)

    def test_linked(self):
        self.compile(HERE / "program.c", "-o", "linked", "-L.", "-ltool", "-Wl,-rpath,$ORIGIN")
        wanted = [line.replace("preloaded 1", "preloaded 0") for line in self.wanted]
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                self.assertEqual(self.job(options, "./linked"), wanted)

    def test_names_that_nobody_has(self):
        """A tool may refer to functions that nobody has, and never call them."""
        source = (HERE / "tool.c").read_text().replace("static int rank", "void nowhere_(void);\nstatic int rank")
        source = source.replace("++nested;", "++nested;\n    if (nested < 0) nowhere_();")
        (self.folder / "unfinished.c").write_text(source)
        self.compile("-shared", "-fPIC", "unfinished.c", "-o", "libunfinished.so")
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                found = self.job([*options, "-x", f"LD_PRELOAD={self.folder}/libunfinished.so"], "./program")
                self.assertEqual(found, self.wanted)


class coverage(Tools):
    """gcov: all ranks' counts are in the file of a source, as those of processes are."""

    def test_counts(self):
        self.compile("--coverage", "-O0", "-c", HERE / "program.c", "-o", "program.o")
        self.compile("--coverage", "program.o", "-o", "program")
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                for old in self.folder.glob("*.gcda"):
                    old.unlink()
                self.job(options, "./program")
                said = subprocess.run(["gcov", "-t", "-o", "program.gcda", str(HERE / "program.c")], cwd=self.folder,
                                      capture_output=True, text=True, check=True).stdout
                lines = [line.split(":") for line in said.splitlines()]
                counts = {line[2].strip(): line[0].strip() for line in lines if len(line) > 2}
                runs = sum(10 * (rank + 1) for rank in range(RANKS))
                self.assertEqual(counts["return number % 2 != 0 ? number"], str(runs))
                self.assertEqual(counts["MPI_Finalize();"], str(RANKS))


class profiles(Tools):
    """gprof: each rank writes the profile of its own calls."""

    def calls(self, file):
        """How often main has called the function."""
        said = subprocess.run(["gprof", "-b", "-q", "./program", file], cwd=self.folder, capture_output=True, text=True,
                              check=True).stdout
        lines = [line.split() for line in said.splitlines()]
        return [words[-3] for words in lines if len(words) > 3 and words[-2] == "main" and "/" in words[-3]]

    def test_files_by_rank(self):
        self.compile("-pg", "-O0", HERE / "program.c", "-o", "program")
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                self.job(options, "./program", environment={"GMON_OUT_PREFIX": "profile"})
                files = sorted(self.folder.glob("profile.*"))
                self.assertEqual(len(files), RANKS)
                found = sorted(self.calls(file)[0] for file in files)
                self.assertEqual(found, [f"{10 * (rank + 1)}/{10 * (rank + 1)}" for rank in range(RANKS)])
                for file in files:
                    file.unlink()

    def test_the_usual_name(self):
        self.compile("-pg", "-O0", HERE / "program.c", "-o", "program")
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                self.job(options, "./program")
                self.assertIn(self.calls("gmon.out")[0], [f"{10 * (rank + 1)}/{10 * (rank + 1)}" for rank in range(RANKS)])
                (self.folder / "gmon.out").unlink()


class languages(Tools):
    """Python with a C extension, and Fortran with units and namelists."""

    EXTENSION = """
#include <Python.h>
static long kept;
static PyObject *keep(PyObject *self, PyObject *number) {
    (void)self; kept += PyLong_AsLong(number); return PyLong_FromLong(kept);
}
static PyMethodDef methods[] = {{"keep", keep, METH_O, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "kept", "", -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_kept(void) { return PyModule_Create(&module); }
"""
    SCRIPT = """
import ctypes, os, sys
sys.path.insert(0, os.getcwd())
import kept
mpi = ctypes.CDLL(sys.argv[1])
mpi.MPI_Init(None, None)
rank = ctypes.c_int()
world = ctypes.c_void_p(0x101)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
kept.keep(rank.value)
mpi.MPI_Barrier(world)
numbers = "none"
try:
    import numpy
    numbers = str(int(numpy.arange(rank.value + 2).sum()))
except ImportError:
    pass
sys.stdout.write(f"rank {rank.value}: {kept.keep(1)} {numbers} {len(sys.argv)}\\n")
sys.stdout.flush()
mpi.MPI_Finalize()
"""
    FORTRAN = """
program units
  use mpi
  implicit none
  integer :: rank, ierror, number = 0, found
  character(len=20) :: name
  namelist /settings/ number
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  write (name, '(a,i0)') 'unit', rank
  open (unit=20, file=name, status='replace')
  number = rank * 7
  write (20, nml=settings)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  rewind (20)
  number = -1
  read (20, nml=settings)
  inquire (file=name, number=found)
  close (20)
  write (*, '(a,i0,a,i0,a,i0)') 'rank ', rank, ': ', number, ' unit ', found
  call MPI_Finalize(ierror)
end program
"""

    def compare(self, *words):
        wanted = self.job(SHAPES["processes"], *words)
        self.assertEqual(len(wanted), RANKS)
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                self.assertEqual(self.job(options, *words), wanted)
        return wanted

    def test_python(self):
        headers = sysconfig.get_paths()["include"]
        if not os.path.exists(f"{headers}/Python.h"):
            self.skipTest("Python's headers are not installed")
        (self.folder / "kept.c").write_text(self.EXTENSION)
        (self.folder / "script.py").write_text(self.SCRIPT)
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        self.compile("-shared", "-fPIC", f"-I{headers}", "kept.c", "-o", f"kept{suffix}")
        wanted = self.compare(sys.executable, "script.py", f"{WRAPPERS}/../lib/libmpi_abi.so.1")
        self.assertTrue(wanted[2].startswith("rank 2: 3 "), wanted)

    def test_fortran(self):
        if shutil.which("gfortran") is None or not os.path.exists(f"{WRAPPERS}/mpifort"):
            self.skipTest("there is no Fortran compiler")
        (self.folder / "units.f90").write_text(self.FORTRAN)
        self.compile("units.f90", "-o", "units", compiler="mpifort")
        wanted = self.compare("./units")
        self.assertEqual(wanted[3], "rank 3: 21 unit 20")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--wrappers", required=True)
    parser.add_argument("group")
    arguments = parser.parse_args()
    LAUNCHER, WRAPPERS = arguments.launcher, arguments.wrappers
    unittest.main(argv=[sys.argv[0], arguments.group])
