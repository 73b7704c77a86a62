# SPDX-License-Identifier: Apache-2.0
"""What the installed commands say of themselves, for manual pages and completion."""
import collections
import pathlib
import subprocess

Option = collections.namedtuple("Option", "topic names values help")

# What each command is, and how it is asked for its help.
COMMANDS = {
    "lislerun": ("run an MPI program as processes, threads or fibers", ["--help"]),
    "mpicc": ("compile and link MPI programs", ["--showme:help"]),
    "lisle-info": ("say what this Lisle is and what a job would use here", ["--help"]),
    "lisle-task": ("run programs of tasks over the ranks of a job", ["--help"]),
    "lisle-tiles": ("study a modelled processor of many small cores", ["--help"]),
}
ALIASES = {"mpirun": "lislerun", "mpiexec": "lislerun", "mpicxx": "mpicc", "mpic++": "mpicc", "mpiCC": "mpicc",
           "mpifort": "mpicc", "mpif90": "mpicc", "mpif77": "mpicc"}


def said(folder, *command):
    """The output of a command of the folder; it must succeed."""
    program, *words = command
    done = subprocess.run([pathlib.Path(folder) / program, *words], capture_output=True, text=True, check=True)
    return done.stdout


def present(folder):
    """The commands that are in the folder."""
    return [name for name in COMMANDS if (pathlib.Path(folder) / name).exists()]


def table(folder):
    """All options of lislerun and all settings, in the order of their tables."""
    rows = [Option(*line.split("\t")) for line in said(folder, "lislerun", "--help", "table").splitlines()]
    return [row._replace(names=row.names.split("|")) if row.topic != "settings" else row._replace(names=[row.names]) for row in rows]


def dashed(name):
    return ("-" if len(name) == 1 else "--") + name
