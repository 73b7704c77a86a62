#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each case of signals.c as processes, threads, fibers and mixes, and expects of all of them the lines that
processes print."""

import argparse
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from commands import LIMIT  # noqa: E402

LAUNCHER = ""
PROGRAM = ""
RANKS = 4
SANITIZED = bool(os.environ.get("SANITIZED"))
unless_threads_are_watched = unittest.skipIf(os.environ.get("SANITIZED") == "thread",
                                             "ThreadSanitizer holds signals back and warns of what the handlers of the program do")
SHAPES = {
    "threads": ["-n", str(RANKS), "--ranks", "thread"],
    "fibers": ["-n", str(RANKS), "--ranks", "fiber"],
    "fibers of one worker": ["-n", str(RANKS), "--ranks", "fiber", "--workers", "1"],
    "two processes of two threads": ["-P", "2", "-T", "2"],
}
PROCESSES = ["-n", str(RANKS), "--ranks", "process"]


def job(options, case):
    return subprocess.run([LAUNCHER, "-q", *options, PROGRAM, case], capture_output=True, text=True, timeout=LIMIT,
                          check=False)


class Signals(unittest.TestCase):
    maxDiff = None

    def compare(self, case, lines):
        """All shapes print what processes print: so many lines, and no error."""
        wanted = job(PROCESSES, case)
        self.assertEqual((wanted.returncode, wanted.stderr), (0, ""), wanted.stdout)
        self.assertEqual(len(wanted.stdout.splitlines()), lines)
        for name, options in SHAPES.items():
            with self.subTest(ranks=name):
                done = job(options, case)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertEqual(sorted(done.stdout.splitlines()), sorted(wanted.stdout.splitlines()))


@unless_threads_are_watched
class own(Signals):
    """What a rank sends to itself, and what it does about it."""

    def test_handlers(self):
        self.compare("handlers", 28)
        lines = job(SHAPES["threads"], "handlers").stdout.splitlines()
        for rank in range(RANKS):
            self.assertIn(f"rank {rank}: raised {rank + 1}", lines)
            self.assertIn(f"rank {rank}: all {rank + 4}", lines)
            self.assertIn(f"rank {rank}: queued {rank + 70}", lines)

    @unittest.skipIf(SANITIZED, "the sanitizer warns of handlers that are left by a jump")
    def test_flags(self):
        self.compare("flags", 28)
        lines = job(SHAPES["fibers"], "flags").stdout.splitlines()
        for what in ("deep 4", "flat 104", "reset 1", "usual stack 0", "own stack 1", "jumps 100"):
            self.assertIn(f"rank 1: {what}", lines)

    def test_masks(self):
        self.compare("masks", 18)

    def test_stress(self):
        self.compare("stress", 4)
        self.assertIn("rank 2: sum 125250", job(SHAPES["threads"], "stress").stdout.splitlines())


    def test_threads(self):
        self.compare("threads", 8)
        lines = job(SHAPES["threads"], "threads").stdout.splitlines()
        self.assertIn("rank 1: taken 3", lines)
        self.assertIn("rank 1: on the other 1", lines)


class faults(Signals):
    """Ranks that meet faults and go on, while others compute."""

    @unittest.skipIf(SANITIZED, "the sanitizer handles faults")
    def test_fault(self):
        self.compare("fault", 12)
        lines = job(SHAPES["fibers"], "fault").stdout.splitlines()
        self.assertIn("rank 0: faults 300", lines)
        self.assertIn("rank 1: faults 0", lines)

    def test_abort(self):
        for name, options in {"processes": PROCESSES, **SHAPES}.items():
            with self.subTest(ranks=name):
                done = subprocess.run([LAUNCHER, *options, PROGRAM, "aborts"], capture_output=True, text=True,
                                      timeout=LIMIT, check=False)
                self.assertEqual(done.returncode, 128 + signal.SIGABRT)
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {rank}: went on 1" for rank in range(RANKS)])
                self.assertIn(f"rank {RANKS - 1} (", done.stderr)
                self.assertIn("SIGABRT", done.stderr)

    def test_default(self):
        """A rank without a handler takes the default action, whatever the others have set."""
        for name, options in {"processes": PROCESSES, **SHAPES}.items():
            with self.subTest(ranks=name):
                self.assertEqual(job(options, "default").returncode, 128 + signal.SIGUSR2)


@unless_threads_are_watched
class timing(Signals):
    """Timers, and calls that wait for signals or are interrupted by them."""

    def test_timers(self):
        self.compare("timers", 26)

    def test_limits(self):
        self.compare("limits", 4)

    def test_waits(self):
        self.compare("waits", 52)

    def test_calls(self):
        self.compare("calls", 8)


@unless_threads_are_watched
class outside(Signals):
    """Signals that come from others than the rank itself."""

    def sent(self, options, number):
        """What the job says and how it ends, if this signal is sent to its launcher."""
        with subprocess.Popen([LAUNCHER, "-q", *options, PROGRAM, "outside"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as running:
            ready = running.stdout.readline()
            running.send_signal(number)
            out, errors = running.communicate(timeout=LIMIT)
        return ready, sorted(out.splitlines()), errors, running.returncode

    def test_handled(self):
        """Each rank gets what the launcher passes on."""
        lines = sorted(f"rank {rank}: {what} 1" for rank in range(RANKS) for what in ("came", "from outside"))
        for name, options in {"processes": PROCESSES, **SHAPES}.items():
            with self.subTest(ranks=name):
                self.assertEqual(self.sent(options, signal.SIGUSR1), ("ready\n", lines, "", 0))

    def test_not_handled(self):
        for name, options in {"processes": PROCESSES, **SHAPES}.items():
            with self.subTest(ranks=name):
                self.assertEqual(self.sent(options, signal.SIGTERM)[3], 128 + signal.SIGTERM)

    def test_children(self):
        """Only the rank that has started a child is told of its end."""
        self.compare("children", 8)

    def test_refused(self):
        for kind in ("thread", "fiber"):
            done = job(["-n", "2", "--ranks", kind], "refused")
            self.assertEqual(sorted(done.stdout.splitlines()), ["rank 0: refused 1", "rank 1: refused 1"])
            self.assertIn(f"{kind} ranks of a process have one list of children", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("group")
    chosen = parser.parse_args()
    LAUNCHER = os.path.abspath(chosen.launcher)
    PROGRAM = os.path.abspath(chosen.program)
    unittest.main(argv=[sys.argv[0], chosen.group], verbosity=2)
