#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds variables LISLE_* that product code reads past the table of settings and the launcher's record.

Usage: check_settings.py PROJECT_DIR

Settings are read by mpi/src/base/settings.cpp alone, what the launcher tells a process by mpi/src/world/process_record.cpp.
Prints a line for each other call that takes a variable LISLE_* from the environment, and for each of which the source does
not show the name: a literal, or a constant that is one, shows it. Exits with 1 if there is any. A new setting is a row of the table (mpi/docs/how-to/add-a-setting.md).
"""
import re
import sys
from pathlib import Path

READS = re.compile(r"\b(?:std::|real_)?(?:secure_)?(?:getenv|environment_text|environment_number)\(\s*([^()]*(?:\(\))?)\s*\)")
CONSTANT = re.compile(r'\bconst(?:expr)?\s+char\s*\*\s*(?:const\s+)?(\w+)\s*=\s*"([^"]*)"')
COMMENT = re.compile(r"//[^\n]*")
PREFIX = "LISLE_"
# A file, what it reads, and why it may.
ALLOWED = {
    ("mpi/src/base/environment.hpp", "name"): "the function that reads a variable",
    ("mpi/src/base/settings.cpp", "about.name.c_str()"): "the table of settings",
    ("mpi/src/world/process_record.cpp", "LISLE_JOB"): "the launcher's record",
    ("mpi/src/world/pmi/foreign_launcher.cpp", "name"): "variables of other launchers",
    ("mpi/src/world/pmi/foreign_launcher.cpp", "trace.count_variable"): "variables of other launchers",
    ("mpi/src/dynamic/parents.cpp", "LISLE_PARENT_PORT"): "what a job that spawns another one tells it",
    ("mpi/src/fabric/network/ucx/ucx.cpp", "name"): "variables of UCX",
    ("mpi/src/launch/outer/task.cpp", "variable"): "variables of other launchers",
    ("mpi/src/launch/lislerun.cpp", "LISLE_PARENT_FD"): "what a rank that spawns a job tells its launcher",
    ("mpi/src/launch/outer/outer_launcher.cpp", "LISLE_PARENT_PORT"): "whether another launcher has to hand it down",
    ("mpi/src/launch/outer/hosts_job.cpp", "each.name.c_str()"): "variables that the command line hands down",
    ("mpi/src/launch/host/image/sanitizer.cpp", "LISLE_HOST_PRELOAD"): "what the host tells itself over its second start",
    ("mpi/src/report/recorder/recorder.cpp", "LISLE_REPORT_FOLDER"): "the launcher's word to the recorder, which is no part of the library",
    ("mpi/src/launch/supervisor/spawned_reports.cpp", "LISLE_REPORT_PARENT"): "the word of a job's recorder to the launchers of those that it spawns",
    ("mpi/src/launch/supervisor/spawned_reports.cpp", "LISLE_REPORT_FOLDER"): "the same where ranks are threads or fibers",
    ("mpi/src/launch/supervisor/spawned_reports.cpp", "LISLE_PARENT_PORT"): "whether this job is one of these",
    ("mpi/src/replay/recorder/rank_record.cpp", "LISLE_RECORD_FOLDER"): "the launcher's word to the recorder, which is no part of the library",
    ("mpi/src/launch/host/interpose/environment.cpp", "name"): "the program's own calls",
    ("mpi/src/library/debugger_hold.cpp", "LISLE_GDB"): "before the program runs, which may still set others of the table",
    ("mpi/src/launch/host/interpose/locale.cpp", "variable"): "the locale that the rank's variables name",
    ("mpi/src/launch/host/image/collect_libraries.cpp", "LISLE_RANK_PRELOAD"): "libraries that ranks preload and the host does not",
    ("mpi/src/launch/host/life/sanitizer_reports.cpp", "variable"): "variables of sanitizers' runtimes",
    ("mpi/src/launch/host/main.cpp", "LISLE_RANK_PRELOAD"): "libraries that ranks preload and the host does not",
}


def sources(project):
    for product in ("mpi", "cxx", "tasks", "tiles"):
        for folder in ("src", "include"):
            yield from sorted(path for path in (project / product / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".c", ".h"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1]).resolve()
    texts = {path.relative_to(project).as_posix(): COMMENT.sub("", path.read_text()) for path in sources(project)}
    shared = {}  # constants of headers
    for name, text in texts.items():
        if name.endswith((".hpp", ".h")):
            shared.update(CONSTANT.findall(text))
    faults = []
    for name, text in texts.items():
        constants = {**shared, **dict(CONSTANT.findall(text))}
        for call in READS.finditer(text):
            argument = call[1].strip()
            if argument.startswith("const "):  # a declaration
                continue
            literal = re.fullmatch(r'"([^"]*)"', argument)
            variable = literal[1] if literal else constants.get(argument.rpartition("::")[2])
            if (variable is not None and not variable.startswith(PREFIX)) or (name, variable or argument) in ALLOWED:
                continue
            what = variable or f"a variable that cannot be told from {argument}"
            faults.append(f"{name}:{text.count(chr(10), 0, call.start()) + 1}: reads {what}; "
                          "settings are rows of mpi/src/base/settings_table.cpp (mpi/docs/how-to/add-a-setting.md)")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
