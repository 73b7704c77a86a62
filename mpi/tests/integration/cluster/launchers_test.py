# SPDX-License-Identifier: Apache-2.0
"""The same unmodified program under lislerun, Hydra (PMI-1) and orterun (PMIx): n ranks, not n times one; a rank
that aborts ends the job. A launcher that is not installed is named and left out; none at all counts as skipped."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402

SKIPPED = 77
LISLERUN = os.environ["LISLE_TEST_LAUNCHER"]
WHO = os.environ["LISLE_TEST_WHO"]

# name -> the words that start 3 processes
LAUNCHERS = {
    "mpiexec.hydra": ["mpiexec.hydra", "-n", "3"],
    "orterun": ["orterun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_tcp_if_include", "lo", "-n", "3"],
}


def start(words, *arguments, **variables):
    environment = {**os.environ, "LISLE_NETWORK_INTERFACE": "lo", **variables}
    done = subprocess.run([*words, WHO, *arguments], text=True, capture_output=True, timeout=2 * LIMIT, check=False,
                          env=environment)
    return done.returncode, done.stdout, done.stderr


def start_and_hear(words, *arguments):
    """Starts what is to fail. Hydra may end before it has passed on what a process has written last: then again."""
    for _ in range(3):
        ended = start(words, *arguments)
        if ended[0] == 0 or ended[2]:
            break
    return ended


def inside(words, *options):
    """The words with lislerun as the program that is started: its options say what each process runs."""
    return [*words, LISLERUN, *options]


def all_ranks_speak(name, words, count, **variables):
    status, output, errors = start(words, **variables)
    lines = sorted(output.split("\n"))
    expected = [f"rank {rank} of {count}" for rank in range(count)]
    expect(status == 0, f"{name} {variables}: exit status {status}\n{output}{errors}")
    expect([line for line in lines if line.startswith("rank")] == expected, f"{name} {variables}:\n{output}{errors}")
    expect(f"token {count - 1}" in lines, f"{name} {variables}: no token\n{output}{errors}")


def own_jobs(name, words):
    """With -n lislerun starts a job of its own, wherever it is."""
    status, output, errors = start([*words, LISLERUN, "-q", "-n", "2"])
    expect(status == 0, f"{name}: {status}\n{output}{errors}")
    expect(output.count("rank 1 of 2") == 3 and output.count("token 1") == 3, f"{name}:\n{output}{errors}")


def main():
    all_ranks_speak("lislerun, nodes apart", [LISLERUN, "-n", "3"], 3, LISLE_NODES="-1")
    all_ranks_speak("lislerun, two nodes", [LISLERUN, "-P", "3", "-T", "2"], 6, LISLE_NODES="2")
    found = 0
    for name, words in LAUNCHERS.items():
        if shutil.which(words[0]) is None:
            print(f"{name} is not installed")
            continue
        found += 1
        all_ranks_speak(name, words, 3)
        all_ranks_speak(name, words, 3, LISLE_NODES="-1")
        all_ranks_speak(name, words, 3, LISLE_NODES="2")
        all_ranks_speak(f"{name}, threads", inside(words, "-T", "2"), 6)
        all_ranks_speak(f"{name}, threads", inside(words, "--ranks", "thread"), 3)
        all_ranks_speak(f"{name}, fibers", inside(words, "-T", "2", "--ranks", "fiber"), 6)
        all_ranks_speak(f"{name}, fibers", inside(words, "-T", "3", "--ranks", "fiber"), 9, LISLE_NODES="-1")
        all_ranks_speak(f"{name}, processes", inside(words), 3)
        all_ranks_speak(f"{name}, threads by the environment", inside(words), 6, LISLE_THREADS_PER_PROCESS="2")
        for what in ("abort", "die"):
            for shape in ([], [LISLERUN, "-T", "2"], [LISLERUN, "-T", "2", "--ranks", "fiber"]):
                status, output, errors = start_and_hear([*words, *shape], what)
                said = f"{name} {shape} {what}: exit status {status}\n{output}{errors}"
                expect(status != 0, said)
                # Of a killed rank the launcher speaks, since it ends the others at once.
                sentences = errors.count("called MPI_Abort with code 7") if what == "abort" else errors.count("illed")
                expect(sentences == 1 or what == "die" and name == "mpiexec.hydra", said)
        status, output, errors = start(words, LISLE_THREADS_PER_PROCESS="2")
        expect(status != 0, f"{name}: a setting is ignored\n{output}{errors}")
        own_jobs(name, words)
    if found == 0:
        print("no launcher but Lisle's own is here (Debian: mpich, openmpi-bin): skipped")
        sys.exit(SKIPPED)


main()
