# SPDX-License-Identifier: Apache-2.0
"""Core files: which program a core file is of, and the thread that ended the process."""
import os
import struct

import gdb

from . import ranks

PT_NOTE, NT_AUXV, NT_FILE, AT_ENTRY = 4, 6, 0x46494C45, 9
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")


def _notes(path):
    """{type: content} of the file's notes, the first of each type."""
    found = {}
    with open(path, "rb") as file:
        header = file.read(64)
        if header[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", header, 16)[0] != 4:
            raise gdb.GdbError(f"{path} is no core file of a process of 64 bits.")
        start, count = struct.unpack_from("<Q", header, 32)[0], struct.unpack_from("<H", header, 56)[0]
        file.seek(start)
        table = file.read(PROGRAM_HEADER.size * count)
        for each in PROGRAM_HEADER.iter_unpack(table):
            if each[0] == PT_NOTE:
                file.seek(each[2])
                _read_notes(file.read(each[5]), found)
    return found


def _read_notes(data, found):
    at = 0
    while at + 12 <= len(data):
        name, size, kind = struct.unpack_from("<III", data, at)
        begin = at + 12 + (name + 3) // 4 * 4
        found.setdefault(kind, data[begin : begin + size])
        at = begin + (size + 3) // 4 * 4


def _files(note):
    """(first address, end, path) of each mapping of a file."""
    count = struct.unpack_from("<Q", note)[0]
    names = note[16 + 24 * count :].split(b"\0")
    return [(*struct.unpack_from("<QQ", note, 16 + 24 * i), os.fsdecode(names[i])) for i in range(count)]


def program_of(path):
    """The executable of the process whose core file this is."""
    notes = _notes(path)
    entries = dict(struct.iter_unpack("<QQ", notes.get(NT_AUXV, b"")))
    entry = entries.get(AT_ENTRY, 0)
    for first, end, name in _files(notes.get(NT_FILE, b"\0" * 16)):
        if first <= entry < end:
            return name
    raise gdb.GdbError(f"{path} does not say which program it is of: name it behind the file.")


def load(path, program=None):
    found = program_of(path)
    if program is not None and not ranks.OWN_FILES.search(found):
        found = program
    if not os.path.exists(found):
        raise gdb.GdbError(f"The program of {path}, {found}, is not there: name it behind the file.")
    gdb.execute(f"file {found}", to_string=True)
    gdb.execute(f"core-file {path}")


def go_to_cause():
    """The innermost frame of the program in the thread that ended the process."""
    threads = gdb.selected_inferior().threads()
    if threads:
        frame = ranks.programs_frame()
        if frame is not None:
            frame.select()
        gdb.execute("frame")
