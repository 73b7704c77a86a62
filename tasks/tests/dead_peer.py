#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A rank of a running program is killed: the job ends with an error within the set time, and says which rank it was.

usage: dead_peer.py bin-directory
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mpi/tests/integration"))
from commands import LIMIT  # noqa: E402

SECONDS = LIMIT / 10
binaries = pathlib.Path(sys.argv[1]).resolve()
failures = 0


def ranks_of(launcher):
    """The processes with ranks that a launcher has started, itself or through others."""
    children, ranks = {}, []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "stat").read_text() if entry.name.isdigit() else ""
        except OSError:  # has ended meanwhile
            continue
        if words:
            name, rest = words.partition("(")[2].rpartition(")")[::2]
            children.setdefault(int(rest.split()[1]), []).append((int(entry.name), name))
    waiting = [launcher]
    while waiting:
        for process, name in children.get(waiting.pop(), []):
            waiting.append(process)
            if name == "lisle-task":
                ranks.append(process)
    return sorted(ranks)


for victim in range(3):
    for options in ([], ["--bridges", "3"]):
        words = [str(binaries / "mpirun"), "-n", "3", str(binaries / "lisle-task"), *options, "-e",
                 "(seq (print \"begun\") (map (lambda (i) (sys.sleep 20)) (range 100000)))"]
        job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "begun" in job.stdout.readline()
        time.sleep(0.2)
        ranks = ranks_of(job.pid)
        assert len(ranks) == 3, ranks
        os.kill(ranks[victim], signal.SIGKILL)
        killed = time.monotonic()
        try:
            _, errors = job.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            _, errors = job.communicate()
        took = time.monotonic() - killed
        if took >= SECONDS or job.returncode == 0 or "was ended by SIGKILL" not in errors:
            failures += 1
            print(f"{options}, process {victim} of 3 killed: {took:.1f} s, status {job.returncode}: {errors}", file=sys.stderr)
        left = [each for each in ranks if pathlib.Path(f"/proc/{each}").exists()]
        if left:
            failures += 1
            print(f"{options}, process {victim} of 3 killed: {left} still run", file=sys.stderr)

sys.exit(failures != 0)
