#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LISLE_CHECK says of two ranks on two hosts what it says of two ranks on one. The hosts are network namespaces of this
machine. Skipped, with the reason, where there can be none."""
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
MISTAKES = os.environ["LISLE_TEST_MISTAKES"]
TYPES = os.environ["LISLE_TEST_TYPES"]

OTHER_TYPE = "the message from rank 0 with tag 5 has elements of another type than the receive"
CALLS = "the ranks do not make the same call: "
SAID = {
    "other_type": f"MPI_Wait: {OTHER_TYPE}",
    "other_type_late": f"MPI_Wait: {OTHER_TYPE}",
    "other_type_announced": f"MPI_Recv: {OTHER_TYPE}",
    "types_of_collective": f"{CALLS}rank 1 names elements of another type than rank 0",
    "other_operation": f"{CALLS}rank 1 reduces with MPI_MAX, rank 0 reduces with MPI_SUM",
    "other_collective": f"{CALLS}rank 1 calls MPI_Ibcast, rank 0 calls MPI_Ibarrier",
}


def main():
    reason = missing() or (None if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: mpich)")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with Hosts(2) as hosts:
        words = [LISLERUN, "--through", "mpiexec.hydra", "--launch-agent", str(hosts.agent), "--hosts", ",".join(hosts.names)]

        def start(program, *how):
            environment = {**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0", "LISLE_CHECK": "1"}
            for _ in range(3):
                done = subprocess.run([*words, program, *how], text=True, capture_output=True, timeout=LIMIT, check=False,
                                      env=environment)
                if done.returncode == 0 or done.stderr:
                    break  # else Hydra has ended before it had passed on what was said
            return done

        for how, sentence in SAID.items():
            done = start(MISTAKES, how)
            expect(done.returncode != 0 and sentence in done.stderr, f"{how}: {done.returncode}\n{done.stderr}")
        for how in ("right", "bytes"):
            done = start(MISTAKES, how)
            expect(done.returncode == 0 and "lisle" not in done.stderr, f"{how}: {done.returncode}\n{done.stderr}")
        for how in ("plain", "many"):
            done = start(TYPES, "structures", how)
            expect(done.returncode != 0 and "{MPI_INT, MPI_DOUBLE}, and the receive takes" in done.stderr,
                   f"{how}: {done.returncode}\n{done.stderr}")
        done = start(TYPES, "right", "plain")
        expect(done.returncode == 0 and "lisle" not in done.stderr, f"{done.returncode}\n{done.stderr}")


main()
