# SPDX-License-Identifier: Apache-2.0
"""Jobs on hosts that are network namespaces with an sshd each: started by ssh, and lost in all ways. Skipped, with the
reason, where there can be no such hosts."""
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cluster"))
import started  # noqa: E402
from hosts import SKIPPED  # noqa: E402
from ssh_hosts import SSHD, SshHosts, host_processes, missing  # noqa: E402
from started import LIMIT, WORK, Job, expect, expect_all_ranks, kill, run  # noqa: E402

ROUNDS = int(os.environ.get("LISLE_TEST_ROUNDS", "0"))


def reached(hosts):
    one, two = hosts.names
    expect_all_ranks(run("--hosts", f"{one}:2,{two}:2", WORK)[0], 4)
    expect_all_ranks(run("--hosts", f"{one},{two}", "-T", "2", "-x", "COLOUR=blue", WORK)[0], 4, "blue")
    output, _ = run("--hosts", f"{one},{two}", "--label", "hostname")
    expect(sorted(output.splitlines()) == sorted(f"[{rank}] {name}" for rank, name in enumerate(hosts.names)), output)
    run("--hosts", f"{one}:2,{two}:2", WORK, "die", status=137, text=f"host {two}: rank 3 (process")
    run("--hosts", f"{one}:2,{two}:2", WORK, "abort", status=7, text="called MPI_Abort with code 7")
    for kind in ("wait", "linger"):
        job = Job("--hosts", f"{one}:2,{two}:2", WORK, kind)
        job.wait_for("all wait")
        job.process.send_signal(15)
        _, errors = job.end(143, "SIGTERM")
        hosts.expect_nothing_left(errors)


def secrets(hosts):
    """What other users see of a job holds none of its secrets: they see command lines, and may read no environment."""
    job = Job("--hosts", ",".join(hosts.names), WORK, "wait")
    job.wait_for("all wait")
    words = [pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1:]
             for host in range(hosts.count) for pid in hosts.pids(host, started.LISLERUN)]
    job.process.terminate()
    job.end(143)
    expect(words and all(word == [b"--keeper", b""] for word in words), f"keepers have the arguments {words}")


def not_reached(hosts):
    for name, reason in (("no-such-host.invalid", "its name is unknown here"), ("closed", "nothing listens at its port"),
                         ("nokey", "it wants a password"), ("otherkey", "its host key is not the one"),
                         ("newkey", "its host key is not known yet")):
        begun = time.monotonic()
        output, errors = run("--hosts", f"{hosts.names[0]},{name}", WORK, status=1, text=f"host {name} cannot be reached: ")
        print(f"{name}: {errors.strip()} ({time.monotonic() - begun:.1f} s)")
        expect(reason in errors and output == "" and len(errors.splitlines()) == 1, f"{output}{errors}")
    run("--hosts", hosts.names[0], "--prefix", "/nowhere", WORK, status=1, text="there is no /nowhere/bin/lislerun")
    hosts.expect_nothing_left("")


def killed(hosts):
    for what, status in ((WORK, 137), (started.LISLERUN, None)):
        for kind in ("wait", "linger"):
            job = Job("--hosts", ",".join(hosts.names), WORK, kind)
            job.wait_for("all wait")
            kill(hosts.pids(1, what)[0])
            _, errors = job.end(status, "lislerun: ")
            expect(job.process.returncode != 0, errors)
            hosts.expect_nothing_left(errors)
    job = Job("--hosts", ",".join(hosts.names), WORK, "wait")
    job.wait_for("all wait")
    kill(job.process.pid)
    job.end()
    hosts.expect_nothing_left("the launcher was killed")


def victims(hosts, job):
    """What may be killed of a job, by name: process ids that go together."""
    return {"rank": hosts.pids(1, WORK)[:1], "keeper": hosts.pids(1, started.LISLERUN)[:1], "launcher": [job.process.pid],
            "host": host_processes(hosts, 1)}


def killed_in_each_phase(hosts):
    """kill -9 of a rank, a keeper, the launcher or a whole host, while a job starts, runs or ends: it ends with a sentence,
    unless the launcher is gone, and nothing is left."""
    for kind in ("rank", "keeper", "launcher", "host"):
        for phase in ("starting", "running", "ending"):
            for _ in range(ROUNDS):
                job = Job("--hosts", ",".join(hosts.names), WORK, {"starting": "", "running": "wait", "ending": "linger"}[phase])
                if phase == "starting":
                    time.sleep(random.uniform(0, 1.5))
                else:
                    job.wait_for("all wait")
                doomed = victims(hosts, job)[kind]
                for pid in doomed:
                    kill(pid)
                _, errors = job.end()
                told = f"{kind}, {phase}, {doomed}: {job.process.returncode} {errors}"
                failed = job.process.returncode != 0
                expect(failed or phase == "starting", told)
                expect(not failed or kind == "launcher" or "lislerun" in errors, told)
                hosts.expect_nothing_left(told)
        print(kind, "killed", ROUNDS, "times in each phase", flush=True)


def lost(hosts):
    """A host that dies, or is cut off: the job ends with a sentence, and what is left on the host ends as well."""
    two = hosts.names[1]
    for silence in (True, False):
        job = Job("--hosts", ",".join(hosts.names), WORK, "wait", environment={"LISLE_NETWORK_SILENCE": "3"})
        job.wait_for("all wait")
        if silence:
            hosts.cut(1)
        else:
            for pid in hosts.pids(1, SSHD):
                kill(pid)
        _, errors = job.end(1, f"host {two} is lost: ")
        hosts.expect_nothing_left(errors)
        hosts.join(1)


def main():
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with SshHosts(2) as hosts:
        settings = started.without_launch_settings
        started.without_launch_settings = lambda: {**settings(), "LISLE_LAUNCH_AGENT": hosts.agent_words}
        for part in (killed_in_each_phase,) if ROUNDS else (reached, secrets, not_reached, killed, lost):
            part(hosts)


main()
