# SPDX-License-Identifier: Apache-2.0
"""Jobs on hosts whose network loses, delays, or ends: what is sent arrives whole, and who is cut off has failed within
the set time. The hosts are network namespaces of this machine; skipped, with the reason, where there can be none.
LISLE_TEST_SCENARIOS names what is done."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import LIMIT, expect  # noqa: E402
from hosts import SKIPPED, Hosts, missing  # noqa: E402

TRAFFIC = os.environ["LISLE_TEST_TRAFFIC"]
LAUNCHER = os.environ["LISLE_TEST_LAUNCHER"]
ROUNDS = int(os.environ.get("LISLE_TEST_ROUNDS", "18"))
SILENCE = 2


def begin(hosts, *arguments, each=1, options=(), **environment):
    """Starts the traffic on all hosts through Hydra; further words are those of the started program."""
    words = [LAUNCHER, "--through", "mpiexec.hydra", "--launch-agent", str(hosts.agent), "--hosts",
             ",".join(f"{name}:{each}" for name in hosts.names), *options, TRAFFIC, *map(str, arguments)]
    settings = {"LISLE_NETWORK_INTERFACE": "eth0", **hosts.environment, **environment}
    return subprocess.Popen(words, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def end(job, timeout=2 * LIMIT):
    try:
        out, errors = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        job.kill()
        out, errors = job.communicate()
        errors = (errors or "") + f"\nhas not ended within {timeout} s"
    return out, f"exit status {job.returncode}\n{out}{errors}"


def finishes(hosts, *arguments, ranks, **environment):
    job = begin(hosts, *arguments, **environment)
    out, what = end(job)
    expect(job.returncode == 0, what)
    expect(out.count(f"finished {ranks} of {ranks}") == ranks, what)


def wait_for(files):
    for _ in range(1000):
        if all(file.exists() for file in files):
            return
        time.sleep(0.05)
    expect(False, f"the traffic has not begun: {files}")


def loss():
    """One of a hundred packets of each host is lost."""
    with Hosts(2, loss=1) as hosts:
        finishes(hosts, ROUNDS, each=2, ranks=4)
        finishes(hosts, ROUNDS, ranks=4, options=["-T", "2"], LISLE_PROGRESS="threads")


def delay():
    """A message takes 20 ms from host to host."""
    with Hosts(2, delay=10) as hosts:
        finishes(hosts, ROUNDS, 300000, each=2, ranks=4)
        finishes(hosts, ROUNDS, 300000, ranks=2, LISLE_PROGRESS="threads")


def rails():
    """Two rails share the long messages, and each may be cut while they are on their way."""
    for lost, other in ((1, 2), (2, 1)):
        with Hosts(2, rails=3) as hosts:  # the launcher has the first one to itself
            for rail in (lost, other):
                for host in range(2):
                    hosts.limit(host, "800mbit", rail)
            job = begin(hosts, 24, 8 << 20, LISLE_NETWORK_INTERFACE="eth1,eth2", LISLE_NETWORK_SILENCE=str(SILENCE),
                        TRAFFIC_GO=str(hosts.folder / "go"))
            wait_for([hosts.folder / f"go.{rank}" for rank in range(2)])
            before = hosts.bytes_sent(0, other)
            expect(min(before, hosts.bytes_sent(0, lost)) > 2 << 20, "one rail has carried next to nothing")
            hosts.cut(1, lost)
            out, what = end(job)
            expect(job.returncode == 0, f"rail {lost} was cut: {what}")
            expect(out.count("finished 2 of 2\n") == 2, what)
            expect(hosts.bytes_sent(0, other) - before > 8 << 20, f"rail {other} has carried nothing since")


def cut():
    """A host that is cut off in the middle has failed for the others, which finish without it."""
    with Hosts(3) as hosts:
        go = hosts.folder / "go"
        job = begin(hosts, 60, 4 << 20, options=["--with-ft", "ulfm"], LISLE_RECOVERY="1", TRAFFIC_SURVIVE="1",
                    LISLE_NETWORK_SILENCE=str(SILENCE), TRAFFIC_GO=str(go))
        wait_for([hosts.folder / f"go.{rank}" for rank in range(3)])
        hosts.cut(2)
        begun = time.monotonic()
        lines = []
        for line in job.stdout:
            lines.append(line)
            if "".join(lines).count("finished 2 of 3 after a failure") == 2:
                break
        took = time.monotonic() - begun
        job.kill()
        what = "".join(lines) + job.stderr.read()
        expect("".join(lines).count("finished 2 of 3 after a failure") == 2, what)
        print(f"the survivors had finished {took:.1f} s after the cut, of which at most {SILENCE} s are silence")


def main():
    reason = missing() or (None if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: mpich)")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    for scenario in os.environ["LISLE_TEST_SCENARIOS"].split():
        {"loss": loss, "delay": delay, "rails": rails, "cut": cut}[scenario]()


main()
