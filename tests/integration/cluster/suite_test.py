# SPDX-License-Identifier: Apache-2.0
"""The programs that test behaviour through mpi.h, on two hosts whose network loses or delays: those that ctest runs as
mpi.*.network.*, started on hosts instead of on pretended nodes. LISLE_TEST_SCENARIO is loss or delay; LISLE_TEST_SLICE,
as 2/5, runs the second fifth of them. Says how many have passed, and fails unless all have."""
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
WEATHER = {"loss": {"loss": 1}, "delay": {"delay": 10}}  # 1 of 100 packets on each link; 20 ms from host to host
LONGEST = 120  # seconds for one program


def programs():
    """(name, options of lislerun, program and arguments)"""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        if not test["name"].startswith("mpi.") or ".network." not in test["name"]:
            continue
        words = test["command"][1:]
        begin = next(at for at, word in enumerate(words) if word.startswith("/"))
        yield test["name"], words[:begin], words[begin:]


def shape(hosts, options):
    """The same ranks on two hosts."""
    if "-T" in options:
        kind = ["--ranks", "fiber"] if "fiber" in options else []
        return ["--hosts", ",".join(hosts.names), "-T", options[options.index("-T") + 1], *kind]
    each = int(options[options.index("-n") + 1]) // 2
    return ["--hosts", ",".join(f"{name}:{each}" for name in hosts.names)]


def runs(hosts, options, words):
    command = [LAUNCHER, "--through", "mpiexec.hydra", "--launch-agent", str(hosts.agent), *shape(hosts, options), *words]
    environment = {**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0"}
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
    chosen = list(programs())[part - 1::parts]
    expect(chosen, "ctest lists no test of networks")
    failed = []
    with Hosts(2, **WEATHER[os.environ["LISLE_TEST_SCENARIO"]]) as hosts:
        for name, options, words in chosen:
            begun = time.monotonic()
            passed, said = runs(hosts, options, words)
            print(f"{'passed' if passed else 'FAILED'} {name} {time.monotonic() - begun:.1f} s", flush=True)
            if not passed:
                failed.append(name)
                print(said[-2000:], flush=True)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} passed")
    expect(not failed, f"failed: {' '.join(failed)}")


main()
