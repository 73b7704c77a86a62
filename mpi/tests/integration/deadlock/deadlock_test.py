#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job whose ranks all wait for each other says so and ends; one that only seems to goes on.

Usage: deadlock_test.py LISLERUN PROGRAM KIND SLOW_REPORT
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect, preloading, run
from kinds import ALONE, options_of

EXIT_CODE = 125
# How the program stands still, and what the report must say besides the table. Three ranks.
DEADLOCKS = {
    "ring": ["MPI_Recv", "a message from rank 2", "deadlocks.c:",
             "rank 0 waits in MPI_Recv for rank 2, rank 2 waits in MPI_Recv for rank 1, "
             "rank 1 waits in MPI_Recv for rank 0."],
    "other_tag": ["rank 0 waits for tag 7 from rank 2 on MPI_COMM_WORLD; it has a message of 4 bytes from rank 2 "
                  "under tag 8"],
    "other_communicator": ["rank 1 waits for tag 7 from rank 0 on MPI_COMM_WORLD; it has a message of 4 bytes from "
                           "rank 0 on twin"],
    "synchronous": ["MPI_Ssend", "rank 1 to receive", "rank 0 waits in MPI_Ssend for rank 1"],
    "long_sends": ["MPI_Send", "4194304", "rank 0 waits in MPI_Send for rank 1"],
    "waitall": ["MPI_Waitall", "rank 0 waits in MPI_Waitall for rank 2"],
    "wildcards": ["MPI_Recv", "a message from any rank",
                  "rank 1 waits for tag 7 from any rank on MPI_COMM_WORLD; it has a message of 4 bytes from rank 0 under "
                  "tag 8"],
    "waitany": ["MPI_Waitany", "or one of 1 more"],
    "probe": ["MPI_Probe", "a message from any rank"],
    "other_members": ["rank 0 waits in MPI_Barrier for rank 1, rank 1 waits in MPI_Barrier for rank 0",
                      "communicator 0."],
    "missing": ["MPI_Finalize", "rank 1 waits in MPI_Barrier for rank 0"],
    "non_blocking": ["MPI_Wait", "MPI_Finalize", "rank 1 waits in MPI_Wait for rank 0"],
    "finalize": ["rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Finalize for rank 0."],
    "receive_and_finalize": ["rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Finalize for rank 0."],
    "window_and_finalize": ["rank 0 calls MPI_Win_create on MPI_COMM_WORLD where rank 1 calls MPI_Finalize"],
    "file_and_finalize": ["rank 0 calls MPI_File_open on MPI_COMM_WORLD where rank 1 calls MPI_Finalize"],
    "fence_and_free": ["rank 0 calls MPI_Win_fence on communicator 0.1 where rank 1 calls MPI_Win_free"],
    "unmarked_partition": ["its program to mark partition 2 ready for rank 1  5 ", "rank 0 waits in MPI_Wait for itself."],
    "uncompleted": ["its program to call MPI_Grequest_complete", "rank 0 waits in MPI_Wait for itself."],
}
# What levels of checks may say instead: sends wait for their receives, and calls are compared.
OTHERWISE = ["With LISLE_CHECK=2 each send waits for its receive.", "the ranks do not make the same call: "]
# What no report may say: no rank has such a message.
NEVER = {"receive_and_finalize": "that it does not receive"}
# Of two threads of each rank. Both have a row.
THREAD_ROWS = [f"  {rank}     MPI_Recv  a message from rank {(rank + 2) % 3}  {tag} " for rank in range(3) for tag in (11, 12)]
# A modelled core runs one thread.
THREADS = ["thread_sends", "thread_of_a_session_sends", "generalized"]
# Only some do, and rank 2 computes. What the report must say.
PARTIAL = {
    "pair": ["ranks 0, 1 can never go on", "rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Recv for rank 0.",
             "nothing: it is at work", "lislerun: 2 of the 3 ranks can never go on; the job is stopped"],
    "pair_that_is_sent_to": ["ranks 0, 1 can never go on"],
    "pair_in_own_collective": ["ranks 0, 1 can never go on", "rank 0 waits in MPI_Barrier for rank 1"],
    "wildcards_of_a_pair": ["ranks 0, 1 can never go on"],
    "one_of_itself": ["rank 0 can never go on", "rank 0 waits in MPI_Ssend for itself."],
}
ALIVE = ["computes", "busy", "thread_sends", "thread_of_a_session_sends", "generalized", "generalized_by_handler",
         "late_to_collective"]
if os.environ.get("SANITIZED") == "thread":
    ALIVE.remove("generalized_by_handler")  # ThreadSanitizer hands signals on when a call of the C library returns
# Some of their ranks wait for each other for seconds.
ALIVE_IN_PART = ["any_source", "any_request", "fed"]


LOOP = ["MPI_Test", "nothing: it tests in a loop", "a message from rank 1", "deadlocks.c:"]
TABLE = ["a message from rank 1", "nothing: it is at work, or waits outside MPI", "deadlocks.c:"]


def missing(sentences, errors):
    return [sentence for sentence in sentences if sentence not in errors]


def takes_questions(job):
    """The launcher reads its signals by now: one that comes before ends it."""
    status = pathlib.Path(f"/proc/{job.pid}/status").read_text(encoding="ascii", errors="replace")
    blocked = int(re.search(r"^SigBlk:\s*(\w+)", status, re.MULTILINE)[1], 16)
    return blocked >> (signal.SIGQUIT - 1) & 1 == 1


