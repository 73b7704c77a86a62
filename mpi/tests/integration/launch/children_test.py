# SPDX-License-Identifier: Apache-2.0
"""Programs that a rank starts: each is a job of one, however it is started. What stands in front of a program is no rank,
and may close all descriptors: the program behind it is the rank."""
import itertools
import os
import sys

import launched

CHILDREN = os.environ["LISLE_TEST_CHILDREN"]
CLOSING = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], close_fds=True).returncode)"


class Children(launched.LauncherTest):
    def test_a_child_of_a_rank_is_a_job_of_one(self):
        for way, kind in itertools.product(("starts", "closes"), ("process", "thread", "fiber")):
            with self.subTest(way=way, kind=kind):
                done = self.run_job("-q", "-n", 3, "--ranks", kind, CHILDREN, way)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), ["a rank of 3"] * 3 + ["a world of 1"] * 6)

    def test_a_program_behind_one_that_closes_descriptors_is_a_rank(self):
        done = self.run_job("-q", "-n", 3, sys.executable, "-c", CLOSING, CHILDREN, "world")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), ["a world of 3"] * 3)

    def test_a_second_program_of_a_rank_is_refused(self):
        done = self.run_job("-q", "-n", 2, "sh", "-c", f"{CHILDREN} world && {CHILDREN} world")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has been in MPI before and has ended: start each program with a lislerun of its own", done.stderr)
        self.assertEqual(done.stdout.splitlines(), ["a world of 2"] * 2)


if __name__ == "__main__":
    launched.main()
