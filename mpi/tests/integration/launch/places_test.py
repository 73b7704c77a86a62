# SPDX-License-Identifier: Apache-2.0
"""Narrow and odd places: few descriptors, little memory, small stacks, no environment, a small /dev/shm, another
user, namespaces, strange folders for temporary files, and very long arguments. MPI programs run there in every
kind of rank."""
import os
import resource
import shutil
import subprocess
import tempfile
import unittest

import launched

KINDS = ("process", "thread", "fiber")


def limited(which, value):
    """To be called in the launcher's process before it starts."""
    return lambda: resource.setrlimit(which, (value, value))


def can_unshare(*options):
    words = ["unshare", *options, "true"]
    return shutil.which("unshare") and subprocess.run(words, capture_output=True, check=False).returncode == 0


class Places(launched.LauncherTest):
    def assert_runs(self, ranks=4, front=(), program=launched.RANK_ENDS, **more):
        """The ranks of an MPI program start, exchange messages and end, in every kind."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                words = [*front, launched.LAUNCHER, "-q", "-n", str(ranks), "--ranks", kind, program]
                environment = more.get("environment", self.environment())
                done = subprocess.run(words, capture_output=True, text=True, timeout=launched.LIMIT, check=False,
                                      stdin=subprocess.DEVNULL, env=environment,
                                      preexec_fn=more.get("before"))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {i}" for i in range(ranks)])

    def test_few_descriptors(self):
        self.assert_runs(before=limited(resource.RLIMIT_NOFILE, 20))

    @unittest.skipIf(launched.SANITIZED, "sanitizers reserve addresses")
    def test_few_addresses(self):
        self.assert_runs(ranks=2, before=limited(resource.RLIMIT_AS, 300 << 20))

    @unittest.skipIf(launched.SANITIZED, "sanitizers reserve addresses")
    def test_windows_in_few_addresses(self):
        self.assert_runs(ranks=4, before=limited(resource.RLIMIT_AS, 1 << 30), program=os.environ["LISLE_TEST_WINDOWS"])

    @unittest.skipIf(launched.SANITIZED, "sanitizers use larger stacks")
    def test_small_stacks(self):
        self.assert_runs(before=limited(resource.RLIMIT_STACK, 256 << 10))

    def test_no_environment(self):
        name, _, value = self.mark.partition("=")
        self.assert_runs(environment={name: value})

    def test_strange_folders_for_temporary_files(self):
        with tempfile.TemporaryDirectory(prefix="with blanks and $ ") as folder:
            for place in (folder, "/nonexistent", "", "."):
                self.assert_runs(ranks=2, environment=self.environment(TMPDIR=place))

    def test_a_small_shared_memory_file_system(self):
        if not can_unshare("--mount"):
            self.skipTest("mounting is not allowed here")
        self.assert_runs(front=("unshare", "--mount", "sh", "-c",
                                'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"', "sh"))

    def test_without_anonymous_files(self):
        front = os.environ["LISLE_TEST_WITHOUT_MEMFD"]
        if subprocess.run([front, "true"], capture_output=True, check=False).returncode == 77:
            self.skipTest("filters of system calls are not allowed here")
        self.assert_runs(front=(front,), program=os.environ["LISLE_TEST_WINDOWS"])

    def test_namespaces(self):
        for options in (["--net"], ["--ipc", "--uts"], ["--pid", "--fork", "--mount-proc"],
                        ["--user", "--map-root-user"], ["--user"]):
            if can_unshare(*options):
                self.assert_runs(ranks=2, front=("unshare", *options))

    @unittest.skipIf(os.getuid() != 0, "only root can become somebody else")
    def test_another_user(self):
        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        self.assert_runs(before=become_nobody)

    def test_long_arguments(self):
        arguments = ["a" * 120_000] * 30
        for kind in KINDS:
            with self.subTest(kind=kind):
                done = self.run_job("-q", "-n", 2, "--ranks", kind, launched.RANK_ENDS, "arguments", 0, *arguments,
                                    preexec_fn=limited(resource.RLIMIT_STACK, 64 << 20))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {i} has 3600000 bytes in 30" for i in range(2)])


if __name__ == "__main__":
    launched.main()
