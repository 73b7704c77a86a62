# SPDX-License-Identifier: Apache-2.0
"""Jobs on several hosts through an agent that runs each command on this machine: what users see of a job on one
machine they see of a job on several, and nothing is left of it however it ends."""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from started import LISLERUN, WORK, Job, expect, expect_all_ranks, kill, run  # noqa: E402

ROUNDS = int(os.environ.get("LISLE_TEST_ROUNDS", "1"))
HOSTS_OF_A_TREE = int(os.environ.get("LISLE_TEST_HOSTS", "18"))
TWO = ("--hosts", "one:2,two:2")


def make_agent(folder):
    """HOST COMMAND...: as ssh, a shell reads the command, and what its start-up files print comes first."""
    agent = folder / "agent"
    agent.write_text("#!/bin/sh\n"
                     "host=$1\nshift\n"
                     "case $host in\n"
                     "  unknown) echo 'ssh: Could not resolve hostname unknown: Name or service not known' >&2; exit 255;;\n"
                     "  closed) echo 'ssh: connect to host closed port 22: Connection refused' >&2; exit 255;;\n"
                     "  password) echo 'user@password: Permission denied (publickey,password).' >&2; exit 255;;\n"
                     "  key) echo 'Host key verification failed.' >&2; exit 255;;\n"
                     "  bare) exec sh -c \"/nowhere/lislerun --keeper\";;\n"
                     "  old) echo 'LISLE-KEEPER 0.0.1'; exec cat > /dev/null;;\n"
                     "  deaf) exec sh -c \"$*\" < /dev/null;;\n"
                     "  babbling) exec cat /dev/zero;;\n"
                     "esac\n"
                     "echo Welcome to $host\n"
                     "exec sh -c \"$*\"\n")
    agent.chmod(0o755)
    return agent


def what_works_on_one_host(folder):
    output, _ = run(*TWO, WORK)
    expect_all_ranks(output, 4)
    expect_all_ranks(run(*TWO, "-x", "COLOUR=red", WORK)[0], 4, "red")
    expect_all_ranks(run("--hosts", "one:2,two:1", "-n", "5", WORK)[0], 5)
    expect_all_ranks(run(*TWO, "-n", "2", "--ranks", "thread", WORK)[0], 2)
    expect_all_ranks(run("--hosts", "one,two", "-T", "2", WORK)[0], 4)
    expect_all_ranks(run(*TWO, "--ranks", "fiber", WORK)[0], 4)
    expect_all_ranks(run(*TWO, "-n", "1", WORK, ":", "-n", "3", WORK)[0], 4)
    expect_all_ranks(run("--hosts", "localhost,two:2", WORK)[0], 3)
    expect_all_ranks(run("--hosts", "one:3", WORK)[0], 3)
    hostfile = folder / "hosts"
    hostfile.write_text("one slots=2\ntwo:1\n")
    expect_all_ranks(run("-hostfile", hostfile, WORK)[0], 3)
    output, _ = run(*TWO, "--label", WORK)
    expect(all(line.startswith(f"[{line.split()[2]}] ") for line in output.splitlines()), output)
    output, _ = run(*TWO, "-prepend-pattern", "<%r> ", WORK)
    expect(all(line.startswith(f"<{line.split()[2]}> ") for line in output.splitlines()), output)
    run(*TWO, "--output-filename", f"{folder}/out:nocopy", WORK)
    texts = [(folder / "out" / "1" / f"rank.{rank}" / "stdout").read_text() for rank in range(4)]
    expect_all_ranks("".join(texts), 4)


def input_and_output():
    text = "".join(f"{i}\n" for i in range(200000))
    output, _ = run(*TWO, "-stdin", "3", WORK, "read", send=text)
    expect(f"rank 3 has read {len(text)} bytes" in output and "rank 0 has read 0 bytes" in output, output)
    output, _ = run(*TWO, "-stdin", "all", WORK, "read", send=text)
    told = {line.partition("has")[2] for line in output.splitlines() if "has read" in line}
    expect(len(told) == 1 and f"read {len(text)} bytes" in told.pop(), output)
    output, _ = run(*TWO, WORK, send=text)  # nobody reads it
    output, _ = run(*TWO, WORK, "print")
    for rank in range(4):
        lines = [line for line in output.splitlines() if line.startswith(f"<{rank}> ")]
        expect(lines == [f"<{rank}> line {i} of a rank that prints much" for i in range(20000)],
               f"rank {rank} has printed {len(lines)} of 20000 lines")
    job = Job(*TWO, WORK, "print")
    job.process.stdout.readline()
    job.process.stdout.close()  # nobody reads the rest
    job.process.stdout = None
    job.end([128 + signal.SIGPIPE])


