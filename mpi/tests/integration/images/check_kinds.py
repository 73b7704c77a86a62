#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs through the launcher in every kind of rank, and expects of each kind what a process does. Each
class is one group of tests; ctest calls them by name."""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from commands import LIMIT  # noqa: E402

LAUNCHER = ""
PROGRAMS = ""
KINDS = ("process", "thread", "fiber")
HOSTED = ("thread", "fiber")
SANITIZED = os.environ.get("SANITIZED", "")


def job(kind, program, *arguments, ranks=2, options=(), environment=None, **more):
    """Runs a program of this test's folder as a job: the result has returncode, stdout and stderr."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("LISLE_RANK")}
    variables.update(environment or {})
    command = [LAUNCHER, "-q", "-n", str(ranks), "--ranks", kind, *options, os.path.join(PROGRAMS, program), *arguments]
    if not {"stdout", "stderr"} & more.keys():
        more["capture_output"] = True
    return subprocess.run(command, text=True, timeout=LIMIT, env=variables, check=False, **more)


class Kinds(unittest.TestCase):
    maxDiff = None

    def assert_lines(self, done, lines):
        """The job ended well and said these lines, in any order."""
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[-2000:])
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(lines))


class descriptors(Kinds):
    """Cron and daemons start programs without standard descriptors."""

    def closed(self, kind, number, *options):
        words = [LAUNCHER, "-q", "-n", "2", "--ranks", kind, *options, os.path.join(PROGRAMS, "hello")]
        return subprocess.run(["sh", "-c", f'exec "$@" {number}>&-', "sh", *words], capture_output=True, text=True,
                              timeout=LIMIT, check=False)

    def test_closed_input(self):
        for kind in KINDS:
            self.assert_lines(self.closed(kind, 0), ["hello 0", "hello 1"])

    def test_closed_output(self):
        for kind in KINDS:
            for options in ((), ("--label",)):
                done = self.closed(kind, 1, *options)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_closed_errors(self):
        for kind in KINDS:
            self.assert_lines(self.closed(kind, 2, "--label"), ["[0] hello 0", "[1] hello 1"])


class printing(Kinds):
    def test_errors_of_a_full_disk(self):
        for kind in KINDS:
            with open("/dev/full", "wb") as full:
                done = job(kind, "printing", "full", ranks=1, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.stderr, "fflush -1 ferror 1 ENOSPC 1 fclose -1 clearerr 0 cout 1\n")

    def test_single_characters(self):
        for kind in KINDS:  # a search for line ends at each character takes minutes
            done = job(kind, "printing", "single", "1500000")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(len(done.stdout), 2 * 3 * 1500000)
            self.assertEqual(set(done.stdout), set("abc"))

    def test_characters_of_several_threads(self):
        count = 200_000
        for kind in KINDS:
            for what, printed in (("flushed", "a"), ("threads", "abc"), ("helpers", "a")):
                done = job(kind, "printing", what, str(count), ranks=4)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for character in printed:
                    self.assertEqual(done.stdout.count(character), 4 * count, (kind, what, character))
                self.assertEqual(len(done.stdout), 4 * count * len(printed))

    def test_labels_of_long_lines(self):
        for kind in KINDS:
            for length in (70_000, 1_000_000, 1_500_000):
                done = job(kind, "printing", "long", str(length), options=("--label",))
                wanted = []
                for rank in range(2):
                    line = str(rank) * length
                    wanted += [f"[{rank}] {piece}" for piece in (line[:1 << 20], line[1 << 20:]) if piece]
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(sorted(done.stdout.splitlines()) == sorted(wanted), (kind, length))

    @unittest.skipIf("thread" in SANITIZED, "the sanitizer's _exit flushes")
    def test_what_is_not_flushed_is_lost(self):
        for kind in KINDS:
            self.assert_lines(job(kind, "printing", "_exit"), ["flushed"] * 2)

    def test_files_that_take_the_place_of_standard_output(self):
        for kind in KINDS:
            self.assert_lines(job(kind, "printing", "assigned"), ["to stdout", "to another"] * 2)


class surroundings(Kinds):
    def test_what_the_c_library_knows_of_a_rank(self):
        for kind in KINDS:
            for flavour in ("pie", "pic"):
                workers = ("--workers", "2") if kind == "fiber" else ()
                with tempfile.TemporaryDirectory() as folder:
                    self.assert_lines(job(kind, f"surroundings_{flavour}", folder, options=workers), ["good"] * 2)


class opening(Kinds):
    @unittest.skipIf(SANITIZED, "the sanitizer opens libraries in the program's place, without its path")
    def test_libraries_that_are_opened(self):
        wanted = job("process", "opens", ranks=4, options=("--label",))
        self.assertEqual((wanted.returncode, wanted.stderr), (0, ""))
        for rank in range(4):
            self.assertIn(f"[{rank}] second {rank * 10 + 2 + 2000 + 102}\n", wanted.stdout)
        for kind in HOSTED:
            done = job(kind, "opens", ranks=4, options=("--label",))
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            for rank in range(4):
                prefix = f"[{rank}] "
                self.assertEqual([line for line in done.stdout.splitlines() if line.startswith(prefix)],
                                 [line for line in wanted.stdout.splitlines() if line.startswith(prefix)])


