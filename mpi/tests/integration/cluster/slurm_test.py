# SPDX-License-Identifier: Apache-2.0
"""Starts through Slurm, whose two nodes are on this machine: srun itself, srun with lislerun as the program, and
lislerun --hosts within an allocation; survivors of a killed task."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402
from hosts import SKIPPED  # noqa: E402
from slurm import Slurm, missing  # noqa: E402

LISLERUN = os.environ["LISLE_TEST_LAUNCHER"]
WHO = os.environ["LISLE_TEST_WHO"]
RECOVER = os.environ["LISLE_TEST_RECOVER"]
SRUN = ["srun", "--overcommit", "-N", "2"]


def start(slurm, words, **variables):
    environment = {**os.environ, **slurm.environment, "LISLE_NETWORK_INTERFACE": "lo", **variables}
    return subprocess.run(words, text=True, capture_output=True, timeout=2 * LIMIT, check=False, env=environment)


def all_ranks_speak(slurm, words, count, **variables):
    done = start(slurm, [*words, WHO], **variables)
    what = f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    ranks = sorted(line for line in done.stdout.split("\n") if line.startswith("rank"))
    expect(done.returncode == 0, what)
    expect(ranks == sorted(f"rank {rank} of {count}" for rank in range(count)), what)
    expect(f"token {count - 1}" in done.stdout, what)


def main():
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with Slurm() as slurm:
        pmix = [*SRUN, "--mpi=pmix", "-n", "4"]
        all_ranks_speak(slurm, pmix, 4)
        all_ranks_speak(slurm, [*pmix, LISLERUN, "-T", "2"], 8)
        all_ranks_speak(slurm, [*pmix, LISLERUN], 8, LISLE_THREADS_PER_PROCESS="2")
        all_ranks_speak(slurm, [*pmix, LISLERUN, "-T", "2", "--ranks", "fiber"], 8)
        all_ranks_speak(slurm, [*SRUN, "--mpi=pmi2", "-n", "3"], 3)
        allocation = ["salloc", "-Q", "-N", "2"]
        hosts = f"{slurm.nodes[0]}:2,{slurm.nodes[1]}"
        all_ranks_speak(slurm, [*allocation, LISLERUN, "--hosts", hosts], 3)
        all_ranks_speak(slurm, [*allocation, LISLERUN, "--hosts", ",".join(slurm.nodes), "-T", "2"], 4)
        all_ranks_speak(slurm, [*allocation, LISLERUN, "--hosts", ",".join(slurm.nodes), "-T", "2", "--ranks", "fiber"], 4)
        for what, sentence in (("abort", "called MPI_Abort with code 7"), ("die", "task 3: Killed")):
            for inside in ([], [LISLERUN, "-T", "2"]):
                done = start(slurm, [*pmix, *inside, WHO, what])
                said = f"{what}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
                expect(done.returncode != 0 and done.stderr.count(sentence) == 1, said)
        patient = [*SRUN, "--mpi=pmix", "-n", "5", "--no-kill", "--kill-on-bad-exit=0"]
        for scenario, dead in (("messages", 1), ("collectives", 1), ("agreements", 2), ("last_one", 4)):
            done = start(slurm, [*patient, RECOVER, scenario], LISLE_RECOVERY="1")
            expect(done.stdout.count("recovered") == 5 - dead, f"{scenario}:\n{done.stdout}{done.stderr}")
        done = start(slurm, [*SRUN, "-n", "2", "--mpi=none", WHO])
        expect(done.returncode != 0 and "srun --mpi=pmix" in done.stderr, f"{done.stdout}{done.stderr}")


main()
