# SPDX-License-Identifier: Apache-2.0
"""What the tests of the launcher share: to run it, and to find processes that it left behind.

Every job gets a mark in its environment, so that its processes can be found in /proc whatever they do
with sessions, groups and parents.
"""
import os
import signal
import subprocess
import sys
import time
import unittest
import uuid

LAUNCHER = os.environ["LISLE_TEST_LAUNCHER"]
RANK_ENDS = os.environ.get("LISLE_TEST_RANK_ENDS", "")
# Sanitizers take the faults of ranks for themselves, and make everything slower.
SANITIZER = os.environ.get("LISLE_TEST_SANITIZE", "")
SANITIZED = bool(SANITIZER)
LIMIT = 60 * int(os.environ.get("LISLE_TEST_PATIENCE", "1"))  # seconds that a job may take


def marked(mark):
    """The processes that carry this mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if mark.encode() in environment.read():
                    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                        if stat.read().rpartition(")")[2].split()[0] != "Z":
                            found.append(int(pid))
        except OSError:
            pass
    return found


def slowness():
    """How much longer things take than on an idle machine. The load's average lags a minute behind what runs now."""
    with open("/proc/loadavg", encoding="ascii") as file:
        average, _, _, tasks, _ = file.read().split()
    waiting = max(float(average), int(tasks.partition("/")[0]))
    return max(1, waiting / len(os.sched_getaffinity(0))) * (5 if SANITIZED else 1)


class LauncherTest(unittest.TestCase):
    """Each test ends with a look at /dev/shm and at the processes that are left."""

    def setUp(self):
        self.mark = f"LISLE_TEST_MARK={uuid.uuid4().hex}"
        self.shared_files = set(os.listdir("/dev/shm"))

    def tearDown(self):
        self.wait_until(lambda: not marked(self.mark), 2, "processes are left running")
        left = set(os.listdir("/dev/shm")) - self.shared_files
        self.assertFalse([name for name in left if "lisle" in name], "left in /dev/shm")

    def environment(self, **more):
        name, _, value = self.mark.partition("=")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LISLE_RANK")}
        return {**environment, name: value, **more}

    def run_job(self, *arguments, **more):
        """Runs the launcher to its end; the result has returncode, stdout, stderr and seconds."""
        more.setdefault("stdin", None if "input" in more else subprocess.DEVNULL)
        environment = self.environment(**more.pop("env", {}))
        begin = time.monotonic()
        done = subprocess.run([LAUNCHER, *map(str, arguments)], capture_output=True, text=True, timeout=LIMIT,
                              env=environment, check=False, **more)
        done.seconds = time.monotonic() - begin
        return done

    def start_job(self, *arguments, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([LAUNCHER, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.environment(**more.pop("env", {})), **more)

    def assert_quick(self, seconds, limit):
        """The limit holds for a machine that has nothing else to do."""
        self.assertLess(seconds, limit * slowness())

    def wait_until(self, condition, seconds, failure):
        end = time.monotonic() + seconds * slowness()
        while not condition():
            if time.monotonic() > end:
                for pid in marked(self.mark):
                    os.kill(pid, signal.SIGKILL)
                self.fail(failure)
            time.sleep(0.01)

    def wait_for_ranks(self, job, count):
        """Waits until that many ranks have printed a line."""
        for _ in range(count):
            self.assertTrue(job.stdout.readline(), "a rank has not started")

    def finish(self, job):
        out, err = job.communicate(timeout=LIMIT)
        return job.returncode, out, err


def main():
    unittest.main(verbosity=2, argv=[sys.argv[0], *sys.argv[1:]])
