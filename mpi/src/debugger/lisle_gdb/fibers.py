# SPDX-License-Identifier: Apache-2.0
"""Stacks of fibers that do not run.

A fiber that waits has left its registers on its stack. An unwinder says of the innermost frame of the worker's thread
that it was called from there; so gdb shows the fiber's frames behind that frame, and no register of the process
changes.
"""
import gdb
from gdb.unwinder import Unwinder, register_unwinder

from . import process

# Boost.Context's order (jump_x86_64_sysv_elf_gas.S), from the place that the switch keeps: control words, then these.
KEPT = ("r12", "r13", "r14", "r15", "rbx", "rbp", "rip")
FIRST, SIZE = 8, 8
ADD_TO_STACK = b"\x48\x81\xc4"  # addq $number, %rsp: what is left to do behind the switch
LENGTH = 7
BELOW = 512  # bytes


class _Innermost:
    """How gdb shall name the worker's frame: further in than the fiber's, or it would take the stack for damaged."""

    def __init__(self, stack, pc):
        self.sp, self.pc = stack, pc


class FiberUnwinder(Unwinder):
    """Leads from the innermost frame of one thread to the fiber that is shown."""

    def __init__(self):
        super().__init__("lisle fibers")
        self.shown = None  # (thread, its stack pointer, registers of the fiber)
        self.note = None  # of the fiber

    def __call__(self, pending):
        if self.shown is None:
            return None
        thread, stack, registers = self.shown
        selected = gdb.selected_thread()
        if selected is None or selected.ptid != thread or int(pending.read_register("rsp")) & (2**64 - 1) != stack:
            return None
        kind = pending.read_register("rsp").type
        inner = _Innermost(gdb.Value(registers["rsp"] - BELOW).cast(kind), gdb.Value(registers["rip"]).cast(kind))
        unwound = pending.create_unwind_info(inner)
        for name, value in registers.items():
            kind = pending.read_register(name).type
            unwound.add_saved_register(name, gdb.Value(value).cast(kind))
        return unwound


_unwinder = FiberUnwinder()


def begin():
    register_unwinder(None, _unwinder, replace=True)
    gdb.events.cont.connect(lambda _: leave())


def _kept(note):
    """The registers with which the fiber goes on."""
    place = process.read_pointer(note.registers)
    if place == 0 or gdb.newest_frame().architecture().name() != "i386:x86-64":
        return None
    registers = {name: process.read_pointer(place + FIRST + SIZE * i) for i, name in enumerate(KEPT)}
    registers["rsp"] = place + FIRST + SIZE * len(KEPT)
    code = process.read(registers["rip"], LENGTH)
    if code.startswith(ADD_TO_STACK):
        registers["rsp"] += int.from_bytes(code[3:], "little", signed=True)
        registers["rip"] += LENGTH
    return registers


def leave():
    """Threads are shown as they are."""
    if _unwinder.shown is not None:
        _unwinder.shown = None
        gdb.invalidate_cached_frames()


def show(note):
    """The selected thread shows this fiber, which waits on it. False: it has not begun, or has ended."""
    leave()
    registers = _kept(note)
    if registers is None:
        return False
    thread = gdb.selected_thread()
    stack = int(gdb.newest_frame().read_register("rsp")) & (2**64 - 1)
    _unwinder.shown, _unwinder.note = (thread.ptid, stack, registers), note
    gdb.invalidate_cached_frames()
    return True


def is_shown():
    return _unwinder.shown is not None


def shown_by(thread):
    """The note of the fiber whose stack this thread shows, or None."""
    return _unwinder.note if _unwinder.shown is not None and _unwinder.shown[0] == thread.ptid else None