def expect_table(errors):
    """One table of the ranks of both hosts."""
    rows = re.findall(r"^ +(\d) +(\S+) +(.*?)(?:  .*|)$", errors, re.MULTILINE)
    waits = ("MPI_Recv", "a message from rank 1")
    works = ("-", "nothing: it is at work, or waits outside MPI")
    expect(rows == [("0", *waits), ("1", *works), ("2", *waits), ("3", *waits)], f"{rows}\n{errors}")
    expect(errors.count("what the ranks of the job wait for") == 1 and "work.c:" in errors, errors)


def waits():
    """What the ranks wait for, at the end of the time and when the launcher is asked."""
    job = Job(*TWO, "--timeout", "5", WORK, "half")
    _, errors = job.end(124, "the job has not ended within 5 s (--timeout)")
    expect_table(errors)
    expect(errors.index("what the ranks") < errors.index("has not ended"), errors)
    expect("lisle: rank" not in errors, errors)  # ranks that see others stopped are stopped as well
    job = Job(*TWO, WORK, "half")
    job.wait_for("all wait")
    time.sleep(0.5)  # for the others to wait as well
    subprocess.run([LISLERUN, "--status", str(job.process.pid)], check=True)
    errors = ""
    while "\n  3 " not in errors:
        line = job.process.stderr.readline()
        expect(line, f"the launcher has told only {errors}")
        errors += line
    expect_table(errors)
    job.process.terminate()
    job.end(143)
    for nodes in ("2", "-1"):  # of one machine, on which lislerun itself starts them
        _, errors = run("-n", "4", "--timeout", "6", WORK, "half", status=124, environment={"LISLE_NODES": nodes})
        expect_table(errors)
    _, errors = run(*TWO, "--timeout", "1", "sleep", "30", status=124)
    expect("no rank of the job has called MPI_Init" in errors, errors)


def ends():
    run(*TWO, WORK, "die", status=137, text="host two: rank 3 (process")
    run(*TWO, WORK, "abort", status=7, text="host two: rank 3 called MPI_Abort with code 7; the job is stopped")
    run(*TWO, WORK, "code", status=5, text="on two: rank 3 (process")
    run(*TWO, "--timeout", "3", WORK, "wait", status=124, text="the job has not ended within 3 s (--timeout)")
    _, errors = run(*TWO, WORK, "receive", status=125, text="deadlock")
    expect(errors.count("lislerun: ") == 1, errors)
    run(*TWO, "sh", "-c", "exit 3", status=3)
    run(*TWO, "--wdir", "/", "pwd")
    for number in (signal.SIGINT, signal.SIGTERM):
        job = Job(*TWO, WORK, "wait")
        job.wait_for("all wait")
        job.process.send_signal(number)
        job.end(128 + number, "the job is stopped")
    job = Job(*TWO, "sh", "-c", "trap 'echo usr1; exit 0' USR1; echo all wait; while :; do sleep 0.1; done")
    for _ in range(4):
        job.wait_for("all wait")
    job.process.send_signal(signal.SIGUSR1)
    output, _ = job.end(0)
    expect(output.count("usr1") == 4, output)


def hosts_that_cannot_be_reached():
    for name, reason in (("unknown", "its name is unknown here"), ("closed", "nothing listens at its port of ssh"),
                         ("password", "it wants a password"), ("key", "its host key is not known yet"),
                         ("bare", f"there is no {pathlib.Path(LISLERUN).resolve()}"), ("deaf", "kubectl exec -i"),
                         ("old", "it has version 0.0.1 of Lisle"), ("babbling", "other things than a keeper")):
        output, errors = run("--hosts", f"one,{name}", WORK, status=1, text=f"host {name} cannot be reached: ")
        expect(reason in errors and output == "", f"{name}: {output}{errors}")
        expect(len(errors.splitlines()) == 1, errors)
    run("--hosts", "one,two", "/nowhere/program", status=127, text="/nowhere/program")
    run("--hosts", "one,two", "--launch-agent", "/nowhere/agent", WORK, status=127, text="/nowhere/agent")
    run("--hosts", "one,two", "--prefix", "/nowhere", WORK, status=1, text="there is no /nowhere/bin/lislerun")


