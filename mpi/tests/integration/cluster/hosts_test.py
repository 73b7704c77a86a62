# SPDX-License-Identifier: Apache-2.0
"""A job on three hosts, which are network namespaces of this machine, started by Hydra or orterun through an agent
that takes the place of ssh. Skipped, with the reason, where there can be no such hosts."""
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
WHO = os.environ["LISLE_TEST_WHO"]
MANAGER = os.environ["LISLE_TEST_MANAGER"]


def hydra(hosts, each):
    names = ",".join(f"{name}:{each}" for name in hosts.names)
    return ["mpiexec.hydra", "-launcher", "rsh", "-launcher-exec", str(hosts.agent), "-hosts", names,
            "-n", str(each * hosts.count)]


def start(hosts, words, *arguments, timeout=2 * LIMIT):
    environment = {**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0"}
    done = subprocess.run([*words, WHO, *arguments], text=True, capture_output=True, timeout=timeout, check=False,
                          env=environment)
    return done


def all_ranks_speak(hosts, words, count):
    done = start(hosts, words)
    what = f"{words}\n{done.stdout}{done.stderr}"
    ranks = sorted(line for line in done.stdout.split("\n") if line.startswith("rank"))
    expect(done.returncode == 0, f"exit status {done.returncode}, {what}")
    expect(ranks == sorted(f"rank {rank} of {count}" for rank in range(count)), what)
    expect(f"token {count - 1}" in done.stdout, what)


def started_by_lislerun(hosts, launcher):
    """lislerun --hosts has an installed launcher start its processes."""
    words = [LISLERUN, "--through", launcher, "--launch-agent", str(hosts.agent)]
    first, second, third = hosts.names
    file = hosts.folder / "hostfile"
    file.write_text(f"{first} slots=2\n{second}:1  # and no more\n{third}\n")
    all_ranks_speak(hosts, [*words, "--hosts", f"{first},{second}:2"], 3)
    all_ranks_speak(hosts, [*words, "--hostfile", str(file)], 4)
    all_ranks_speak(hosts, [*words, "--hosts", ",".join(hosts.names), "-T", "2"], 6)
    all_ranks_speak(hosts, [*words, "--hosts", f"{first}:2,{second}:2", "--ranks", "fiber"], 4)
    all_ranks_speak(hosts, [*words, "--hosts", f"{first},{second}", "-n", "5", "-T", "2"], 5)
    done = start(hosts, [*words, "--hosts", f"{first},{second}"], "die")
    expect(done.returncode != 0, f"{launcher}: a killed rank, and the job ends with 0\n{done.stdout}{done.stderr}")


def spawned_on_another_host(hosts, launcher):
    """MPI_Comm_spawn with the key "host": the new job is started as the first one was."""
    first, second, _ = hosts.names
    words = [LISLERUN, "--through", launcher, "--launch-agent", str(hosts.agent), "--hosts", f"{first}:2,{second}:2",
             "-n", "1", MANAGER, second]
    done = subprocess.run(words, text=True, capture_output=True, timeout=2 * LIMIT, check=False,
                          env={**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0"})
    expect(done.returncode == 0, f"exit status {done.returncode}, {words}\n{done.stdout}{done.stderr}")
    expect(sorted(done.stdout.splitlines()) ==
           ["a universe of 4", f"worker 0 is on {second}", f"worker 1 is on {second}"], f"{done.stdout}{done.stderr}")


def main():
    reason = missing() or (None if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: mpich)")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with Hosts(3) as hosts:
        all_ranks_speak(hosts, hydra(hosts, 2), 6)
        done = start(hosts, hydra(hosts, 1), "die")
        expect(done.returncode != 0, f"a killed rank, and the job ends with 0\n{done.stdout}{done.stderr}")
        for launcher in ("mpiexec.hydra", "orterun"):
            if shutil.which(launcher):
                started_by_lislerun(hosts, launcher)
                spawned_on_another_host(hosts, launcher)
            else:
                print(f"{launcher} is not installed")


main()
