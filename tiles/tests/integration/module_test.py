#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tiles are a module: the library has nothing of them, loads them from beside itself, and says what is missing.

Usage: module_test.py LIBRARY MODULE SUM DIRECTORY
"""
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "mpi/tests/integration"))
from commands import empty_directory, expect, run

LIBRARY, MODULE, SUM = (pathlib.Path(word) for word in sys.argv[1:4])
OF_TILES = re.compile(r"lisle::tile::|rmpi|\b(tile|mesh|staged)_(fabric|carrier|layout|codec|stages|collectives|places)")


def symbols(file):
    return run("nm", "-C", "--defined-only", file).stdout.splitlines()


def on_tiles(place, status=None, **settings):
    return run(SUM, status=status, env={**os.environ, "LISLE_FABRIC": "tile:2x2", "LD_LIBRARY_PATH": str(place), **settings})


def main():
    strange = [line for line in symbols(LIBRARY) if OF_TILES.search(line)]
    expect(not strange, f"the library has {strange}")
    expect(any(OF_TILES.search(line) for line in symbols(MODULE)), "the pattern finds nothing in the module either")
    exported = run("nm", "-D", "--defined-only", MODULE).stdout.split()
    expect("lisle_fabric_module" in exported and len(exported) == 3, f"the module exports {exported}")

    place = empty_directory(sys.argv[4])
    shutil.copy(LIBRARY, place / "libmpi_abi.so.1")
    without = on_tiles(place)
    expect(without.returncode != 0 and "LISLE_FABRIC=tile:2x2 needs Lisle's tiles" in without.stderr, without.stderr)
    expect("install them beside the library" in without.stderr, without.stderr)
    run(SUM, env={**os.environ, "LD_LIBRARY_PATH": str(place)})

    (place / "lisle").mkdir()
    shutil.copy(MODULE, place / "lisle")
    moved = on_tiles(place, status=0)
    expect("1 ranks: 0 sums are wrong" in moved.stdout and "2 x 2 tiles" in moved.stderr, moved.stdout + moved.stderr)

    other = (place / "lisle" / MODULE.name).read_bytes()
    build = re.search(rb"\d+\.\d+\.\d+-[0-9a-f]{40}", other)
    expect(build is not None, "the module does not say of which build it is")
    changed = build[0][:-1] + (b"0" if build[0][-1:] != b"0" else b"1")
    (place / "lisle" / MODULE.name).write_bytes(other.replace(build[0], changed))
    mixed = on_tiles(place)
    expect(mixed.returncode != 0 and "is of another build of Lisle" in mixed.stderr, mixed.stderr)


if __name__ == "__main__":
    main()
