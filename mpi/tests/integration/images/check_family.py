#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A C++ program with two libraries of its own says the same as 64 processes, as 64 threads and as a mixture."""

import argparse
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from commands import LIMIT  # noqa: E402

LAUNCHER = ""
PROGRAMS = ""
RANKS = 64


def lines_of_ranks(program, *options):
    """What each rank says, in its order."""
    variables = dict(os.environ, OMP_WAIT_POLICY="passive")
    command = [LAUNCHER, "--oversubscribe", "-n", str(RANKS), *options, os.path.join(PROGRAMS, program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3 * LIMIT, env=variables, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    said = {rank: [] for rank in range(RANKS)}
    for line in done.stdout.splitlines():
        rank, text = re.fullmatch(r"\[(\d+)\] (.*)", line).groups()
        said[int(rank)].append(text)
    return said


class Family(unittest.TestCase):
    maxDiff = None

    @unittest.skipIf("thread" in os.environ.get("SANITIZED", ""), "libgomp hides its locks from the sanitizer")
    def test_shapes_agree(self):
        for flavour in ("pie", "pic"):
            processes = lines_of_ranks(f"family_{flavour}", "--ranks", "process")
            with self.subTest(flavour):
                self.check_content(processes)
                self.assertEqual(lines_of_ranks(f"family_{flavour}", "--ranks", "thread"), processes)
                self.assertEqual(lines_of_ranks(f"family_{flavour}", "-P", "4"), processes)

    def check_content(self, said):
        """That the program shows what it is meant to show."""
        for rank, lines in said.items():
            self.assertIn("header 3 registry 2 2 3", lines)
            self.assertIn(f"caught inner failure of rank {rank} {rank + 1} 11inner_error", lines)
            self.assertIn(f"sum {RANKS * (RANKS - 1) // 2}", lines)
            self.assertIn("number 255" if rank % 2 else "number ff", lines)
            self.assertIn("handler of the outer library", lines)
            self.assertEqual(sum(line.startswith("end ") for line in lines), 10, "\n".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--programs", required=True)
    options, rest = parser.parse_known_args()
    LAUNCHER = options.launcher
    PROGRAMS = options.programs
    unittest.main(argv=[sys.argv[0], *rest])
