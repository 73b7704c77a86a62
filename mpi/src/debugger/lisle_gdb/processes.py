# SPDX-License-Identifier: Apache-2.0
"""Which processes of a job gdb debugs: those that its ranks are in. It attaches to them, also to those of a job that it
starts: they wait for it before their programs begin (mpi/src/library/debugger_hold.cpp)."""
import atexit
import os
import re
import subprocess
import time
from pathlib import Path

import gdb

LIBRARY = "libmpi_abi.so"
PAUSE = 0.05  # seconds between two looks


def leave_ended(_event):
    """After the end of a process another one is selected, so that `continue` goes on with the job."""
    gdb.post_event(_select_living)


def _select_living():
    if gdb.selected_inferior().pid == 0:
        living = [each for each in gdb.inferiors() if each.pid and each.threads()]
        if living:
            living[-1].threads()[0].switch()


def _children():
    """{process: [its children]} of the machine."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
                found.setdefault(int(status.rpartition(")")[2].split()[1]), []).append(int(entry.name))
            except OSError:
                pass  # it has ended meanwhile
    return found


def _has_ranks(pid):
    try:
        return f"/{LIBRARY}" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


def _job_of(pid):
    """The processes below this one, or itself, that have ranks."""
    children, found, waiting = _children(), [], [pid]
    while waiting:
        each = waiting.pop(0)
        if _has_ranks(each):
            found.append(each)
        waiting += sorted(children.get(each, []))
    return found


def start(count, command):
    """Starts a job of so many processes of ranks, and attaches to them. The job ends with gdb."""
    environment = {**os.environ, "LISLE_GDB": "hold"}
    job = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    atexit.register(job.terminate)
    found = []
    while len(found) < count:
        if job.poll() is not None:
            raise gdb.GdbError(f"The job has ended before {count} of its processes have begun.")
        time.sleep(PAUSE)
        found = _job_of(job.pid)
    _attach_to(found)


def attach(text):
    """Attaches to the processes of a job that runs."""
    if not text.isdigit():
        raise gdb.GdbError("lisle attach PID")
    found = _job_of(int(text))
    if not found:
        raise gdb.GdbError(f"Process {text} has no ranks, and none that it has started has.")
    _attach_to(found)


def _attach_to(processes):
    gdb.execute("set schedule-multiple on", to_string=True)
    for index, pid in enumerate(processes):
        if index or gdb.selected_inferior().pid:
            added = gdb.execute("add-inferior", to_string=True)
            number = re.search(r"Added inferior (\d+)", added)[1]
            gdb.execute(f"inferior {number}", to_string=True)
        gdb.execute(f"attach {pid}", to_string=True)
