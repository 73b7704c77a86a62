# SPDX-License-Identifier: Apache-2.0
"""The programs that test behaviour through mpi.h, on hosts: all that ctest runs as mpi.NAME.SHAPE, but for those that
are about one process or one machine. LISLE_TEST_SCENARIO says where: four processes on two hosts; twelve ranks on
three hosts, as threads of two processes each or as fibers of one; or two hosts whose network loses or delays.
LISLE_TEST_SLICE, as 2/5, runs the second fifth of them; LISLE_TEST_ONLY, as rma_, those whose names begin so. Says how
many have passed, and fails unless all have."""
import json
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

LAUNCHER = os.environ["LISLE_TEST_LAUNCHER"]
BUILD = os.environ["LISLE_TEST_BUILD"]
SCENARIOS = {  # hosts, what lislerun is told of each one, their network
    "processes": (2, 2, [], {}),
    "threads": (3, 2, ["-T", "2"], {}),
    "fibers": (3, 1, ["-T", "4", "--ranks", "fiber", "--workers", "1"], {}),
    "loss": (2, 2, [], {"loss": 1}),  # 1 of 100 packets on each link
    "delay": (2, 2, [], {"delay": 10}),  # 20 ms from host to host
}
LONGEST = 280  # seconds for one program
ON_NODES = ("fabrics_used", "wildcards")  # which fabric carries what, and receives from all of them
ELSEWHERE = {
    "comm_not_there": "wants two ranks",
    "cpp_stress": "wants two ranks",
    "cpp_overhead": "counts the instructions of one node",
    "crowd": "wants a crowd",
    "many_ranks": "wants a crowd",
    "refused_copies": "is about copies by the kernel of one machine",
    "rma_killed": "is about locks in the memory of one machine",
    "rma_lock_survivors": "is about locks in the memory of one machine",
}
NOT_AS_FIBERS = ("rma_passive_owner",)  # waits in the system, and with it all fibers of its thread
# Whose argument and settings are others than on one node: this one's owner calls nothing of MPI.
OTHERWISE = {"rma_passive_owner": (["by_threads"], {"LISLE_PROGRESS": "threads"})}
# Arguments where a round trip takes 40 ms: fewer rounds, and not every type, for programs that wait for thousands of them.
FEWER = {"rma_accumulates": ["1", "few_types"], "rma_locks": ["5"], "rma_transfers": ["1"]}


def programs():
    """(name, program and arguments, environment) of each that runs as any number of processes"""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True, text=True, check=True)
    found = {}
    for test in json.loads(listed.stdout)["tests"]:
        words = test["name"].split(".")
        if len(words) < 2:  # stands for the tests of a program that has not been built
            continue
        if words[1] in ON_NODES and words[1] not in found:  # as they are: the hosts are their nodes
            found[words[1]] = (words[1], [next(word for word in test["command"][1:] if word.startswith("/"))], {})
        if words[0] != "mpi" or len(words) != 3 or words[1] in found or words[1] in ELSEWHERE:
            continue
        if words[1].endswith("_standard") or not words[2].startswith("p") or words[2] == "p1":
            continue
        command = test["command"][1:]
        begin = next(at for at, word in enumerate(command) if word.startswith("/"))
        settings = next((each["value"] for each in test["properties"] if each["name"] == "ENVIRONMENT"), [])
        found[words[1]] = (words[1], command[begin:], dict(each.split("=", 1) for each in settings))
        if os.environ["LISLE_TEST_SCENARIO"] == "delay" and words[1] in FEWER:
            found[words[1]] = (words[1], [command[begin], *FEWER[words[1]]], found[words[1]][2])
        if words[1] in OTHERWISE:
            arguments, settings = OTHERWISE[words[1]]
            found[words[1]] = (words[1], [command[begin], *arguments], settings)
    return [found[name] for name in sorted(found)]


def runs(hosts, each, options, words, settings):
    command = [LAUNCHER, "--through", "mpiexec.hydra", "--launch-agent", str(hosts.agent), "--hosts",
               ",".join(f"{name}:{each}" for name in hosts.names), *options, *words]
    environment = {**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0", **settings}
    job = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = job.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        job.kill()
        hosts.end_processes()
        said = f"{job.communicate()[0]}\nhas not ended within {LONGEST} s"
        return False, said
    return job.returncode in (0, SKIPPED), said


def main():
    reason = missing() or (None if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: mpich)")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    part, parts = map(int, os.environ.get("LISLE_TEST_SLICE", "1/1").split("/"))
    only = os.environ.get("LISLE_TEST_ONLY", "")
    left_out = NOT_AS_FIBERS if os.environ["LISLE_TEST_SCENARIO"] == "fibers" else ()
    chosen = [each for each in programs() if each[0].startswith(only) and each[0] not in left_out][part - 1::parts]
    expect(chosen, "ctest lists no test of behaviour")
    count, each, options, network = SCENARIOS[os.environ["LISLE_TEST_SCENARIO"]]
    failed = []
    with Hosts(count, **network) as hosts:
        for name, words, settings in chosen:
            begun = time.monotonic()
            passed, said = runs(hosts, each, options, words, settings)
            print(f"{'passed' if passed else 'FAILED'} {name} {time.monotonic() - begun:.1f} s", flush=True)
            if not passed:
                failed.append(name)
                print(said[-2000:], flush=True)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} passed")
    expect(not failed, f"failed: {' '.join(failed)}")


main()
