# SPDX-License-Identifier: Apache-2.0
"""Labelled output: whole lines, nothing lost, nothing mixed, and no deadlock if a reader is slow."""
import collections
import os
import subprocess
import time

import launched


class Output(launched.LauncherTest):
    def test_labels(self):
        for option in ("--label", "-l", "--tag-output"):
            done = self.run_job("-q", option, "-n", 3, "sh", "-c", "echo out; echo err >&2")
            self.assertEqual(sorted(done.stdout.splitlines()), ["[0] out", "[1] out", "[2] out"])
            self.assertEqual(sorted(done.stderr.splitlines()), ["[0] err", "[1] err", "[2] err"])

    def test_empty_lines_and_a_last_line_without_end(self):
        done = self.run_job("-l", "printf", "\\n\\na\\nb")
        self.assertEqual(done.stdout, "[0] \n[0] \n[0] a\n[0] b\n")

    def test_lines_written_in_pieces_stay_whole(self):
        program = "for i in 1 2 3 4 5; do printf $LISLE_RANK; sleep 0.01; printf \"_$i\\n\"; done"
        done = self.run_job("-q", "-l", "-n", 4, "sh", "-c", program)
        expected = [f"[{rank}] {rank}_{i}" for rank in range(4) for i in range(1, 6)]
        self.assertEqual(sorted(done.stdout.splitlines()), expected)

    def test_big_outputs(self):
        program = ("import os, sys\nrank = os.environ['LISLE_RANK']\n"
                   "for i in range(20000): print(rank, i, 'x' * (i % 300))\n"
                   "sys.stderr.write(rank * 100000)")
        done = self.run_job("-q", "-l", "-n", 3, "python3", "-c", program)
        lines = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            label, rest = line.split(" ", 1)
            lines[label].append(rest)
        for rank in range(3):
            self.assertEqual(lines[f"[{rank}]"], [f"{rank} {i} {'x' * (i % 300)}" for i in range(20000)])
        self.assertEqual(sorted(done.stderr.splitlines()), [f"[{r}] " + str(r) * 100000 for r in range(3)])

    def test_a_line_of_5_megabytes_is_cut(self):
        done = self.run_job("-l", "python3", "-c", "print('y' * 5000000)")
        lines = done.stdout.splitlines()
        self.assertEqual("".join(line[4:] for line in lines), "y" * 5_000_000)
        self.assertTrue(all(line.startswith("[0] ") for line in lines))
        self.assertEqual(len(lines), 5)

    def test_a_slow_reader_slows_but_loses_nothing(self):
        job = self.start_job("-q", "-l", "-n", 2, "seq", 200000)
        time.sleep(0.5)  # pipes are full now
        code, out, _ = self.finish(job)
        self.assertEqual((code, len(out.splitlines())), (0, 400000))

    def test_memory_stays_bounded_when_nobody_reads(self):
        job = self.start_job("-q", "-l", "yes")
        self.wait_until(lambda: len(launched.marked(self.mark)) > 2, 5, "the rank does not begin")
        time.sleep(1)
        for pid in launched.marked(self.mark):
            with open(f"/proc/{pid}/statm", encoding="ascii") as sizes:
                size = int(sizes.read().split()[1]) * os.sysconf("SC_PAGESIZE")
            self.assertLess(size, 128 << 20 if launched.SANITIZED else 32 << 20)
        job.terminate()
        self.assertEqual(job.wait(timeout=launched.LIMIT), 143)
        self.assertRegex(job.stderr.read(), r"nobody reads the job's output: its last \d+ bytes are lost")
        job.stdout.close()
        job.stderr.close()

    def test_a_failed_job_waits_for_its_reader_until_it_is_told_to_end(self):
        job = self.start_job("-q", "-l", "sh", "-c", "seq 100000; exit 3")
        self.wait_until(lambda: len(launched.marked(self.mark)) <= 2, 5, "the rank does not end")
        with self.assertRaises(subprocess.TimeoutExpired):
            job.wait(timeout=2)
        job.terminate()
        self.assertEqual(job.wait(timeout=launched.LIMIT), 3)
        job.stdout.close()
        job.stderr.close()

    def test_the_job_is_watched_while_nobody_reads(self):
        job = self.start_job("-q", "-l", "-n", 2, "sh", "-c", "test $LISLE_RANK = 0 && exec yes; sleep 0.5; exit 3")
        self.wait_until(lambda: len(launched.marked(self.mark)) >= 4, 5, "the ranks do not start")
        begin = time.monotonic()
        self.wait_until(lambda: len(launched.marked(self.mark)) <= 2, 5, "the failed rank was not noticed")
        self.assert_quick(time.monotonic() - begin, 2)
        job.stdout.close()
        job.stderr.close()
        self.assertEqual(job.wait(timeout=launched.LIMIT), 3)

    def test_a_reader_that_leaves(self):
        for options in ([], ["-l"]):
            command = [launched.LAUNCHER, "-q", *options, "-n", "2", "yes"]
            job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=self.environment())
            job.stdout.readline()
            job.stdout.close()
            self.assertNotEqual(job.wait(timeout=launched.LIMIT), 0)

    def test_a_full_disk_is_said(self):
        for kind in "process", "thread", "fiber":
            for options in ["--label"], ["--timestamp-output"]:
                with self.subTest(kind=kind, options=options), open("/dev/full", "wb") as full:
                    done = subprocess.run([launched.LAUNCHER, "-q", "-n", "2", "--ranks", kind, *options, launched.RANK_ENDS],
                                          stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
                                          timeout=launched.LIMIT, env=self.environment(), check=False)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertRegex(done.stderr, r"^lisle(run|-host): cannot write the output of ranks: No space left on device\n$")

    def test_a_full_disk_behind_a_file_of_a_rank(self):
        for kind in "process", "thread", "fiber":
            with self.subTest(kind=kind):
                done = self.run_job("-q", "-n", 2, "--ranks", kind, "--label", "-outfile-pattern", "/dev/full", launched.RANK_ENDS)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, "lislerun: cannot write the output of ranks to /dev/full: No space left on device\n")

    def test_what_a_failed_rank_has_printed_is_not_lost(self):
        done = self.run_job("-q", "-l", "sh", "-c", "seq 1000; kill -KILL $$")
        self.assertEqual(len(done.stdout.splitlines()), 1000)


if __name__ == "__main__":
    launched.main()
