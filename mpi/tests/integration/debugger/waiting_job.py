# SPDX-License-Identifier: Apache-2.0
"""A job of `debugged` in which all ranks but one wait in a receive."""
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402

KINDS = {
    "threads": ("-n", "4", "--ranks", "thread"),
    "fibers": ("-n", "4", "--ranks", "fiber", "--workers", "2"),
    "mixed": ("-P", "2", "-T", "2"),
    "processes": ("-n", "4"),
}
QUESTION = "what the ranks of the job wait for"


class WaitingJob:
    """The job, from when its ranks wait. What it is to do then, `how`, it does when told."""

    def __init__(self, launcher, options, program, how, folder):
        self.launcher, self.go, self.said = launcher, Path(folder) / "go", Path(folder) / "said"
        with self.said.open("w") as errors:
            command = [launcher, *options, str(program), how, str(self.go)]
            self.job = subprocess.Popen(command, cwd=folder, stderr=errors, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL)  # fmt: skip

    def __enter__(self):
        end = time.monotonic() + LIMIT
        while not self.go.with_suffix(".ready").exists():
            self.expect_running(end)
            time.sleep(0.1)
        while self.said.read_text().rpartition(QUESTION)[2].count("MPI_Recv") < 3:
            self.expect_running(end)
            subprocess.run([self.launcher, "--status", str(self.job.pid)], check=False)
            time.sleep(1)
        return self

    def expect_running(self, end):
        running = time.monotonic() < end and self.job.poll() is None
        expect(running, f"the ranks do not come to wait:\n{self.said.read_text()}")

    def __exit__(self, *_):
        self.go.unlink(missing_ok=True)
        self.job.kill()
        self.job.wait()

    def hear(self, pattern):
        """Lets it go on until it says this; what stands in the parentheses."""
        self.go.touch()
        end = time.monotonic() + LIMIT
        while (found := re.search(pattern, self.said.read_text())) is None:
            self.expect_running(end)
            time.sleep(0.1)
        return found.group(1)

    def finish(self):
        """Lets it go on; what it has said since then."""
        before = len(self.said.read_text())
        self.go.touch()
        self.job.wait(timeout=LIMIT)
        return self.said.read_text()[before:]
