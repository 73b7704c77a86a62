# SPDX-License-Identifier: Apache-2.0
"""Files from which gdb reads the symbols of the ranks' images.

Every rank has an image of the same file, so every name has as many meanings as there are ranks. gdb takes the first
file that has a name, unless that file says that it looks names up in itself first (DT_SYMBOLIC), and it takes a variable
for a copy of another file's if that has a global one of the name. So gdb gets copies of the program and of its libraries
in which the first is said and variables are local. Nothing else differs. They lie in a folder that looks like the root
of the file system, since all else in it is links (`set sysroot`).
"""
import atexit
import os
import shutil
import struct
import tempfile

import gdb

DT_NULL, DT_SYMBOLIC, DT_DEBUG, DT_GNU_HASH = 0, 16, 21, 0x6FFFFEF5
SHT_SYMTAB, SHT_DYNAMIC, SHT_DYNSYM = 2, 6, 11
VARIABLES = (1, 5)  # STT_OBJECT, STT_COMMON
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
ENTRY = struct.Struct("<QQ")

_root = None  # the folder, once there is one


def _sections(file):
    """(type, offset, size) of each section of an ELF file of 64 bits, least byte first."""
    header = file.read(64)
    if len(header) < 64 or header[:6] != b"\x7fELF\x02\x01":
        return []
    start, size, count = struct.unpack_from("<Q", header, 40)[0], *struct.unpack_from("<HH", header, 58)
    if size != SECTION.size:
        return []
    file.seek(start)
    table = file.read(size * count)
    return [(each[1], each[4], each[5]) for each in SECTION.iter_unpack(table[: len(table) // size * size])]


def _make_variables_local(table):
    for at in range(0, len(table) - SYMBOL.size + 1, SYMBOL.size):
        if table[at + 4] & 15 in VARIABLES:
            table[at + 4] &= 15  # the binding is in the upper half; STB_LOCAL is 0


def _make_symbolic(table):
    """One entry becomes DT_SYMBOLIC: one that is there for debuggers, a spare one, or one that gdb does not need."""
    tags = [tag for tag, _ in ENTRY.iter_unpack(table[: len(table) // ENTRY.size * ENTRY.size])]
    end = tags.index(DT_NULL) if DT_NULL in tags else len(tags)
    if DT_SYMBOLIC in tags[:end]:
        return
    place = tags.index(DT_DEBUG) if DT_DEBUG in tags[:end] else end if end + 1 < len(tags) else None
    if place is None and DT_GNU_HASH in tags:
        place = tags.index(DT_GNU_HASH)
    if place is not None:
        ENTRY.pack_into(table, place * ENTRY.size, DT_SYMBOLIC, 0)


EDITS = {SHT_SYMTAB: _make_variables_local, SHT_DYNSYM: _make_variables_local, SHT_DYNAMIC: _make_symbolic}


def _edit(path):
    with open(path, "r+b") as file:
        for kind, offset, size in _sections(file):
            if kind in EDITS:
                file.seek(offset)
                table = bytearray(file.read(size))
                EDITS[kind](table)
                file.seek(offset)
                file.write(table)


def _folder():
    global _root
    if _root is None:
        _root = os.path.realpath(tempfile.mkdtemp(prefix="lisle-gdb-"))
        atexit.register(shutil.rmtree, _root, ignore_errors=True)
    return _root


def _link_all(folder):
    """Makes this folder of the file system below the root, with links to all that it has."""
    below = _folder() + (folder if folder != "/" else "")
    if os.path.isdir(below) and not os.path.islink(below) and below != _root:
        return
    if folder != "/":
        _link_all(os.path.dirname(folder))
        os.unlink(below)
        os.mkdir(below)
    for name in os.listdir(folder) if os.access(folder, os.R_OK) else ():
        if not os.path.lexists(f"{below}/{name}"):
            os.symlink(os.path.join(folder, name), f"{below}/{name}")


def _prepare(path):
    """Makes the copy of a file. True if there was none."""
    copy = _folder() + path
    if os.path.isfile(copy) and not os.path.islink(copy) and os.path.realpath(copy).startswith(_root):
        return False
    try:
        _link_all(os.path.dirname(path))
        if os.path.lexists(copy):
            os.unlink(copy)
        shutil.copyfile(path, copy)
    except OSError as error:
        gdb.write(f"lisle: the symbols of {path} are not read: {error}\n", gdb.STDERR)
        return False
    _edit(copy)
    return True


def use(paths):
    """gdb reads copies of these files. Reads symbols anew if it has read the files themselves."""
    fresh = [_prepare(path) for path in paths]
    known = {each.filename for each in gdb.objfiles()}
    if any(fresh) or known & set(paths):
        gdb.execute(f"set sysroot {_folder()}", to_string=True)


def original(path):
    """The file of which this is a copy."""
    return path[len(_root) :] if _root is not None and path.startswith(_root + "/") else path
