#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries each row of data/process_state.json as processes, threads and fibers, of several workers and of one, and expects
what the table says. A row that is refused must have said a sentence that names the call and the way out."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT  # noqa: E402

LAUNCHER = ""
PROGRAM = ""
GROUP = ""
TABLE = {}
RANKS = 4
SHAPES = {
    "processes": ("process", ["-n", str(RANKS), "--ranks", "process"]),
    "threads": ("thread", ["-n", str(RANKS), "--ranks", "thread"]),
    "fibers": ("fiber", ["-n", str(RANKS), "--ranks", "fiber"]),
    "fibers of one worker": ("fiber", ["-n", str(RANKS), "--ranks", "fiber", "--workers", "1"]),
    "two processes of two threads": ("thread", ["-P", "2", "-T", "2"]),
}


def job(options, *words):
    return subprocess.run([LAUNCHER, "-q", *options, *words], capture_output=True, text=True, timeout=LIMIT, check=False)


def of_kind(row, kind):
    return row.get(kind, "own")


class Group(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        rows = TABLE[GROUP]["rows"]
        kind, options = SHAPES[name]
        with tempfile.TemporaryDirectory() as folder:
            done = job(options, PROGRAM, GROUP, kind, folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = dict(line.rsplit(": ", 1) for line in done.stdout.splitlines())
        self.assertEqual(found, {row["name"]: of_kind(row, kind) for row in rows})
        sentences = done.stderr.splitlines()
        for sentence in sentences:
            self.assertRegex(sentence, r"^lisle-host: rank \d: .*--ranks process$")
        for row in rows:
            if of_kind(row, kind) == "refused":
                call = row.get("call", row["name"].split()[0])
                for rank in range(RANKS):
                    self.assertTrue(any(each.startswith(f"lisle-host: rank {rank}: {call}") for each in sentences), (call, done.stderr))
        if not any(of_kind(row, kind) == "refused" for row in rows):
            self.assertEqual(sentences, [])

    def test_processes(self):
        self.check("processes")

    def test_threads(self):
        self.check("threads")

    def test_fibers(self):
        self.check("fibers")

    def test_fibers_of_one_worker(self):
        self.check("fibers of one worker")

    def test_two_processes_of_two_threads(self):
        self.check("two processes of two threads")


class Ends(unittest.TestCase):
    """How ranks end: each kind does what processes do."""
    maxDiff = None

    def ends(self, how):
        """What each shape says, what it leaves in the ranks' files, and its exit code."""
        program = str(pathlib.Path(PROGRAM).with_name("process_end"))
        for name, (_, options) in SHAPES.items():
            with tempfile.TemporaryDirectory() as folder:
                done = job(options, program, how, folder)
                files = [pathlib.Path(folder, str(rank)).read_text() for rank in range(RANKS)]
            yield name, sorted(done.stdout.splitlines()), set(files), done.returncode

    def expect(self, how, said, content, code=0):
        for name, *found in self.ends(how):
            with self.subTest(ranks=name):
                lines = sorted(f"{rank} {what}" for rank in range(RANKS) for what in said)
                self.assertEqual(found, [lines, {content}, code])

    def test_exit(self):
        self.expect("exit", ["on_exit 0", "atexit", "static"], "held back")

    def test_return(self):
        self.expect("return", ["on_exit 0", "atexit", "static"], "held back")

    def test_exit_now(self):
        self.expect("_exit", [], "")

    def test_quick_exit(self):
        self.expect("quick_exit", ["quick"], "")

    def test_pthread_exit(self):
        self.expect("pthread_exit", ["on_exit 0", "atexit", "static"], "held back")

    def test_status(self):
        for name, said, _, code in self.ends("status"):
            with self.subTest(ranks=name):
                self.assertEqual(code, 7)
                self.assertIn("1 on_exit 7", said)

    def test_abort(self):
        for name, _, _, code in self.ends("abort"):
            with self.subTest(ranks=name):
                self.assertEqual(code, 128 + 6)

    def test_thread_local(self):
        program = str(pathlib.Path(PROGRAM).with_name("thread_local_variable"))
        for name, (kind, options) in SHAPES.items():
            with self.subTest(ranks=name):
                done = job(options, program)
                if kind == "fiber":
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("thread_local", done.stderr)
                    self.assertIn("--ranks thread", done.stderr)
                else:
                    self.assertEqual((done.stdout, done.returncode), ("0\n" * RANKS, 0))

    def test_rows(self):
        """Each row of the table has a test here."""
        self.assertEqual({row["test"] for row in TABLE["ends"]["rows"]},
                         {name for name in dir(self) if name.startswith("test_") and name != "test_rows"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--group", required=True)
    arguments = parser.parse_args()
    LAUNCHER, PROGRAM, GROUP = arguments.launcher, arguments.program, arguments.group
    TABLE = json.loads(pathlib.Path(arguments.table).read_text(encoding="utf-8"))["groups"]
    unittest.main(argv=[sys.argv[0], "Ends" if GROUP == "ends" else "Group"])
