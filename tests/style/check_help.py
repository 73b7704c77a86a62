# SPDX-License-Identifier: Apache-2.0
"""Each program that measures says with --help what it does: it finds what it imports, wherever folders have moved.

Usage: check_help.py SOURCE"""
import os
import subprocess
import sys
from pathlib import Path

lost = []
programs = [each for folder in ("mpi/bench", "cxx/bench") for each in sorted((Path(sys.argv[1]) / folder).iterdir())
            if each.is_file() and os.access(each, os.X_OK)]  # fmt: skip
for program in programs:
    said = subprocess.run([program, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if said.returncode != 0 or "usage:" not in said.stdout:
        lost.append(f"{program} --help: {said.returncode}\n{said.stderr}")
if lost or not programs:
    sys.exit("\n".join(lost) or "there are no programs that measure")
