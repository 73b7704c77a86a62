# SPDX-License-Identifier: Apache-2.0
"""What ranks are doing: the MPI call that each is in, where the program made it, messages that nobody has received."""
import re

import gdb

from . import fibers, process, symbol_files

ENTRY_POINT = re.compile(r"^(?:in_general_)?P?(MPIX?_[A-Z]\w*|mpix?_\w+)$")
OWN_FILES = re.compile(r"/(lisle-host|lislerun|mpirun|mpiexec|liblisle_\w+\.so|libmpi_abi\.so[.\d]*)$")
SYSTEM = re.compile(r"/(usr/)?lib(64)?/")
MOST_FRAMES = 100


def _file_at(address, space):
    """The loaded file that an address lies in; what lies in no library is taken for the program's own."""
    return symbol_files.original(space.solib_name(address) or space.filename or "")


def is_own(address, space):
    """Whether code at this address is Lisle's."""
    return OWN_FILES.search(_file_at(address, space)) is not None


def is_programs(address):
    """Whether it is the program's, or one of its libraries' of which each rank has its own."""
    path = _file_at(address, gdb.current_progspace())
    return bool(path) and not OWN_FILES.search(path) and not SYSTEM.match(path)


def _rank_of_thread():
    """The address of the rank whose code the selected thread runs, 0: of none, None: not known."""
    try:
        return int(gdb.parse_and_eval("(unsigned long long)'lisle::detail::current_rank'"))
    except gdb.error:
        return None


def here():
    """The note of the selected thread's rank, or None."""
    thread = gdb.selected_thread()
    if thread is None:
        return None
    if shown := fibers.shown_by(thread):
        return shown
    known = process.ranks()
    system = thread.ptid[1]
    own = [each for each in known if each.thread == system]
    if own and not own[0].fiber:
        return own[0]
    if own:
        return next((each for each in own if each.runs()), None)
    address = _rank_of_thread() if known else None
    return next((each for each in known if each.address == address), None)


class Selection:
    """Goes to a rank, and back to what was selected at the end of the block."""

    def __init__(self, note):
        self.note, self.before = note, None

    def __enter__(self):
        thread, shown = gdb.selected_thread(), fibers.is_shown()
        self.before = (thread, shown)
        return go_to(self.note)

    def __exit__(self, *_):
        if not self.before[1]:
            fibers.leave()
        if self.before[0] is not None and self.before[0].is_valid():
            self.before[0].switch()


def go_to(note):
    """Selects the rank's thread; of a fiber that waits, its stack. False: it has no stack."""
    thread = process.thread_of(note)
    if thread is None:
        return False
    fibers.leave()
    thread.switch()
    return note.runs() or fibers.show(note)


def frames():
    """Those of the selected rank, from the innermost on."""
    frame = gdb.newest_frame()
    if fibers.is_shown():
        frame = frame.older()
    for _ in range(MOST_FRAMES):
        if frame is None or not frame.is_valid():
            return
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


def programs_frame():
    """The innermost of the program, or None."""
    return next((each for each in frames() if is_programs(each.pc())), None)


def _place(frame):
    where = frame.find_sal()
    if where.symtab is not None:
        return f"{where.symtab.filename.rpartition('/')[2]}:{where.line}"
    return frame.name() or hex(frame.pc())


def activity():
    """What the selected rank does, in words."""
    call = None
    for frame in frames():
        name = frame.name()
        if name and (found := ENTRY_POINT.match(name)):
            call = found[1]
        elif is_programs(frame.pc()):
            return f"in {call or frame.name()} at {_place(frame)}"
    return f"in {call}" if call else "outside of the program"


def _end(source, tag):
    return f"{'any source' if source < 0 else source}, {'any tag' if tag < 0 else f'tag {tag}'}"


def messages_of(note):
    """What a rank awaits and has not received, in words; empty if there is nothing."""
    try:
        found = process.Messages(note)
    except (gdb.MemoryError, gdb.error):
        return ""  # it has ended
    told = "".join(f", receives from {_end(source, tag)}" for source, tag, _ in found.awaited)
    if found.unreceived:
        told += "; not received: " + ", ".join(
            f"{size} bytes from {_end(source, tag)}" for source, tag, size in found.unreceived[:3]
        )
    more = len(found.unreceived) - 3
    return told + (f" and {more} more" if more > 0 else "")
