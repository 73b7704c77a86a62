# SPDX-License-Identifier: Apache-2.0
"""gdb for jobs of Lisle: ranks as threads and fibers with their own variables, and commands by rank. See
mpi/docs/debugging-programs.md."""
import atexit
import os
import re
import sys
from pathlib import Path

import gdb

from . import breakpoints, commands, fibers, frames, process, processes

LIBRARIES = Path(__file__).resolve().parent.parent / "libraries"


def _after_stop(_event):
    """Programs around gdb (its machine interface, scripts) look at variables without a prompt in between."""
    if gdb.selected_thread() is not None and process.host_is_here():
        commands.refresh()


def _before_prompt():
    if gdb.selected_inferior().pid and gdb.selected_thread() is not None and not gdb.selected_thread().is_running():
        if process.host_is_here():
            commands.refresh()


def _find_thread_locals():
    """gdb asks a library where variables of a thread lie: ours first (thread_locals.cpp)."""
    before = gdb.parameter("libthread-db-search-path")
    if str(LIBRARIES) not in before:
        gdb.execute(f"add-auto-load-safe-path {LIBRARIES.parent.parent}", to_string=True)
        gdb.execute(f"set libthread-db-search-path {LIBRARIES}:{before}", to_string=True)


def _find_sources():
    """Where the library was built, a release names its sources from the root of the tree (cmake/relative_paths.cmake)."""
    cache = LIBRARIES.parents[3] / "CMakeCache.txt"
    if cache.exists():
        home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.MULTILINE)
        gdb.execute(f'directory "{home[1]}"', to_string=True)


class _End:
    """gdb 13 may fall over its Python objects of several processes at its very end, when all is done: so that is left
    out."""

    status = 0

    @classmethod
    def note(cls, event):
        cls.status = getattr(event, "exit_code", None) or 0

    @classmethod
    def leave(cls):
        sys.stdout.flush()
        os._exit(cls.status)


def begin():
    atexit.register(_End.leave)  # the first to be registered runs last
    if hasattr(gdb.events, "gdb_exiting"):
        gdb.events.gdb_exiting.connect(_End.note)
    _find_thread_locals()
    _find_sources()
    fibers.begin()
    commands.begin()
    breakpoints.begin()
    frames.begin()
    gdb.events.exited.connect(processes.leave_ended)
    gdb.events.stop.connect(_after_stop)
    gdb.events.before_prompt.connect(_before_prompt)
