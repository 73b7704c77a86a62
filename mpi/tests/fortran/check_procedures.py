#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every procedure that the interfaces name is defined in the library, also under its profiling name, and where buffers
may be sections of arrays.

Usage: check_procedures.py SOURCE_DIR LIBRARY
"""
import subprocess
import sys
from pathlib import Path

source, library = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(source / "tools"))
import fortran  # noqa: E402

listed = subprocess.run(["nm", "--defined-only", library], capture_output=True, text=True, check=True).stdout
defined = {line.split()[-1] for line in listed.splitlines() if line}
procedures = list(fortran.procedures(source / "data"))
symbols = [p.name.lower() + "_" for p in procedures] + [p.name.lower() + "_f08ts_" for p in procedures if p.sections()]
names = [prefix + symbol for symbol in symbols for prefix in ("", "p")]
missing = [name for name in names if name not in defined]
print(f"{len(names) - len(missing)} of {len(names)} procedures are defined")
if missing:
    sys.exit("missing: " + ", ".join(missing))
