# SPDX-License-Identifier: Apache-2.0
"""A job on three hosts, which are network namespaces of this machine, started by Hydra or orterun through an agent
that takes the place of ssh. Skipped, with the reason, where there can be no such hosts."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import expect  # noqa: E402
from hosts import SKIPPED, Hosts, missing  # noqa: E402

WHO = os.environ["LISLE_TEST_WHO"]


def hydra(hosts, each):
    names = ",".join(f"{name}:{each}" for name in hosts.names)
    bridge = f"{hosts.tag}b0"
    return ["mpiexec.hydra", "-launcher", "rsh", "-launcher-exec", str(hosts.agent), "-hosts", names,
            "-iface", bridge, "-n", str(each * hosts.count)]


def start(words, *arguments, timeout=120):
    begun = time.monotonic()
    environment = {**os.environ, "LISLE_NETWORK_INTERFACE": "eth0"}
    done = subprocess.run([*words, WHO, *arguments], text=True, capture_output=True, timeout=timeout, check=False,
                          env=environment)
    return done, time.monotonic() - begun


def main():
    reason = missing() or (None if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: mpich)")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with Hosts(3) as hosts:
        done, _ = start(hydra(hosts, 2))
        ranks = sorted(line for line in done.stdout.split("\n") if line.startswith("rank"))
        expect(done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
        expect(ranks == [f"rank {rank} of 6" for rank in range(6)], f"{done.stdout}{done.stderr}")
        expect("token 5" in done.stdout, f"{done.stdout}{done.stderr}")
        done, _ = start(hydra(hosts, 1), "die")
        expect(done.returncode != 0, f"a killed rank, and the job ends with 0\n{done.stdout}{done.stderr}")


main()
