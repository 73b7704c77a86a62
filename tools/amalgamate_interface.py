#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ interface, or the headers of it that are named, as one header, to be copied into a project or a web page's
compiler: nothing but an mpi.h is needed beside it. Headers come in the order of what they need.
Use: amalgamate_interface.py output [header of lisle/...]"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "cxx" / "include"
# All that programs include but what needs cereal, Lisle's extension calls, exceptions, sessions, or the other products.
USUAL = ["lisle.hpp", "alltoallw.hpp", "attribute.hpp", "allocator.hpp", "coroutine.hpp", "execution.hpp", "file.hpp", "halo.hpp", "handover.hpp",
         "grid_exchange.hpp", "info.hpp", "jobs.hpp", "layout.hpp", "reproducible.hpp", "sort.hpp", "sparse_exchange.hpp", "timers.hpp", "topology.hpp", "window.hpp"]
INCLUDE = re.compile(r'^#include "(lisle/[^"]+)"\n', re.MULTILINE)
HEAD = re.compile(r"\A// SPDX[^\n]*\n((?://[^\n]*\n)*)#pragma once\n")


def add(name, done, out):
    """The header and what it needs, which comes first, each once."""
    if name in done:
        return
    done.add(name)
    text = (ROOT / name).read_text(encoding="utf-8")
    for needed in INCLUDE.findall(text):
        add(needed, done, out)
    text = INCLUDE.sub("", HEAD.sub(r"\1", text))
    out.append(f"// ---- {name} ----\n{text.strip()}\n")


def main():
    output, *headers = sys.argv[1:]
    out = ["// SPDX-License-Identifier: Apache-2.0\n"
           "// Lisle's C++ interface in one header, over any MPI from 3.1 on. Written by tools/amalgamate_interface.py.\n#pragma once\n"]
    done = set()
    for header in headers or USUAL:
        add(f"lisle/{header}", done, out)
    Path(output).write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