def keepers(job):
    """The keeper of each host, which is the parent of the supervisor there."""
    return sorted(pid for pid, words in job.processes().items() if words.startswith(LISLERUN) and "--keeper" in words
                  and pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "lislerun")


def supervisors(job):
    return sorted(pid for pid, words in job.processes().items() if "--keeper" in words
                  and pathlib.Path(f"/proc/{pid}/comm").read_text().strip() != "lislerun" and "sh -c" not in words)


def ranks(job):
    return sorted(pid for pid, words in job.processes().items() if words.startswith(WORK))


def conductor(job):
    found = pathlib.Path(f"/proc/{job.process.pid}/task/{job.process.pid}/children").read_text().split()
    return [int(pid) for pid in found]


VICTIMS = {"rank": ranks, "keeper": keepers, "supervisor": supervisors, "launcher": lambda job: [job.process.pid],
           "conductor": conductor}


def kills():
    """Whatever is killed, in whatever phase: a sentence, unless it is the launcher itself, and nothing is left."""
    for _ in range(ROUNDS):
        for victim, find in VICTIMS.items():
            for what in ("wait", "linger"):
                job = Job(*TWO, WORK, what)
                job.wait_for("all wait")
                kill(random.choice(find(job)))
                _, errors = job.end()
                expect(job.process.returncode != 0, f"{victim} was killed, and the exit status is 0")
                expect(victim == "launcher" or "lislerun" in errors, f"{victim} was killed in silence")
            job = Job(*TWO, WORK)  # while it starts, or ends
            time.sleep(random.uniform(0, 0.3))
            try:
                found = find(job)
            except OSError:
                found = []  # the one that it was to be has just ended
            if found:
                kill(random.choice(found))
            job.end()


def lost_hosts():
    """With recovery a host that is lost is lost ranks."""
    for _ in range(ROUNDS):
        job = Job("--hosts", "one:2,two:1,three:1", "--with-ft", "ulfm", WORK, "survive")
        limit = time.monotonic() + 60
        while len(ranks(job)) < 4 and time.monotonic() < limit:
            time.sleep(0.05)
        time.sleep(1)  # most often all have begun by then; else the job ends with a sentence
        kill(keepers(job)[-1])
        output, errors = job.end([0, 1])
        if job.process.returncode == 0:
            expect("the others go on" in errors, errors)
            expect(output.count("survivors") >= 2, output + errors)
        else:
            expect("the job is stopped" in errors, errors)


def tree():
    """Above 16 hosts keepers reach others."""
    names = ",".join(f"host{i}" for i in range(HOSTS_OF_A_TREE))
    output, _ = run("--hosts", names, WORK)
    expect_all_ranks(output, HOSTS_OF_A_TREE)
    run("--hosts", f"{names},unknown", WORK, status=1, text="host unknown cannot be reached")
    for find in (keepers, lambda job: [job.process.pid]):
        job = Job("--hosts", names, WORK, "wait")
        job.wait_for("all wait")
        kill(find(job)[-1])
        job.end()
        expect(job.process.returncode != 0, "a process of the launcher is killed, and the job ends with 0")


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        os.environ["OMPI_MCA_plm_rsh_agent"] = "/nowhere"
        agent = make_agent(folder)
        import started
        settings = started.without_launch_settings
        started.without_launch_settings = lambda: {**settings(), "LISLE_LAUNCH_AGENT": str(agent)}
        parts = {"same": lambda: what_works_on_one_host(folder), "streams": input_and_output, "ends": ends, "waits": waits,
                 "errors": hosts_that_cannot_be_reached, "kills": kills, "lost": lost_hosts, "tree": tree}
        parts[os.environ["LISLE_TEST_PART"]]()


main()