def as_scripts_start():
    """A script's '&' has a command ignore what the keyboard sends."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def look_at_a_running_job(command, ask, sentences, prepare=None):
    """What the launcher prints of it when it is asked; again while its ranks are still on their way."""
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(command, stderr=errors, preexec_fn=prepare) as job:
        said = ""
        while job.poll() is None and not takes_questions(job):
            time.sleep(0.1)
        for _ in range(20):
            time.sleep(1)
            ask(job)
            time.sleep(0.5)
            expect(job.poll() is None, "the question has ended the job")
            errors.seek(0)
            said = errors.read()
            if not missing(sentences, said):
                break
        job.terminate()
        expect(not missing(sentences, said), f"no {missing(sentences, said)} in\n{said}")


def stand_still_on_the_mesh(launcher, program):
    """rMPI's first version polls: ranks that all send first stand still where all others finish."""
    on_tiles = [launcher, "--fabric", "tile:4x4", "-n", "3", "--timeout", "60", "--packets"]
    done = run(*on_tiles, "v1", program, "short_sends", status=EXIT_CODE)
    for sentence in ["lisle: deadlock:", "rank 0 waits in MPI_Recv for rank 2",
                     "The mesh stands still as well, with V1 packets: ring of waits: 0 -> 1 -> 2 -> 0",
                     "tile 0 sends, and waits for tile 1 to take words from its full port"]:
        expect(sentence in done.stderr, f"V1: no \"{sentence}\" in\n{done.stderr}")
    for packets in ["lisle", "v2", "v3"]:
        expect("all ended" in run(*on_tiles, packets, program, "short_sends").stdout, packets)
    with tempfile.NamedTemporaryFile("w", suffix=".mesh") as mesh:
        mesh.write("watchdog_cycles = 5000\n")
        mesh.flush()
        freed = run(*on_tiles, "v1", "--mesh", mesh.name, program, "short_sends")
        expect("all ended" in freed.stdout, f"the watchdog does not free V1: {freed.stderr}")
    # What rMPI has no packets for is refused in a sentence.
    refused = run(*on_tiles, "v3", program, "synchronous", status=None)
    expect(refused.returncode != 0 and "standard-mode messages only" in refused.stderr, refused.stderr)


def show_a_running_job(launcher, program, kind):
    """The same table at the end of the time, and when SIGQUIT or the launcher's --status asks for it."""
    command = [launcher, "-n", "3", "--ranks", kind, program]
    for seconds in (1, 5, 20):  # long enough for the ranks to start, on a loaded machine too
        done = run(launcher, "--timeout", seconds, *command[1:], "one_sleeps", status=124)
        if not missing(TABLE, done.stderr):
            break
    expect(not missing(TABLE, done.stderr), f"no {missing(TABLE, done.stderr)} in\n{done.stderr}")
    look_at_a_running_job([*command, "one_sleeps"], lambda job: job.send_signal(signal.SIGQUIT), TABLE)
    look_at_a_running_job([*command, "tests_in_a_loop"], lambda job: run(launcher, "--status", job.pid), LOOP,
                          as_scripts_start)
    nobody = run(launcher, "--status", "1", status=1)
    expect("neither a launcher nor a process of one's job" in nobody.stderr, nobody.stderr)


def report_once(launcher, program, kind, slow_report):
    """While a rank makes its report, the launcher finds two of the other ranks stuck as well."""
    done = run(launcher, "-n", "4", *options_of(kind), "--timeout", "60", program, "pairs", status=EXIT_CODE,
               env=preloading(slow_report))
    expect(done.stderr.count("lisle: deadlock:") == 1 and "can never go on" not in done.stderr, done.stderr)


def check_levels(launcher, program):
    """No level of checks says less than a lower one, or names another cause."""
    options = [launcher, "-n", "3", *options_of("fiber"), "--timeout", "60"]
    for how, sentences in DEADLOCKS.items():
        for level in ("1", "2"):
            done = run(*options, program, how, status=None, env={**os.environ, "LISLE_CHECK": level})
            named = not missing(sentences, done.stderr) or any(words in done.stderr for words in OTHERWISE)
            expect(named and done.returncode not in (0, 124), f"{how} at level {level}: {done.returncode}\n{done.stderr}")


def main():
    launcher, program, kind, slow_report = sys.argv[1:]
    options = [launcher, "-n", "3", *options_of(kind), "--timeout", "60"]
    for how, sentences in DEADLOCKS.items():
        done = run(*options, program, how, status=EXIT_CODE)
        expect(done.stderr.count("lisle: deadlock:") == 1, f"{how}: {done.stderr}")
        for sentence in sentences:
            expect(sentence in done.stderr, f"{how}: no \"{sentence}\" in\n{done.stderr}")
        expect(how not in NEVER or NEVER[how] not in done.stderr, f"{how}: {done.stderr}")
    if kind in ALONE:
        done = run(*options, program, "two_threads", status=EXIT_CODE)
        expect(not missing(THREAD_ROWS, done.stderr), f"two threads: no {missing(THREAD_ROWS, done.stderr)} in\n{done.stderr}")
    for how, sentences in (PARTIAL if kind in ALONE else {}).items():
        done = run(*options, program, how, status=EXIT_CODE)
        for sentence in sentences:
            expect(sentence in done.stderr, f"{how}: no \"{sentence}\" in\n{done.stderr}")
    for how in ALIVE + (ALIVE_IN_PART if kind in [*ALONE, "tile"] else []):
        if kind == "tile" and how in THREADS:
            continue
        done = run(*options, program, how)
        expect("all ended" in done.stdout, f"{how}: {done.stdout}\n{done.stderr}")
    if kind == "fiber":
        check_levels(launcher, program)
    if kind == "tile":
        stand_still_on_the_mesh(launcher, program)
    elif kind in ALONE:
        report_once(launcher, program, kind, slow_report)
        show_a_running_job(launcher, program, kind)


if __name__ == "__main__":
    main()
