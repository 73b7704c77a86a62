#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public libraries with state of their own give thread and fiber ranks, with no option, the results that they give
processes. A library that is not installed is left out, and said so."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from commands import LIMIT  # noqa: E402

WRAPPERS = ""
LAUNCHER = ""
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "libraries")
RANKS = 8


def from_pkg_config(*names):
    done = subprocess.run(["pkg-config", "--cflags", "--libs", *names], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def compile_program(folder, source, options):
    compiler = os.path.join(WRAPPERS, "mpicxx" if source.endswith("cpp") else "mpicc")
    program = os.path.join(folder, source.partition(".")[0])
    done = subprocess.run([compiler, "-O1", os.path.join(SOURCES, source), *options, "-o", program],
                          capture_output=True, text=True, check=False)
    return program if done.returncode == 0 else None


def run(program, kind):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([LAUNCHER, "-q", "-n", str(RANKS), "--ranks", kind, program, folder],
                              capture_output=True, text=True, timeout=3 * LIMIT, check=False)


class Libraries(unittest.TestCase):
    maxDiff = None

    def compare(self, source, options):
        with tempfile.TemporaryDirectory() as folder:
            program = compile_program(folder, source, options or [])
            if options is None or program is None:
                print(f"MISSING: the library of {source} is not installed", flush=True)
                self.skipTest("not installed")
            wanted = run(program, "process")
            self.assertEqual((wanted.returncode, wanted.stderr), (0, ""), wanted.stdout)
            self.assertEqual(len(wanted.stdout.splitlines()), RANKS)
            for kind in ("thread", "fiber"):
                for _ in range(3):
                    with self.subTest(kind):
                        done = run(program, kind)
                        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                        self.assertEqual(sorted(done.stdout.splitlines()), sorted(wanted.stdout.splitlines()))

    def test_fftw3(self):
        self.compare("fftw3.c", from_pkg_config("fftw3"))

    def test_gsl(self):
        self.compare("gsl.c", from_pkg_config("gsl"))

    def test_hdf5(self):
        self.compare("hdf5.c", from_pkg_config("hdf5-serial"))

    def test_sqlite(self):
        self.compare("sqlite.c", from_pkg_config("sqlite3"))

    def test_zlib(self):
        self.compare("zlib.c", from_pkg_config("zlib"))

    def test_lua(self):
        self.compare("lua.c", from_pkg_config("lua5.4"))

    def test_openblas(self):
        self.compare("openblas.c", from_pkg_config("openblas"))

    def test_python(self):
        self.compare("python.c", from_pkg_config("python3-embed"))

    def test_png(self):
        self.compare("png.c", from_pkg_config("libpng"))

    def test_boost_serialization(self):
        self.compare("boost_serialization.cpp", ["-lboost_serialization"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--wrappers", required=True)
    known, rest = parser.parse_known_args()
    LAUNCHER = known.launcher
    WRAPPERS = known.wrappers
    unittest.main(argv=[sys.argv[0], *rest])
