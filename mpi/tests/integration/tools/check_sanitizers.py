#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs built with a sanitizer run as threads and fibers: a fault in one rank's code is reported with its line and the rank,
and sound programs are silent. ThreadSanitizer knows the orders that MPI calls make, in processes as well.

Usage: check_sanitizers.py --launcher LISLERUN --wrappers FOLDER [--compiler gcc|clang] GROUP
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from commands import LIMIT  # noqa: E402

HERE = pathlib.Path(__file__).parent
PLANTED, ORDERED = HERE / "planted.c", HERE / "ordered.c"
LAUNCHER = ""
WRAPPERS = ""
COMPILER = "gcc"
RANKS = 4
SHAPES = {"processes": ["--ranks", "process"], "threads": ["--ranks", "thread"], "fibers": ["--ranks", "fiber"],
          "fibers of one worker": ["--ranks", "fiber", "--workers", "1"]}  # fmt: skip
WITHIN = [name for name in SHAPES if name != "processes"]  # ranks of one process
OPTIONS = {"ASAN_OPTIONS": "", "TSAN_OPTIONS": "", "LSAN_OPTIONS": "", "UBSAN_OPTIONS": "print_stacktrace=0"}


def line_of(fault, source=PLANTED):
    """Where the source has its mark."""
    lines = source.read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if f"/* {fault} */" in line)


class Sanitized(unittest.TestCase):
    maxDiff = None
    sanitizer = ""

    def setUp(self):
        if not self.sanitizer:
            self.skipTest("of no sanitizer")
        if shutil.which(COMPILER) is None:
            self.skipTest(f"there is no {COMPILER}")
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, *more, source=PLANTED, shared=True):
        flags = ["-g", "-O0", f"-fsanitize={self.sanitizer}", *more]
        if COMPILER == "clang" and shared:
            runtime = subprocess.run(["clang", "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True,
                                     check=True).stdout  # fmt: skip
            flags += ["-shared-libsan", f"-Wl,-rpath,{os.path.dirname(runtime)}"]
        done = subprocess.run([f"{WRAPPERS}/mpicc", f"-cc={COMPILER}", *flags, str(source), "-o", "program", "-lpthread"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0 and "annot find" in done.stderr:
            self.skipTest(f"{COMPILER} has no runtime of -fsanitize={self.sanitizer}")
        self.assertEqual(done.returncode, 0, done.stderr)
        if COMPILER == "clang" and shared:  # clang 14's shared runtime of ThreadSanitizer crashes in every program
            alone = subprocess.run(["./program"], cwd=self.folder, capture_output=True, check=False, env={**os.environ, **OPTIONS})
            if alone.returncode == -signal.SIGSEGV:
                self.skipTest(f"clang's shared runtime of -fsanitize={self.sanitizer} does not work")

    def job(self, shape, *words):
        command = [LAUNCHER, "-n", str(RANKS), *SHAPES[shape], "./program", *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=LIMIT, check=False,
                              env={**os.environ, **OPTIONS})

    def check_silent(self):
        rounds = 20 * (sum(range(RANKS))) + RANKS * sum(range(20))
        for shape in WITHIN:
            with self.subTest(ranks=shape):
                done = self.job(shape)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {rank}: {rounds}, 1" for rank in range(RANKS)])

    def check_found(self, fault, what, rank_is_said):
        place = rf"planted\.c:{line_of(fault)}\b"
        for shape in WITHIN:
            with self.subTest(ranks=shape, fault=fault):
                said = self.job(shape, fault).stderr
                self.assertRegex(said, what)
                self.assertRegex(said, place)
                self.assertRegex(said, rank_is_said)
                self.assertIsNone(re.search(r"(of|by) rank [013]\b", said), said)


class address(Sanitized):
    sanitizer = "address"

    def test_all(self):
        self.build()
        self.check_silent()
        self.check_found("overflow", "heap-buffer-overflow", "above is of rank 2\n")
        self.check_found("local", "stack-buffer-overflow", "above is of rank 2\n")
        self.check_found("leak", "Direct leak of 77 byte", "allocated by rank 2\n")


class thread(Sanitized):
    sanitizer = "thread"

    def test_all(self):
        self.build()
        self.check_silent()
        self.check_found("race", "data race", "above is of rank 2\n")


class orders(Sanitized):
    """What ranks and threads hand over by MPI calls is in order, and all else is not."""

    sanitizer = "thread"
    ranks_only = ("after_send", "before_bcast", "shared_locks")  # in memory that processes do not look at for each other

    def test_all(self):
        self.build(source=ORDERED, shared=COMPILER == "gcc")
        for name in ("processes", *(WITHIN if COMPILER == "gcc" else ())):  # clang's runtime is part of the program
            with self.subTest(ranks=name):
                done = self.job(name)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {rank}: 0 errors" for rank in range(RANKS)])
            for race in ("threads", *(self.ranks_only if name != "processes" else ())):
                with self.subTest(ranks=name, race=race):
                    said = self.job(name, race).stderr
                    self.assertRegex(said, "data race")
                    self.assertRegex(said, rf"ordered\.c:{line_of(race, ORDERED)}\b")


class leak(Sanitized):
    sanitizer = "leak"

    def test_all(self):
        if COMPILER == "clang":
            self.skipTest("clang's runtime is part of the program")
        self.build()
        self.check_silent()
        self.check_found("leak", "Direct leak of 77 byte", "allocated by rank 2\n")


class undefined(Sanitized):
    sanitizer = "undefined"

    def test_all(self):
        self.build()
        self.check_silent()
        self.check_found("undefined", "signed integer overflow", "below is of rank 2\n")


class refused(Sanitized):
    """A runtime within the program would come once for each rank."""

    sanitizer = "address"

    def test_runtime_inside(self):
        done = subprocess.run([f"{WRAPPERS}/mpicc", "-cc=gcc", "-fsanitize=address", "-static-libasan", str(PLANTED), "-o", "program",
                               "-lpthread"], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("there is no static runtime")
        for shape in WITHIN:
            with self.subTest(ranks=shape):
                done = self.job(shape)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("it holds the runtime of AddressSanitizer, which each rank would bring along, and a process has room "
                              "for one; link it with the runtime as a shared library", done.stderr)


class valgrind(Sanitized):
    """No sanitizer, but it finds the same: with the lines of the rank's image."""

    sanitizer = "none"

    def test_overflow(self):
        if shutil.which("valgrind") is None:
            self.skipTest("there is no valgrind")
        subprocess.run([f"{WRAPPERS}/mpicc", "-g", "-O0", str(PLANTED), "-o", "program", "-lpthread"], cwd=self.folder, check=True)
        for shape in ("threads", "fibers"):
            with self.subTest(ranks=shape):
                command = ["valgrind", "-q", "--trace-children=yes", LAUNCHER, "-n", str(RANKS), *SHAPES[shape], "./program", "overflow"]
                said = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=4 * LIMIT,
                                      check=False).stderr  # fmt: skip
                self.assertRegex(said, rf"Invalid write of size 1\n.*write_behind \(planted\.c:{line_of('overflow')}\)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--wrappers", required=True)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("group")
    arguments = parser.parse_args()
    LAUNCHER, WRAPPERS, COMPILER = arguments.launcher, arguments.wrappers, arguments.compiler
    unittest.main(argv=[sys.argv[0], arguments.group])
