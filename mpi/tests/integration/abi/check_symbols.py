# SPDX-License-Identifier: Apache-2.0
"""The library exports the standard's functions and our extensions, strong as PMPI_ and weak as MPI_, and hardly
anything else. It has few thread-local variables.

Usage: check_symbols.py DATA_DIR LIBRARY
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from commands import expect, run


# A process that opens the library while it runs has 1,664 bytes for thread-local variables of the static model, which other
# libraries want, too.
MOST_THREAD_LOCALS = 1024


def check_thread_locals(library):
    segment = next(line.split() for line in run("readelf", "-lW", library).stdout.splitlines() if line.split()[:1] == ["TLS"])
    size = int(segment[5], 16)
    expect(0 < size <= MOST_THREAD_LOCALS, f"thread-local variables take {size} bytes; at most {MOST_THREAD_LOCALS} are wanted")


def main():
    tables = [pathlib.Path(sys.argv[1]) / name for name in ("functions.json", "extensions.json")]
    rows = [row for table in tables for row in json.loads(table.read_text(encoding="utf-8"))["functions"]]
    names = {row["name"] for row in rows}
    kinds = {}
    for line in run("nm", "-D", "--defined-only", sys.argv[2]).stdout.splitlines():
        _, kind, name = line.split()
        kinds[name.partition("@")[0]] = kind
    for name in sorted(names):
        expect(kinds.get(f"P{name}") == "T", f"P{name} is not a strong function")
        expect(kinds.get(name) == "W", f"{name} is not a weak function")
    others = set(kinds) - names - {f"P{name}" for name in names}
    strange = sorted(name for name in others if not re.match(r"lisle_", name))
    expect(not strange, f"the library exports {strange}")
    dynamic = run("readelf", "-d", sys.argv[2]).stdout
    expect("Library soname: [libmpi_abi.so.1]" in dynamic, "the soname is not libmpi_abi.so.1")
    check_thread_locals(sys.argv[2])
    print(f"{len(names)} functions, twice; {len(others)} other symbols")


if __name__ == "__main__":
    main()
