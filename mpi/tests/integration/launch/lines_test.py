# SPDX-License-Identifier: Apache-2.0
"""What ranks have printed before their job is stopped is there, whatever stops it, in each kind of rank."""
import os
import signal
import subprocess
import tempfile

import launched

KINDS = "process", "thread", "fiber"
ENDS = "abort", "exit", "error", "fault", "kill", "told"
LINES = os.environ["LISLE_TEST_LAST_LINES"]
RECORDS = os.environ.get("LISLE_TEST_LAST_RECORDS", "")
ALL = os.environ.get("LISLE_TEST_ALL") == "1"
WANTED = ["printed by rank 0", "printed by rank 1"]


def some_ends_of(kind):
    """Each end in one of the kinds: that all kinds know all of them is shown with one kind of output."""
    return ENDS if ALL else ENDS[(KINDS.index(kind) + 1) % len(KINDS)::len(KINDS)]


class Lines(launched.LauncherTest):
    def printed(self, kind, end, *program, **more):
        options = ["-q", "-n", 2, "--ranks", kind, *more.pop("options", [])]
        if end == "told":
            return self.printed_until_told(*options, *program)
        done = self.run_job(*options, *program, **more)
        self.assertNotEqual(done.returncode, 0)
        return sorted(done.stdout.splitlines())

    def printed_until_told(self, *command):
        job = self.start_job(*command)
        while job.stderr.readline().strip() != "ready":
            self.assertIsNone(job.poll(), "the job has ended too soon")
        job.send_signal(signal.SIGTERM)
        code, out, _ = self.finish(job)
        self.assertEqual(code, 128 + signal.SIGTERM)
        return sorted(out.splitlines())

    def check(self, *program, ends_of=lambda _: ENDS):
        for kind in KINDS:
            for end in ends_of(kind):
                with self.subTest(kind=kind, end=end, program=program):
                    self.assertEqual(self.printed(kind, end, *program, end), WANTED)

    def test_stdio(self):
        self.check(LINES, "stdio")

    def test_cout(self):
        self.check(LINES, "cout", ends_of=some_ends_of)

    def test_cout_with_a_buffer_of_its_own(self):
        self.check(LINES, "own_cout", ends_of=some_ends_of)

    def test_records_of_fortran(self):
        if not RECORDS:
            self.skipTest("no Fortran compiler")
        self.check(RECORDS, ends_of=some_ends_of)

    def test_beside_a_rank_that_computes_for_ever(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                one = ["--workers", 1] if kind == "fiber" else []
                self.assertEqual(self.printed(kind, "abort", LINES, "computing", "abort", options=one), WANTED)

    def test_a_time_limit(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                limit = ["--timeout", min(2 * launched.slowness(), launched.LIMIT / 3)]
                self.assertEqual(self.printed(kind, "time", LINES, "stdio", "time", options=limit), WANTED)

    def test_labelled(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.assertEqual(self.printed(kind, "abort", LINES, "stdio", "abort", options=["--label"]),
                                 [f"[{rank}] {line}" for rank, line in enumerate(WANTED)])

    def test_into_a_file(self):
        for kind in KINDS:
            for program in [LINES, "stdio"], [LINES, "own_cout"], [RECORDS]:
                with self.subTest(kind=kind, program=program), tempfile.TemporaryFile("w+") as file:
                    if program[0]:
                        subprocess.run([launched.LAUNCHER, "-q", "-n", "2", "--ranks", kind, *program, "kill"], stdout=file,
                                       stderr=subprocess.DEVNULL, timeout=launched.LIMIT, env=self.environment(), check=False)
                        file.seek(0)
                        self.assertEqual(sorted(file.read().splitlines()), WANTED)

    def test_an_incomplete_line_of_the_rank_that_aborts_while_input_is_awaited(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                never, keeps_it_open = os.pipe()
                self.assertEqual(self.printed(kind, "abort", LINES, "asking", "abort", stdin=never), ["what next? "])
                os.close(never)
                os.close(keeps_it_open)


if __name__ == "__main__":
    launched.main()
