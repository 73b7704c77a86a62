# SPDX-License-Identifier: Apache-2.0
"""Ends of MPI ranks, as processes, as threads and mixed: the job ends within a second, and one sentence
says which rank ended how."""
import unittest

import launched

SHAPES = {
    "processes": ["-n", "4"],
    "threads": ["-n", "4", "--ranks", "thread"],
    "mixed": ["-P", "2", "-T", "2"],
}


class Ranks(launched.LauncherTest):
    def check(self, way, code, pattern, seconds=1.2):
        for name, shape in SHAPES.items():
            with self.subTest(way=way, shape=name):
                done = self.run_job("-q", *shape, launched.RANK_ENDS, way, 2)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, pattern)
                self.assert_quick(done.seconds, seconds)
                self.assertEqual(done.stdout, "")

    def test_a_good_end(self):
        for name, shape in SHAPES.items():
            with self.subTest(shape=name):
                done = self.run_job("-q", *shape, launched.RANK_ENDS)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "")
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {i}" for i in range(4)])

    def test_labels(self):
        for name, shape in SHAPES.items():
            with self.subTest(shape=name):
                done = self.run_job("-q", "-l", *shape, launched.RANK_ENDS)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(done.stdout.splitlines()), [f"[{i}] rank {i}" for i in range(4)])

    def test_binding(self):
        for name, shape in SHAPES.items():
            with self.subTest(shape=name):
                done = self.run_job("-q", "--bind-to", "core", *shape, launched.RANK_ENDS, "cores", 0)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 [f"rank {i} may use 1 of the cores" for i in range(4)])

    def test_abort(self):
        self.check("abort", 7, r"^lislerun: rank 2 called MPI_Abort with code 7(; the job is stopped)?\n$")

    def test_exit_without_finalize(self):
        self.check("exit", 5, r"lislerun: rank 2 \(.*process \d+, .*\) ended with exit code 5 before MPI_Finalize")
        self.check("exit0", 1, r"lislerun: rank 2 \(.*process \d+, .*\) ended without calling MPI_Finalize")

    @unittest.skipIf(launched.SANITIZED, "sanitizers handle faults")
    def test_faults(self):
        self.check("fault", 139, r"lislerun: rank 2 \(.*\) was ended by SIGSEGV \(Segmentation fault\)")
        self.check("abort_call", 134, r"lislerun: rank 2 \(.*\) was ended by SIGABRT \(Aborted\)")

    def test_a_killed_rank(self):
        self.check("signal", 137, r"lislerun: ranks? (2|0 to 3|2 to 3) \(.*\) w(as|ere) ended by SIGKILL \(Killed\)")

    @unittest.skipIf(launched.SANITIZED, "sanitizers handle faults")
    def test_the_address_of_a_fault(self):
        self.check("fault", 139, r"rank 2 \(.*\) was ended by .* at address 0x10(, core dumped)?(; |$)")
        done = self.run_job("-q", "-n", 4, "--ranks", "thread", launched.RANK_ENDS, "fault", 2)
        self.assertIn("rank 2 (a thread of process", done.stderr)

    def test_exit_code_after_finalize(self):
        for name, shape in SHAPES.items():
            with self.subTest(shape=name):
                done = self.run_job(*shape, launched.RANK_ENDS, "after_finalize", 1)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("rank 1 (", done.stderr)
                self.assertEqual(len(done.stdout.splitlines()), 4)

    def test_a_program_in_front_of_a_thread_rank(self):
        done = self.run_job("-q", "-n", 1, "--ranks", "thread", "nice", launched.RANK_ENDS)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("put it in front of the launcher", done.stderr)
        self.assertIn("--ranks process", done.stderr)
        self.assertNotIn("descriptor", done.stderr)

    @unittest.skipIf(launched.SANITIZED, "sanitizers handle faults")
    def test_a_fault_of_the_only_thread_rank(self):
        done = self.run_job("-q", "-n", 1, "--ranks", "thread", launched.RANK_ENDS, "fault", 0)
        self.assertRegex(done.stderr, r"rank 0 \(a thread of process \d+, .*\) was ended by SIGSEGV .* at address 0x10")

    def test_exit_before_init(self):
        done = self.run_job("-q", "-n", 3, launched.RANK_ENDS, "before_init", 1)
        self.assertEqual(done.returncode, 6)

    def test_a_program_that_a_rank_starts_may_ask_whether_mpi_has_begun(self):
        for kind in "process", "thread", "fiber":
            done = self.run_job("-q", "-n", 2, "--ranks", kind, launched.RANK_ENDS, "starts", 1)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("initialized 0, finalized 0\n", done.stdout)

    def test_foreign_launchers(self):
        # Started by lislerun inside another launcher's job, and by the other launcher itself.
        foreign = {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4"}
        done = self.run_job("-q", "-n", 2, launched.RANK_ENDS, env=foreign)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_job("-q", "sh", "-c", f"unset LISLE_JOB; exec {launched.RANK_ENDS}", env=foreign)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("one of 4 tasks by srun", done.stderr)


if __name__ == "__main__":
    launched.main()
