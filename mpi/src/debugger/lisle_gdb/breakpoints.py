# SPDX-License-Identifier: Apache-2.0
"""`break work` means the program's function, also where the library or the launcher has one of that name.

Locations in Lisle's own code are disabled if the breakpoint names a plain function. Names with `::`, entry points and
lines of files are left as they are.
"""
import re

import gdb

from . import ranks

PLAIN_NAME = re.compile(r"^(-function\s+)?[A-Za-z_]\w*$")
_busy = False


def _is_own(location):
    groups = set(location.thread_groups or ())
    spaces = [each.progspace for each in gdb.inferiors() if each.num in groups] or [gdb.current_progspace()]
    return any(ranks.is_own(location.address, space) for space in spaces)


def _leave_own_code(breakpoint_):
    global _busy
    name = breakpoint_.location or ""
    if _busy or breakpoint_.type != gdb.BP_BREAKPOINT or not PLAIN_NAME.match(name) or ranks.ENTRY_POINT.match(name):
        return
    _busy = True
    try:
        for each in getattr(breakpoint_, "locations", ()):
            if each.enabled and _is_own(each):
                each.enabled = False
    finally:
        _busy = False


def begin():
    gdb.events.breakpoint_created.connect(_leave_own_code)
    gdb.events.breakpoint_modified.connect(_leave_own_code)
