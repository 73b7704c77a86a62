# SPDX-License-Identifier: Apache-2.0
"""What options of the standard's mpiexec and of other launchers do, beyond being accepted."""
import glob
import os
import platform
import re
import signal
import tempfile
import unittest

import launched

KINDS = ("process", "thread", "fiber")
RANK = ("sh", "-c", "echo $LISLE_RANK of $LISLE_SIZE")


def files(folder):
    """Names and contents of all files in a folder."""
    found = {}
    for path in glob.glob(f"{folder}/**", recursive=True):
        if os.path.isfile(path):
            with open(path, encoding="ascii") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Options(launched.LauncherTest):
    def setUp(self):
        super().setUp()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def assert_ranks(self, count, *options):
        done = self.run_job(*options, *RANK)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{i} of {count}" for i in range(count)], done.stderr)
        self.assertEqual(done.stderr, "")

    def test_hosts_and_maps_say_how_many_ranks(self):
        self.assert_ranks(2, "-H", "localhost,localhost")
        self.assert_ranks(2, "-map-by", "ppr:2:node")
        self.assert_ranks(3, "-hostfile", self.file("hosts", "localhost slots=3\n"))
        self.assert_ranks(2, "-machinefile", self.file("machines", platform.node() + ":2\n"))
        self.assert_ranks(3, "-n", 4, "-soft", "1:9:2")
        self.assert_ranks(2, "-arch", platform.machine(), "-n", 2)

    def test_programs_from_a_file(self):
        path = self.file("jobs", "# a job\n-n 1 echo one\n-n 2 sh -c 'echo \"two  $LISLE_RANK\"'\n")
        done = self.run_job("-configfile", path)
        self.assertEqual(sorted(done.stdout.splitlines()), ["one", "two  1", "two  2"])
        done = self.run_job("-file", self.file("options", "-n 2\n-x V=7\n"), "sh", "-c", "echo $V")
        self.assertEqual(done.stdout, "7\n7\n")

    def test_path(self):
        os.chmod(self.file("strange-name", "#!/bin/sh\necho found\n"), 0o755)
        self.assertEqual(self.run_job("-path", f"/nonexistent:{self.folder}", "strange-name").stdout, "found\n")

    def test_initial_error_handler(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                options = ("-q", "-n", 2, "--ranks", kind)
                done = self.run_job(*options, "-initial-errhandler", "mpi_errors_return", launched.RANK_ENDS,
                                    "wrong_call", 1)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                done = self.run_job(*options, launched.RANK_ENDS, "wrong_call", 1)
                self.assertNotEqual(done.returncode, 0)

    def test_output_in_a_directory(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                folder = os.path.join(self.folder, kind)
                done = self.run_job("-q", "-n", 11, "--ranks", kind, "--output-filename", folder, launched.RANK_ENDS)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(done.stdout.splitlines()), 11)
                expected = {f"1/rank.{i:02}/stdout": f"rank {i}\n" for i in range(11)}
                self.assertEqual(files(folder), {**expected, **{f"1/rank.{i:02}/stderr": "" for i in range(11)}})
                done = self.run_job("-q", "-n", 2, "--ranks", kind, "--output", f"file={folder}/x/n,nocopy",
                                    launched.RANK_ENDS)
                self.assertEqual(done.stdout, "")
                self.assertEqual(files(f"{folder}/x"), {"n.0.out": "rank 0\n", "n.1.out": "rank 1\n",
                                                        "n.0.err": "", "n.1.err": ""})

    def test_output_by_patterns(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                folder = os.path.join(self.folder, kind)
                done = self.run_job("-q", "-n", 2, "--ranks", kind, "-outfile-pattern", f"{folder}/o.%r.%h",
                                    launched.RANK_ENDS)
                self.assertEqual((done.returncode, done.stdout), (0, ""))
                self.assertEqual(files(folder), {f"o.{i}.{platform.node()}": f"rank {i}\n" for i in range(2)})
        one = f"{self.folder}/all"
        self.run_job("-q", "-n", 3, "-outfile-pattern", one, "-errfile-pattern", one, "sh", "-c",
                     "echo out; echo err >&2")
        with open(one, encoding="ascii") as file:
            self.assertEqual(sorted(file.read().split()), ["err"] * 3 + ["out"] * 3)

    def test_lines_with_patterns_times_and_merged(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                start = ("-q", "-n", 2, "--ranks", kind)
                done = self.run_job(*start, "-prepend-pattern", "<%r> ", launched.RANK_ENDS)
                self.assertEqual(sorted(done.stdout.splitlines()), ["<0> rank 0", "<1> rank 1"])
                done = self.run_job(*start, "-timestamp-output", "-l", launched.RANK_ENDS)
                lines = [re.sub(r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ", "", line)
                         for line in done.stdout.splitlines()]
                self.assertEqual(sorted(lines), ["[0] rank 0", "[1] rank 1"])
        done = self.run_job("-q", "-n", 2, "--output", "merge,tag", "sh", "-c", "echo err >&2")
        self.assertEqual((sorted(done.stdout.splitlines()), done.stderr), (["[0] err", "[1] err"], ""))

    def test_files_that_cannot_be_written(self):
        done = self.run_job("-n", 2, "--output-filename", "/dev/null/x", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/null/x", done.stderr)
        if os.path.exists("/dev/full"):
            done = self.run_job("-q", "-l", "-outfile-pattern", "/dev/full", "--ranks", "thread", launched.RANK_ENDS)
            self.assertEqual(done.returncode, 1)
            self.assertIn("No space left", done.stderr)

    def test_who_reads_the_input(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                done = self.run_job("-q", "-n", 3, "--ranks", kind, "-stdin", 2, launched.RANK_ENDS, "input", 0,
                                    input="a line\n")
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 ["rank 0 reads nothing", "rank 1 reads nothing", "rank 2 reads a line"])
        text = "0123456789" * 100_000  # more than pipes hold
        done = self.run_job("-q", "-n", 3, "-stdin", "all", "sh", "-c", "cksum", input=text)
        self.assertEqual(len(set(done.stdout.splitlines())), 1)
        self.assertEqual(done.stdout.split()[1], "1000000")
        # One that does not read holds nobody up for ever, nor does one that is slow lose anything.
        done = self.run_job("-q", "-n", 3, "-stdin", "all", "sh", "-c",
                            "test $LISLE_RANK = 0 && exit; test $LISLE_RANK = 1 && sleep 0.3; wc -c", input=text)
        self.assertEqual(done.stdout.split(), ["1000000"] * 2)
        self.assertIn("the last rank of this job is 1", self.run_job("-n", 2, "-stdin", 2, "true").stderr)
        self.assertIn("--ranks process", self.run_job("--ranks", "thread", "-stdin", "all", "true").stderr)

    def test_placement(self):
        cores = sorted(os.sched_getaffinity(0))
        for kind in KINDS:
            with self.subTest(kind=kind):
                done = self.run_job("-q", "-n", 2, "--ranks", kind, "--cpu-set", cores[-1], launched.RANK_ENDS, "cores", 0)
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 [f"rank {i} may use 1 of the cores" for i in range(2)])
        done = self.run_job("--cpu-list", 8000, "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this launcher may use processors", done.stderr)
        done = self.run_job("-q", "-n", 2, "-bind-to", f"user:{cores[-1]},{cores[0]}", "--report-bindings", "true")
        self.assertEqual(done.stderr, f"lislerun: rank 0 is bound to processors {cores[-1]}\n"
                                      f"lislerun: rank 1 is bound to processors {cores[0]}\n")
        self.assertRegex(self.run_job("--report-bindings", "true").stderr, "^lislerun: rank 0 is not bound: processors")

    def test_descriptions(self):
        done = self.run_job("-P", 2, "-T", 2, "--display-map", "--display-allocation", "--do-not-launch", "/bin/true")
        self.assertIn("process 1: ranks 2 to 3, threads, /bin/true\n", done.stdout)
        self.assertRegex(done.stdout, r"processors \S+ \(\d+ in \d+ cores")
        done = self.run_job("-q", "-n", 2, "-print-all-exitcodes", "sh", "-c", "exit 0")
        self.assertEqual(sorted(done.stderr.splitlines()), [f"lislerun: rank {i}: exit code 0" for i in range(2)])
        done = self.run_job("--report-pid", "-", "sh", "-c", "cut -d' ' -f4 /proc/$PPID/stat")
        self.assertEqual(len(set(done.stdout.split())), 1)  # the parent of the ranks' parent

    def test_other_signals_are_passed_on(self):
        job = self.start_job("-q", "--forward-signals", "SIGWINCH,SIGALRM", "sh", "-c",
                             "trap 'echo got it; exit 0' ALRM; echo started; while :; do sleep 0.05; done")
        self.wait_for_ranks(job, 1)
        job.send_signal(signal.SIGALRM)
        code, out, _ = self.finish(job)
        self.assertEqual((code, out), (0, "got it\n"))

    def test_numbered_names(self):
        done = self.run_job("-q", "-n", 2, "--index-argv-by-rank", "sh", "-c", "cut -z -d '' -f1 /proc/$$/cmdline")
        self.assertEqual(sorted(done.stdout.replace("\0", " ").split())[:2], ["sh-0", "sh-1"])


if __name__ == "__main__":
    launched.main()
