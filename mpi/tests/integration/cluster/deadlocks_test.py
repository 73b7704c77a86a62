#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks on two and three hosts that wait for each other say so, as on one; a job that goes on is left alone. The hosts
are network namespaces of this machine. Skipped, with the reason, where there can be none."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402
from hosts import SKIPPED, Hosts, missing  # noqa: E402

LISLERUN = os.environ["LISLE_TEST_LAUNCHER"]
DEADLOCKS = os.environ["LISLE_TEST_DEADLOCKS"]
EXIT_CODE = 125

# Three ranks: how they stand still, and what is said.
SAID = {
    "ring": ["lisle: deadlock: no rank of the job can go on, and no message is under way", "deadlocks.c:",
             "rank 0 waits in MPI_Recv for rank 2, rank 2 waits in MPI_Recv for rank 1, "
             "rank 1 waits in MPI_Recv for rank 0."],
    "wildcards": ["a message from any rank", "it has a message of 4 bytes from rank 0 under tag 8"],
    "long_sends": ["rank 0 waits in MPI_Send for rank 1", "4194304"],
    "missing": ["rank 1 waits in MPI_Barrier for rank 0", "MPI_Finalize"],
}
GOES_ON = ["computes", "busy", "generalized", "thread_sends"]
# Where packets take their time all ranks sleep meanwhile.
GOES_ON_SLOWLY = ["computes", "late_to_collective"]
# Here the first to leave are gone for long before the others have heard it.
GOES_ON_VERY_SLOWLY = ["any_source"]
# Processes on each host, milliseconds to a host and from it, what is said and what must not be ended there.
JOBS = [((2, 1), 0, SAID, GOES_ON), ((1, 1, 1), 10, SAID, GOES_ON_SLOWLY), ((1, 1, 1), 100, {}, GOES_ON_VERY_SLOWLY)]


def main():
    reason = missing() or (None if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: mpich)")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    for slots, delay, said, goes_on in JOBS:
        count = len(slots)
        with Hosts(count, delay=delay) as hosts:
            places = ",".join(f"{name}:{room}" for name, room in zip(hosts.names, slots))
            words = [LISLERUN, "--through", "mpiexec.hydra", "--launch-agent", str(hosts.agent), "--hosts", places]

            def start(how):
                environment = {**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0"}
                for _ in range(3):
                    done = subprocess.run([*words, DEADLOCKS, how], text=True, capture_output=True, timeout=LIMIT, check=False,
                                          env=environment)
                    if done.returncode == 0 or done.stderr:
                        break  # else Hydra has ended before it had passed on what was said
                return done

            for how, sentences in said.items():
                done = start(how)
                expect(done.returncode == EXIT_CODE, f"{how} on {count}: {done.returncode}\n{done.stdout}{done.stderr}")
                for sentence in sentences:
                    expect(sentence in done.stderr, f"{how} on {count}: no \"{sentence}\" in\n{done.stdout}{done.stderr}")
            for how in goes_on:
                done = start(how)
                expect(done.returncode == 0 and "all ended" in done.stdout,
                       f"{how} on {count}: {done.returncode}\n{done.stdout}{done.stderr}")


main()