class refusals(Kinds):
    """What a kind of rank cannot do is refused in one sentence that names the way out."""

    def wrapped(self, kind, *wrapper):
        words = [LAUNCHER, "-q", "-n", "2", "--ranks", kind, *wrapper, os.path.join(PROGRAMS, "hello")]
        return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)

    def test_programs_that_start_others(self):
        for wrapper in (["nice"], ["env", "A=1"], ["timeout", "60"], ["sh", "-c"], [LAUNCHER, "-q", "-n", "1"]):
            for kind in HOSTED:
                done = self.wrapped(kind, *wrapper)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"starts other programs, which {kind} ranks cannot become", done.stderr)
                self.assertIn("--ranks process", done.stderr)
            done = self.wrapped("process", *wrapper)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_programs_named_like_those(self):
        for name in ("time", "script", "env"):
            renamed = shutil.copy(os.path.join(PROGRAMS, "hello"), os.path.join(PROGRAMS, name))
            self.addCleanup(os.remove, renamed)
            for kind in KINDS:
                self.assert_lines(job(kind, name), ["hello 0", "hello 1"])

    def test_exec_of_a_rank_itself(self):
        self.assert_lines(job("process", "becomes"), ["became another"] * 2)
        for kind in HOSTED:
            done = job(kind, "becomes")
            self.assertEqual((done.returncode, done.stdout), (5, ""))
            for rank in range(2):
                self.assertIn(f"lisle-host: rank {rank}: exec of /bin/echo: ", done.stderr)
                self.assertIn(f"{kind} ranks of a process have one program", done.stderr)

    def test_programs_in_go(self):
        self.assertEqual(job("process", "of_go").returncode, 0)
        for kind in HOSTED:
            done = job(kind, "of_go")
            self.assertEqual(done.returncode, 2)
            self.assertIn("it is written in Go", done.stderr)
            self.assertIn("--ranks process", done.stderr)

    def test_nested_functions(self):
        if not os.path.exists(os.path.join(PROGRAMS, "nested")):
            self.skipTest("the compiler has no nested functions")
        # From this version on glibc makes no stack executable for what is loaded.
        version = tuple(map(int, platform.libc_ver()[1].split(".")))
        can = ("process", "thread") if version < (2, 41) else ("process",)
        for kind in can:
            self.assert_lines(job(kind, "nested"), ["nested 5", "nested 6"])
        for kind in set(HOSTED) - set(can):
            done = job(kind, "nested")
            self.assertEqual(done.returncode, 2)
            self.assertIn("needs an executable stack", done.stderr)
            self.assertIn(f"--ranks {can[-1]}", done.stderr)

    @unittest.skipIf("address" in SANITIZED, "the sanitizer's library must be preloaded before all others")
    def test_a_preloaded_library_of_each_rank_must_be_one(self):
        for kind in HOSTED:
            done = job(kind, "hello", options=("--private-libraries", "nolibrary*"),
                       environment={"LD_PRELOAD": "/nowhere/nolibrary.so"})
            self.assertEqual(done.returncode, 2)
            self.assertIn("/nowhere/nolibrary.so is preloaded (LD_PRELOAD) for each rank", done.stderr)


@unittest.skipIf(SANITIZED, "sanitizers end the process in their own way")
class faults(Kinds):
    def test_the_sentence_names_the_shared_library(self):
        for kind in HOSTED:
            for how, signal in (("segv in library", "SEGV"), ("abort in library", "ABRT")):
                done = job(kind, "faults", how, options=("--shared-libraries", "libfailing*"))
                self.assertEqual(done.returncode, 139 if signal == "SEGV" else 134)
                self.assertIn(f"lisle-host: rank 1 met SIG{signal} in libfailing.so, ", done.stderr)
                self.assertIn("--private-libraries 'libfailing.so*'", done.stderr)
                self.assertNotIn("--private", job(kind, "faults", how).stderr)

    def test_faults_of_the_program_blame_no_library(self):
        for kind in KINDS:
            done = job(kind, "faults", "segv", ranks=3)
            self.assertEqual(done.returncode, 139)
            self.assertIn("at address 0x10", done.stderr)
            self.assertNotIn("--private", done.stderr)

    def test_stack_overflow(self):
        for kind in HOSTED:
            done = job(kind, "faults", "overflow")
            self.assertEqual(done.returncode, 139)
            self.assertIn("rank 1 has overflowed its stack (ulimit -s: ", done.stderr)

    def test_the_only_rank_is_named_by_its_kind(self):
        for kind in KINDS:
            what = "" if kind == "process" else f"a {kind} of "
            self.assertIn(f"rank 0 ({what}process", job(kind, "faults", "segv", ranks=1).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--programs", required=True)
    known, rest = parser.parse_known_args()
    LAUNCHER = known.launcher
    PROGRAMS = known.programs
    unittest.main(argv=[sys.argv[0], *rest])
