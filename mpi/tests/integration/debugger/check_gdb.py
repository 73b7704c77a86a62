#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions of gdb with ranks of every kind: each rank's variables, breakpoints, stacks, a running job, a core file.

Usage: check_gdb.py LISLERUN PROGRAM GROUP KIND

Exits with 77 where there is no gdb, or it may not debug.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from commands import LIMIT, expect, fail  # noqa: E402
from waiting_job import KINDS, WaitingJob  # noqa: E402

RANKS = range(4)
CONFIGURATION = Path(__file__).parents[4] / "examples/vscode/launch.json"
PREPARE = ["set pagination off", "set width 0", "set print inferior-events off", "set confirm off"]


class Session:
    """What gdb says, for one kind of ranks."""

    def __init__(self, launcher, kind, folder):
        self.launcher, self.kind, self.folder = launcher, kind, folder
        self.environment = {**os.environ, "HOME": str(folder), "DEBUGINFOD_URLS": ""}

    def gdb(self, options, commands):
        text = "\n".join(PREPARE + commands + ["quit"]) + "\n"
        done = subprocess.run([self.launcher, *options], input=text, cwd=self.folder, env=self.environment, text=True,
                              timeout=LIMIT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        if "ptrace" in done.stdout and "not permitted" in done.stdout:
            print("gdb may not debug here")
            sys.exit(77)
        return done.stdout

    def wait(self, program, how="wait", *options):
        return WaitingJob(self.launcher, [*options, *KINDS[self.kind]], program, how, self.folder)

    def start(self, program, commands):
        return self.gdb(["--gdb", *KINDS[self.kind], str(program)], commands)


def told(said, what):
    """The numbers behind a mark, a tuple for each line that has it."""
    return sorted(tuple(map(int, line.split())) for line in re.findall(rf"{what}:([-\d ]+)", said))


def expect_all(said, what, wanted):
    expect(told(said, what) == sorted(wanted), f"{what}: {told(said, what)} instead of {sorted(wanted)} in\n{said}")


def check_variables(session, program):
    """A stop of each rank at main and at a breakpoint; its variables there."""
    at_main = ["commands 1", "silent", 'printf "main:%d\\n", argc', "end", 'printf "main:%d\\n", argc']
    at_bump = ["break bump", "commands", "silent", 'printf "stop:%d %d\\n", $rank(), rank', "up",
               'printf "seen:%d %d %d %d %d\\n", rank, counter, hidden, own, elsewhere', "end"]  # fmt: skip
    said = session.start(program, at_main + at_bump + ["continue"] * 7)
    expect_all(said, "main", [(1,)] * 4)
    expect_all(said, "stop", [(rank, rank) for rank in RANKS])
    expect_all(said, "seen", [(rank, 100 + rank, 200 + rank, 301 + rank, 1) for rank in RANKS])


def check_breakpoints(session, program):
    """A breakpoint for one rank, a name that the library has too, a watchpoint, a stack."""
    commands = ["delete 1", "break last if $rank() == 2", "continue", 'printf "stop:%d %d\\n", $rank(), rank',
                "backtrace", "watch elsewhere", "continue", 'printf "changed:%d\\n", elsewhere',
                "delete", "break run", "info breakpoints"]  # fmt: skip
    said = session.start(program, commands)
    expect_all(said, "stop", [(2, 2)])
    expect_all(said, "changed", [(7002,)])
    stack = r"#0 +(0x\w+ in )?last \(rank=2\) at .*debugged\.c:\d+\n#1 .* main \("
    expect(re.search(stack, said), f"no stack in\n{said}")
    locations = re.findall(r"^\d+\.\d+ +([yn]) .* in .*run.*$", said, re.MULTILINE)
    expect(locations.count("y") == len(RANKS), f"{locations.count('y')} locations of run in\n{said}")
    own = re.findall(r"^\d+\.\d+ +y .* in .*run.* at .*debugged\.c:", said, re.MULTILINE)
    expect(len(own) == len(RANKS), f"'break run' catches Lisle's own in\n{said}")


def look(numbers=RANKS):
    return ["lisle ranks", 'lisle apply all printf "seen:%d %d %d %d\\n", $rank(), counter, own, elsewhere',
            "lisle rank 3", 'printf "rank:%d %d\\n", $rank(), rank', "backtrace",
            f'lisle apply {numbers[0]},{numbers[-1]} printf "some:%d\\n", rank']  # fmt: skip


def check_look(said, numbers=RANKS):
    expect_all(said, "seen", [(rank, 100 + rank, 301 + rank, 7000 + rank) for rank in numbers])
    expect_all(said, "rank", [(3, 3)])
    expect_all(said, "some", [(number,) for number in (numbers[0], numbers[-1])])
    for rank in numbers:
        expect(re.search(rf"^(\(gdb\) )*rank {rank}: ", said, re.MULTILINE), f"rank {rank} is not listed in\n{said}")
    waits = r"rank 3: .*in MPI_Recv at debugged\.c:\d+, receives from 2, tag 5"
    expect(re.search(waits, said), f"no wait of rank 3 in\n{said}")
    if 0 in numbers:
        expect(re.search(r"rank 0: .*not received: 4 bytes from 1, tag 9", said), f"no message of rank 0 in\n{said}")
    expect(re.search(r"#\d+ .*MPI_Recv \(.*\n#\d+ .* main \(", said), f"no stack of rank 3 in\n{said}")


def check_attach(session, program):
    with session.wait(program) as waiting:
        check_look(session.gdb(["--attach", str(waiting.job.pid)], look()))


def check_core(session, program):
    with session.wait(program) as waiting:
        session.gdb(["--attach", str(waiting.job.pid)], ["lisle rank 3", "generate-core-file core"])
    numbers = (2, 3) if session.kind == "mixed" else RANKS  # a core file is of one process
    check_look(session.gdb(["--core", "core"], look(numbers)), numbers)


def check_crash(session, program):
    """LISLE_CRASH=gdb: what has crashed stays for a debugger."""
    commands = ["lisle rank 2", "backtrace", 'printf "crashed:%d %d\\n", $rank(), counter']
    with session.wait(program, "fault", "-x", "LISLE_CRASH=gdb") as waiting:
        number = waiting.hear(r"the process stays for a debugger: lislerun --attach (\d+)\n")
        said = session.gdb(["--attach", number], commands)
    expect_all(said, "crashed", [(2, 102)])
    stack = r"<signal handler called>.*\n#\d+ .*crash \(how=.*\) at .*debugged\.c:\d+\n#\d+ .* main \("
    expect(re.search(stack, said), f"no stack of the crash in\n{said}")


def descendants(process):
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            yield child
            yield from descendants(child)


def host_of(launcher):
    """The process of ranks that a launcher has started, once it is there."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        for child in descendants(launcher):
            if os.path.realpath(f"/proc/{child}/exe").endswith("lisle-host"):
                return child
        time.sleep(0.1)
    fail("no process of ranks has begun")


class MachineInterface:
    """gdb as a program speaks to it."""

    def __init__(self, environment):
        self.said = ""
        self.gdb = subprocess.Popen(["gdb", "-nx", "--interpreter=mi"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, env=environment)  # fmt: skip

    def do(self, command, until=r"\^(done|running|connected|error)"):
        """What it says from now on, up to the line that begins like this."""
        self.gdb.stdin.write(command + "\n")
        self.gdb.stdin.flush()
        text = ""
        for line in self.gdb.stdout:
            text += line
            if re.match(until, line):
                break
        self.said += text
        return text

    def value(self, expression):
        found = re.search(r'value="(-?\d+)"', self.do(f"-data-evaluate-expression {expression}"))
        return int(found.group(1)) if found else None


def check_vscode(session, program):
    """What the extension of Visual Studio Code does with the configuration of the page."""
    text = CONFIGURATION.read_text().replace("/opt/lisle", str(Path(session.launcher).resolve().parent.parent))
    (wanted,) = json.loads(text)["configurations"]
    expect((wanted["type"], wanted["request"], wanted["MIMode"]) == ("cppdbg", "attach", "gdb"), f"another request: {wanted}")
    job = subprocess.Popen([session.launcher, *KINDS[session.kind], str(program)], cwd=session.folder, stdin=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env={**os.environ, "LISLE_GDB": "hold"})  # fmt: skip
    debugger = MachineInterface(session.environment)
    guard = threading.Timer(LIMIT, debugger.gdb.kill)
    guard.start()
    try:
        debugger.do("-gdb-set mi-async off")
        for each in wanted["setupCommands"]:
            debugger.do(f'-interpreter-exec console "{each["text"]}"')
        debugger.do(f"-file-exec-and-symbols {wanted['program']}")
        debugger.do(f"-target-attach {host_of(job.pid)}")
        debugger.do('-break-insert -f -c "rank == 3" bump')
        debugger.do("-exec-continue", until=r"\*stopped|\^error")
        seen = [debugger.value(each) for each in ("rank", "$rank()", "elsewhere")]
        debugger.do("-exec-finish", until=r"\*stopped|\^error")
        seen += [debugger.value(each) for each in ("counter", "hidden")]
    finally:
        guard.cancel()
        debugger.gdb.kill()
        debugger.gdb.wait()
        job.kill()
        job.wait()
    expect(seen == [3, 3, 1, 103, 203], f"{seen} in\n{debugger.said}")


GROUPS = {"variables": check_variables, "breakpoints": check_breakpoints, "attach": check_attach, "core": check_core,
          "crash": check_crash, "vscode": check_vscode}  # fmt: skip


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    launcher, program, group, kind = sys.argv[1:]
    if shutil.which("gdb") is None:
        print("there is no gdb")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        # Debug information is indexed once for all tests, not by each gdb.
        index = Path(program).resolve().parent / "gdb_index"
        (Path(name) / ".gdbinit").write_text(f"set index-cache directory {index}\nset index-cache enabled on\n")
        GROUPS[group](Session(launcher, kind, Path(name)), Path(program).resolve())


if __name__ == "__main__":
    try:
        main()
    except subprocess.TimeoutExpired as late:
        fail(f"gdb has not ended:\n{late.stdout}")
