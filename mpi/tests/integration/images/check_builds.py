#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds one program with mpicc, by every linker that is here and with options that change what its image looks
like, and runs each as processes, threads and fibers."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from commands import LIMIT  # noqa: E402

WRAPPERS = pathlib.Path()
LAUNCHER = ""
SOURCE = pathlib.Path(__file__).parent / "programs/kinds/built.c"
KINDS = ("process", "thread", "fiber")
RANKS = 4

LINKERS = [[], ["-fuse-ld=bfd"], ["-fuse-ld=gold"], ["-fuse-ld=lld"]]
WAYS = {
    "optimised over the whole program": ["-flto", "-O2"],
    "packed relocations": ["-Wl,-z,pack-relative-relocs"],
    "bound at the start": ["-Wl,-z,now"],
    "bound late": ["-Wl,-z,lazy"],
    "GNU hash table only": ["-Wl,--hash-style=gnu"],
    "System V hash table only": ["-Wl,--hash-style=sysv"],
    "exported names": ["-rdynamic"],
    "sections of their own": ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
    "stripped": ["-s"],
    "separate code": ["-Wl,-z,separate-code"],
    "no separate code": ["-Wl,-z,noseparate-code"],
}
MODELS = ("global-dynamic", "local-dynamic", "initial-exec", "local-exec")


class Builds(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.program = pathlib.Path(holder.name) / "built"

    def builds(self, options):
        """False: the compiler or linker does not know the options."""
        words = [WRAPPERS / "mpicc", "-o", self.program, SOURCE, *options]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)
        return done.returncode == 0 and "unrecognized" not in done.stderr and "warning: -z" not in done.stderr

    def assert_runs(self, options, kinds=KINDS):
        for kind in kinds:
            with self.subTest(options=options, kind=kind):
                words = [LAUNCHER, "-q", "-n", str(RANKS), "--ranks", kind, self.program]
                done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 [f"rank {i}: {RANKS} of {RANKS} are good" for i in range(RANKS)])

    def test_linkers(self):
        ran = [options for options in LINKERS if self.builds(options) and self.assert_runs(options) is None]
        self.assertIn([], ran)

    def test_ways_to_link(self):
        ran = [way for way, options in WAYS.items() if self.builds(options) and self.assert_runs(options) is None]
        self.assertIn("stripped", ran)

    def test_models_of_thread_local_variables(self):
        for model in MODELS:
            for position in ("-fPIE", "-fPIC"):
                options = ["-DTHREADS", f"-ftls-model={model}", position]
                if self.builds(options):
                    self.assert_runs(options, ("process", "thread"))
        self.assertTrue(self.builds(["-DTHREADS"]))
        done = subprocess.run([LAUNCHER, "-q", "-n", "2", "--ranks", "fiber", self.program],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--ranks thread", done.stderr)

    def test_four_gigabytes_of_zeros(self):
        options = ["-DLARGE=4294967296UL", "-mcmodel=large"]
        built = self.builds(options)
        if "aarch64" in subprocess.run([WRAPPERS / "mpicc", "-dumpmachine"], capture_output=True, text=True, check=True).stdout:
            self.assertFalse(built)  # its large model is for fixed addresses alone
            return
        self.assertTrue(built)
        self.assert_runs(options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--wrappers", required=True)
    known, rest = parser.parse_known_args()
    LAUNCHER = known.launcher
    WRAPPERS = pathlib.Path(known.wrappers)
    unittest.main(argv=[sys.argv[0], *rest])
