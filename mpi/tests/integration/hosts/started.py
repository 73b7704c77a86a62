# SPDX-License-Identifier: Apache-2.0
"""Jobs on several hosts that lislerun starts itself, and what of them is left."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect, fail  # noqa: E402

LISLERUN = os.environ["LISLE_TEST_LAUNCHER"]
WORK = os.environ["LISLE_TEST_WORK"]
MARK = "HOSTS_TEST_MARK"


def without_launch_settings():
    """This environment without what would have another launcher start the ranks."""
    named = ("LISLE_THROUGH", "LISLE_LAUNCH_AGENT", "LISLE_NODES", "LISLE_RANKS", "SLURM_JOB_ID", "PBS_NODEFILE",
             "LSB_HOSTS", "LSB_MCPU_HOSTS", "OMPI_MCA_plm_rsh_agent", "HYDRA_LAUNCHER_EXEC", "HYDRA_LAUNCH_EXEC")
    return {name: value for name, value in os.environ.items() if name not in named}


class Job:
    """A job that runs. All its processes, on all hosts of this machine, bear a mark in their environment."""

    def __init__(self, *words, environment=None, **options):
        self.mark = uuid.uuid4().hex
        self.words = [LISLERUN, *map(str, words)]
        self.process = subprocess.Popen(self.words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**without_launch_settings(), **(environment or {}), MARK: self.mark},
                                        **options)

    def processes(self):
        """Process id and command line of each."""
        found = {}
        wanted = f"{MARK}={self.mark}".encode()
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it has ended
        return found

    def wait_for(self, text):
        """Until the job has printed this, in a line of its own."""
        for line in self.process.stdout:
            if line.strip() == text:
                return
        fail(f"{self.words} has not printed '{text}': {self.process.stderr.read()}")

    def end(self, status=None, text=None, left=True, **options):
        """Waits for the end, which must have this exit status (a list: one of these), and leave nothing behind."""
        try:
            output, errors = self.process.communicate(timeout=LIMIT, **options)
        except subprocess.TimeoutExpired:
            what = self.processes()
            self.process.kill()
            fail(f"{self.words} does not end; there are {what}")
        told = f"{self.words}\n{output}{errors}"
        wanted = status if isinstance(status, (list, type(None))) else [status]
        expect(wanted is None or self.process.returncode in wanted,
               f"exit status {self.process.returncode}, not {status}: {told}")
        expect(text is None or text in errors, f"'{text}' is missing in {told}")
        if left:
            self.expect_nothing_left(told)
        return output, errors

    def expect_nothing_left(self, told):
        limit = time.monotonic() + LIMIT
        while left := self.processes():
            expect(time.monotonic() < limit, f"what is left: {left}\n{told}")
            time.sleep(0.05)


def run(*words, status=0, text=None, environment=None, send=None):
    job = Job(*words, environment=environment, stdin=subprocess.PIPE if send is not None else subprocess.DEVNULL)
    return job.end(status, text, **({"input": send} if send is not None else {}))


def expect_all_ranks(output, count, colour="none"):
    ranks = sorted(line for line in output.splitlines() if line.startswith("rank"))
    expect(ranks == sorted(f"rank {rank} of {count}: 0 errors, colour {colour}" for rank in range(count)), output)


def kill(process, number=signal.SIGKILL):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass
