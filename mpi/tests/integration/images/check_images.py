#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test programs as thread ranks under the host and compares what they print and how they end with
what processes would do. Each class is one group of tests; ctest calls them by name."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from commands import LIMIT  # noqa: E402

HOST = ""
PROGRAMS = ""
FLAVOURS = ("pie", "pic")


def host(program, *arguments, ranks=4, stdin="", environment=None, program_folder=None):
    """Runs a program under the host: (exit code, stdout, stderr)."""
    variables = dict(os.environ, LISLE_TEST_RANKS=str(ranks), **(environment or {}))
    command = [HOST, os.path.join(program_folder or PROGRAMS, program), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=LIMIT, env=variables,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def alone(program, *arguments):
    """Runs a program as a process: (exit code, stdout)."""
    done = subprocess.run([os.path.join(PROGRAMS, program), *arguments], capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    return done.returncode, done.stdout


def reports(errors):
    """What the job was told of its ranks' ends: {rank: status}."""
    return {int(rank): int(status) for rank, status in re.findall(r"rank (\d+) ended with (\d+)", errors)}


class Base(unittest.TestCase):
    maxDiff = None

    def assert_good(self, program, *arguments, ranks=4):
        code, out, errors = host(program, *arguments, ranks=ranks)
        self.assertEqual((code, errors), (0, ""), out[-2000:])
        self.assertEqual(len(re.findall("good", out)), ranks, out[-2000:])


class private(Base):
    def test_globals(self):
        for flavour in FLAVOURS:
            self.assert_good(f"globals_{flavour}", "argument", ranks=16)

    def test_exceptions(self):
        for flavour in FLAVOURS:
            self.assert_good(f"exceptions_{flavour}", ranks=8)

    def test_identity_and_working_directory(self):
        for flavour in FLAVOURS:
            code, out, errors = host(f"where_{flavour}")
            self.assertEqual((code, out, errors), (0, f"where_{flavour} where_{flavour}\n" * 4, ""))


    def test_library_of_the_user_s_own(self):
        for flavour in FLAVOURS:
            code, out = alone(f"uses_shared_variable_{flavour}")
            self.assertEqual(host(f"uses_shared_variable_{flavour}", ranks=8), (code, out * 8, ""))

    def test_library_that_is_asked_to_be_shared(self):
        shared = {"LISLE_SHARED_LIBRARIES": "nothing*:libshared_*"}
        code, out, errors = host("uses_shared_variable_pic", ranks=8, environment=shared)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(sum(map(int, out.split())), sum(range(2, 10))) # each rank sees the others' changes


class life(Base):
    def test_order_of_constructors_and_destructors_is_a_process_s(self):
        for flavour in FLAVOURS:
            wanted = alone(f"order_{flavour}")
            self.assertEqual(host(f"order_{flavour}", ranks=1)[:2], wanted)
            code, out, _ = host(f"order_{flavour}", ranks=5, environment={"LISLE_JOB": "labels=1"})
            self.assertEqual(code, 5)
            for rank in range(5):
                lines = re.findall(rf"^\[{rank}\] (.*\n)", out, re.MULTILINE)
                self.assertEqual("".join(lines), wanted[1])

    def check_end(self, how, code, out_of_rank, status=None):
        for flavour in FLAVOURS:
            result, out, errors = host(f"ends_{flavour}", how, "2", environment={"LISLE_TEST_REPORT": "1"})
            self.assertEqual(result, code, errors)
            others = [f"handler of {rank}" for rank in (0, 1, 3)]
            self.assertEqual(sorted(out.splitlines()), sorted(others + out_of_rank))
            self.assertEqual(reports(errors), {0: 0, 1: 0, 2: code if status is None else status, 3: 0})

    def test_return(self):
        self.check_end("return", 3, ["handler of 2"])

    def test_exit_from_a_nested_call(self):
        self.check_end("nested", 4, ["handler of 2"])

    def test_exit_at_once(self):
        self.check_end("_exit", 5, [])

    def test_quick_exit(self):
        self.check_end("quick", 6, ["quick handler"])

    def test_exit_in_a_handler_runs_the_rest(self):
        self.check_end("again", 9, ["handler of 2"])

    def test_exit_from_another_thread(self):
        self.check_end("thread", 7, ["handler of 2"])

    def test_main_thread_leaves_before_another(self):
        self.check_end("pthread_exit", 0, ["last thread", "handler of 2"])

    def test_forked_child_is_a_process(self):
        for _ in range(10):  # the other ranks are somewhere in their own ends when this one forks
            self.check_end("fork", 8, ["child", "handler of 2", "handler of 2"])

    def test_system(self):
        self.check_end("system", 4, ["handler of 2"])

    def check_fault(self, how, signal):
        for flavour in FLAVOURS:
            result, _, errors = host(f"ends_{flavour}", how, "1")
            self.assertEqual(result, -signal, errors)
            self.assertIn(f"rank 1 met signal {signal}\n", errors)

    @unittest.skipIf(os.environ.get("SANITIZED"), "sanitizers end the process in their own way")
    def test_faults_name_the_rank(self):
        for how, signal in (("abort", 6), ("throw", 6), ("segv", 11), ("overflow", 11), ("raise", 8)):
            with self.subTest(how):
                self.check_fault(how, signal)


class output(Base):
    def test_streams(self):
        for flavour in FLAVOURS:
            code, out, errors = host(f"streams_{flavour}", stdin="two words\n")
            self.assertEqual(code, 0, errors)
            wanted = ["early 1.235", "late 1.235"] * 4 + ["read 0 two", "read 0 words"]
            for rank in range(4):
                number = "ff" if rank % 2 else "255"
                for line in range(300):
                    index = f"{line:x}" if rank % 2 else str(line)
                    wanted.append(f"rank {rank} {number} {index:>6} end")
            self.assertEqual(sorted(out.splitlines()), sorted(wanted))
            said = [(rank, line) for rank in range(4) for line in (f"error {rank} 7", f"log {rank}", "wide 8")]
            # Unbuffered, as in a process: what several ranks print piece by piece may mix. With labels it does not.
            self.assertEqual(sorted(errors), sorted("".join(f"{line}\n" for _, line in said)))
            _, _, errors = host(f"streams_{flavour}", stdin="two words\n", environment={"LISLE_JOB": "labels=1"})
            self.assertEqual(sorted(errors.splitlines()), sorted(f"[{rank}] {line}" for rank, line in said))

    def test_labels(self):
        code, out, errors = host("streams_pie", environment={"LISLE_JOB": "labels=1"})
        self.assertEqual(code, 0)
        for rank in range(4):
            self.assertEqual(out.count(f"[{rank}] rank {rank} "), 300)
            self.assertIn(f"[{rank}] error {rank} 7\n", errors)
        for line in out.splitlines():
            self.assertRegex(line, r"^\[[0-3]\] (rank|early|late)")


class threads(Base):
    def test_threads(self):
        for flavour in FLAVOURS:
            self.assert_good(f"threads_{flavour}")

    @unittest.skipIf(os.environ.get("SANITIZED"), "sanitizers touch what they watch")
    def test_thread_locals_take_the_memory_that_they_need(self):
        self.assert_good("room", ranks=2)

    @unittest.skipIf("thread" in os.environ.get("SANITIZED", ""), "libgomp hides its locks from the sanitizer")
    def test_openmp(self):
        for flavour in FLAVOURS:
            if os.path.exists(os.path.join(PROGRAMS, f"openmp_{flavour}")):
                self.assert_good(f"openmp_{flavour}")


class libc(Base):
    LINES = ("short -a -b x y -c -cz -- -a", "short -ab x -bz y", "short -x -b", "short y -a z -bq w",
             "quiet -x -b", "require -a y -b x", "inplace y -a z -b x w", "inplace y -- -a", "short",
             "long --alpha --beta x y --gamma --gamma=z -a", "long --al --alph --beta", "long --beta=x=y --flag",
             "long --alpha=x --delta -- z", "long -ax y z --flag", "only -alpha -beta x -a -c -flag y",
             "only -bet=x --gam=y -ab z", "only -q -al", "long x --beta", "quiet -c x -b y --")

    def test_options_are_the_c_library_s(self):
        for line in self.LINES:
            arguments = line.split()
            for flavour in FLAVOURS:
                program = f"options_{flavour}"
                done = subprocess.run([os.path.join(PROGRAMS, program), *arguments], capture_output=True,
                                      text=True, timeout=LIMIT, check=False)
                with self.subTest(line):
                    code, out, errors = host(program, *arguments, ranks=6)
                    self.assertEqual((code, out), (0, done.stdout * 6))
                    self.assertEqual(sorted(errors.splitlines()), sorted((done.stderr * 6).splitlines()))

    def test_environment(self):
        for flavour in FLAVOURS:
            self.assert_good(f"environment_{flavour}", ranks=8)

    def test_sequences_are_a_process_s(self):
        for flavour in FLAVOURS:
            code, out = alone(f"sequences_{flavour}")
            self.assertEqual(host(f"sequences_{flavour}", ranks=8), (code, out * 8, ""))


class refused(Base):
    def check(self, program, *words, code=2, folder=None, environment=None):
        result, out, errors = host(program, program_folder=folder, environment=environment)
        self.assertEqual((result, out), (code, ""), errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        for word in words:
            self.assertIn(word, errors)

    def test_kinds(self):
        self.check("no_pie", "fixed address", "-pie", "--ranks process")
        self.check("other_mpi", "libmpi.so.39", "another MPI", "mpicc")
        self.check("large_thread_locals", "100000 bytes", "--ranks process")
        self.check("uses_shared_variable_pie", "variable shared_variable", "mpicc", "--ranks process",
                   environment={"LISLE_SHARED_LIBRARIES": "libshared_variable.so"})
        if os.path.exists(os.path.join(PROGRAMS, "static")):
            self.check("static", "-static", "--ranks process")
            self.check("static_pie", "statically", "--ranks process")
            self.check("allocator", "_Znwm", "--ranks process")

    def test_as_fibers(self):
        as_fibers = {"LISLE_TEST_WORKERS": "1"}
        self.check("threads_pie", "thread-local", "--ranks thread", environment=as_fibers)
        if os.path.exists(os.path.join(PROGRAMS, "openmp_pie")):
            self.check("openmp_pie", "OpenMP", "libgomp", "--ranks thread", environment=as_fibers)

    def test_files_that_are_no_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            def make(name, content, mode=0o755):
                path = os.path.join(folder, name)
                with open(path, "wb") as file:
                    file.write(content)
                os.chmod(path, mode)
                return name

            with open(os.path.join(PROGRAMS, "where_pie"), "rb") as file:
                sound = file.read()
            self.check(make("script", b"#!/bin/sh\n" + b" " * 100), "script", "--ranks process", folder=folder)
            self.check(make("text", b"x" * 200), "not an ELF", folder=folder)
            self.check(make("short", b"x"), "not an ELF", folder=folder)
            self.check(make("locked", b"x", 0o644), "not executable", code=126, folder=folder)
            self.check(make("setuid", sound, 0o4755), "setuid", folder=folder)
            self.check(make("other", sound[:18] + b"\xf3\x00" + sound[20:]), "another machine", folder=folder)
            self.check(make("cut", sound[:len(sound) // 4]), "not a sound executable", folder=folder)
            self.check("absent", "No such file", code=127, folder=folder)



class scale(Base):
    def test_many_ranks(self):
        self.assert_good("globals_pic", "argument", ranks=500)

    def test_too_many_mappings(self):
        code, out, errors = host("globals_pic", ranks=1000000)
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(errors, r"1000000 thread ranks .* need about \d+ memory mappings, .* is \d+")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True)
    parser.add_argument("--programs", required=True)
    options, rest = parser.parse_known_args()
    HOST = options.host
    PROGRAMS = options.programs
    unittest.main(argv=[sys.argv[0], *rest])
