#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the debugger's commands of docs/tour.md: every breakpoint is one, and every one of them is met.

Usage: check_tour.py PROJECT_DIR LISLERUN MPICC

Exits with 77 where there is no gdb, or it may not debug.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# How each block is run, in the order of the page: which rank is in gdb, or the fibers' host.
RUNS = ("sender", "receiver", "sender", "receiver", "fibers", "receiver", "receiver")
LIMIT = 240
FAULTS = ("not defined", "No stack", "not being run", "No line", "exited normally")


def blocks(page):
    """The lines of each fenced block, without its fences."""
    inside, found = False, []
    for line in page.splitlines():
        if line.startswith("```"):
            inside = not inside
            if inside:
                found.append([])
        elif inside:
            found[-1].append(line)
    return found


def commands(block):
    """(gdb's commands, variables for the job) of a block that runs something."""
    variables = dict(word.split("=", 1) for line in block if line.startswith("LISLE_") for word in line.split()[:1])
    return [line for line in block if not line.startswith(("gdb ", "LISLE_"))], variables


def line_of_publishing(project):
    """The page looks it up, too."""
    lines = (project / "mpi/src/fabric/local/mailbox.hpp").read_text().splitlines()
    return 1 + next(number for number, line in enumerate(lines) if "mine.stamp.store" in line)


def run(how, block, folder, lislerun, publishing):
    """What gdb says."""
    lines, variables = commands(block)
    lines = [re.sub(r"mailbox\.hpp:\d+", f"mailbox.hpp:{publishing}", line) for line in lines]
    script = folder / "commands.gdb"
    # Debug information is indexed once, not by each gdb.
    index = f"set index-cache directory {folder}/index\nset index-cache enabled on\n"
    script.write_text("set debuginfod enabled off\n" + index + "\n".join(lines) + "\n")
    gdb = ["gdb", "-q", "-nx", "-batch", "-x", str(script)]
    alone = ["-n", "1", "./tour"]
    command = {"sender": [lislerun, "-n", "1", *gdb, "./tour", ":", *alone],
               "receiver": [lislerun, *alone, ":", "-n", "1", *gdb, "./tour"],
               "fibers": [*gdb, "--args", lislerun, "-n", "2", "--ranks", "fiber", "--workers", "1", "./tour"]}[how]  # fmt: skip
    ended = subprocess.run(command, cwd=folder, env={**os.environ, **variables}, timeout=LIMIT, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    return ended.stdout


def complaint(how, said):
    """What is wrong with an answer, or None. (gdb knows the library's names once the library is there.)"""
    wrong = [each for each in FAULTS if each in said]
    if how == "fibers":
        wrong = [each for each in wrong if each not in ("not defined", "exited normally")]
    return f"{', '.join(wrong)}:\n{said}" if wrong or "\n#0 " not in said else None


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    project, lislerun, mpicc = Path(sys.argv[1]), *sys.argv[2:]
    if shutil.which("gdb") is None:
        print("there is no gdb")
        sys.exit(77)
    page = blocks((project / "docs/tour.md").read_text())
    program = next(block for block in page if block and block[0].startswith(" 1  "))
    debugged = [block for block in page if "run" in block]
    if len(debugged) != len(RUNS):
        sys.exit(f"the page has {len(debugged)} blocks for the debugger, and this test knows {len(RUNS)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tour.c").write_text("".join(line[4:] + "\n" for line in program))
        subprocess.run([mpicc, "-g", "tour.c", "-o", "tour"], cwd=folder, check=True)
        for how, block in zip(RUNS, debugged):
            said = run(how, block, folder, lislerun, line_of_publishing(project))
            if "ptrace" in said and "not permitted" in said:
                print("gdb may not debug here")
                sys.exit(77)
            if wrong := complaint(how, said):
                sys.exit(f"docs/tour.md, as {how}:\n" + "\n".join(block) + f"\n{wrong}")


if __name__ == "__main__":
    main()
