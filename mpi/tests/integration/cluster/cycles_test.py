# SPDX-License-Identifier: Apache-2.0
"""Nothing is left behind by jobs that begin and end, one after the other: no process, with its threads and sockets, and no
file of shared memory. LISLE_TEST_ROUNDS says how many jobs, of two processes that reach each other over the network."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402

LAUNCHER = os.environ["LISLE_TEST_LAUNCHER"]
WHO = os.environ["LISLE_TEST_WHO"]
ROUNDS = int(os.environ.get("LISLE_TEST_ROUNDS", "5"))
MARK = f"LISLE_CYCLES_OF={os.getpid()}"


def left_processes():
    """Those that have inherited the mark."""
    found = []
    for environment in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if MARK.encode() in environment.read_bytes().split(b"\0"):
                found.append(environment.parent.name)
        except OSError:
            pass  # it has ended, or is another user's
    return found


def files():
    return {file.name for file in pathlib.Path("/dev/shm").iterdir() if "lisle" in file.name.lower()}


def main():
    before = files()
    name, value = MARK.split("=")
    environment = {**os.environ, name: value, "LISLE_NODES": "2", "LISLE_NETWORK_INTERFACE": "lo"}
    for number in range(ROUNDS):
        done = subprocess.run([LAUNCHER, "-n", "2", WHO], env=environment, capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        expect(done.returncode == 0 and done.stdout.count("of 2") == 2, f"job {number}: {done.stdout}{done.stderr}")
        expect(not left_processes(), f"job {number} has left processes: {left_processes()}")
    expect(files() <= before, f"files are left: {files() - before}")
    print(f"{ROUNDS} jobs, and nothing is left of them")


main()
