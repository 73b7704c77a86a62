# SPDX-License-Identifier: Apache-2.0
"""Backtraces of ranks without the library's inside: of each call of MPI one frame is shown, that of the call.
`backtrace -no-filters` shows all."""
import gdb
from gdb.FrameDecorator import FrameDecorator

from . import ranks


class _Call(FrameDecorator):
    """A frame of an entry point, under the name by which the program knows it."""

    def __init__(self, decorated, name):
        super().__init__(decorated)
        self.name = name

    def function(self):
        return self.name


class _WithoutInside:
    """The frame filter."""

    name, priority, enabled = "lisle", 100, True

    def filter(self, frames):
        space = gdb.current_progspace()
        inside = None  # the last frame of Lisle's since one of another file
        first = True
        for each in frames:
            frame = each.inferior_frame()
            if ranks.is_own(frame.pc(), space):
                inside = each
                continue
            yield from self._entry(inside)
            inside = None
            first = False
            yield each
        if first:
            yield from [inside] if inside is not None else []

    @staticmethod
    def _entry(inside):
        name = inside.inferior_frame().name() if inside is not None else None
        found = ranks.ENTRY_POINT.match(name or "")
        if found:
            yield _Call(inside, found[1])


def begin():
    gdb.frame_filters[_WithoutInside.name] = _WithoutInside()
