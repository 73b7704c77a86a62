# SPDX-License-Identifier: Apache-2.0
"""The ranks and images of the selected process, from the lists that it keeps for debuggers.

The layouts are those of mpi/src/library/listed_ranks.hpp and mpi/src/launch/host/image/debugger_view.hpp. Memory alone
is read, so a core file does as well.
"""
import os
import struct

import gdb

RANK_NOTE = struct.Struct("<QQiiQQQQ")
RANK_LAYOUT = struct.Struct("<7i")
ENVELOPE = struct.Struct("<Qii")
IMAGE_NOTE = struct.Struct("<QQQQ")
MOST = 1 << 20  # notes of a list that is damaged


class RankNote:
    """One rank."""

    def __init__(self, fields):
        self.next, self.address, self.number, self.thread = fields[:4]
        self.fiber, self.running, self.registers, self.engines = fields[4:]

    def kind(self):
        return "fiber" if self.fiber else "thread" if images() else "process"

    def runs(self):
        """Whether its code runs on its thread: a fiber may have to wait for its turn."""
        return not self.fiber or read_pointer(self.running) == self.fiber


def read(address, count):
    return bytes(gdb.selected_inferior().read_memory(address, count))


def read_pointer(address):
    return int.from_bytes(read(address, 8), "little")


def _address(name):
    """Of a variable of the library's or the host's, 0 if there is none."""
    try:
        return int(gdb.parse_and_eval(f"(unsigned long long)&'{name}'"))
    except gdb.error:
        return 0


def _head(name):
    place = _address(name)
    try:
        return read_pointer(place) if place else 0
    except gdb.MemoryError:
        return 0


def _list(name, layout):
    at, count = _head(name), 0
    while at and count < MOST:
        try:
            fields = layout.unpack(read(at, layout.size))
        except gdb.MemoryError:
            return
        yield fields
        at, count = fields[0], count + 1


def ranks():
    """Those of the selected process that have begun, by their number."""
    return sorted((RankNote(fields) for fields in _list("lisle_host_ranks", RANK_NOTE)), key=lambda each: each.number)


def images():
    """(address, path) of each loaded image of a rank's program and libraries."""
    found = []
    for _, base, _, path in _list("lisle_host_images", IMAGE_NOTE):
        text = gdb.Value(path).cast(gdb.lookup_type("char").pointer()).string()
        found.append((base, os.path.realpath(text)))
    return found


class Messages:
    """What a rank's engines have: messages that it has not received, receives that wait. (source, tag, bytes or None) of
    each; negative numbers stand for any source or tag. Messages of users alone, not those of collectives."""

    MOST = 1000
    CONTEXTS_OF_COMMUNICATOR = 32  # mpi/src/communicator/context.hpp; the first one is for users' messages

    def __init__(self, note):
        self.unreceived, self.awaited = [], []
        if note.engines == 0:
            return  # it has ended
        place = _address("lisle_host_rank_layout")
        count, self.oldest, self.first, self.newer, self.message, self.bytes, self.receive = RANK_LAYOUT.unpack(
            read(place, RANK_LAYOUT.size)
        )
        for i in range(count):
            engine = read_pointer(note.engines + 8 * i)
            if engine:
                self._look(engine)

    def _envelope(self, at, size):
        context, source, tag = ENVELOPE.unpack(read(at, ENVELOPE.size))
        return (source, tag, size) if context % self.CONTEXTS_OF_COMMUNICATOR == 0 else None

    def _look(self, engine):
        message = read_pointer(engine + self.oldest)
        while message and len(self.unreceived) < self.MOST:
            found = self._envelope(message + self.message, read_pointer(message + self.bytes))
            self.unreceived += [found] if found else []
            message = read_pointer(message + self.newer)
        receive = read_pointer(engine + self.first)
        found = self._envelope(receive + self.receive, None) if receive else None
        self.awaited += [found] if found else []


def thread_of(note):
    """gdb's thread on which a rank began."""
    return next((each for each in gdb.selected_inferior().threads() if each.ptid[1] == note.thread), None)


def host_is_here():
    return _head("lisle_host_images") != 0
