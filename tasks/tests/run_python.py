# SPDX-License-Identifier: Apache-2.0
"""Runs a command of lislerun in which the word PYTHON stands for this interpreter, with the folder of lisle_couple.py among
those of modules. Ends with 77 where there is no NumPy, or where ranks are to be threads and the interpreter cannot be one.

Usage: run_python.py MODULES [--heats] COMMAND...

--heats: what the programs print of the coupled ocean and atmosphere has to add up to what ocean_atmosphere prints.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

HEATS = {"ocean": 7.831911788, "atmosphere": 7.845818783}


def skip(sentence):
    print(sentence)
    sys.exit(77)


def is_position_independent(program):
    """ELF's type: 3 can be loaded at any address."""
    return Path(program).resolve().read_bytes()[16] == 3


def check_heats(printed):
    for model, expected in HEATS.items():
        # Two ranks may write their lines at once, and Python writes the end of a line by itself.
        told = re.findall(rf"heat of the {model}(?:, part \d+ of \d+,)? (\d+\.\d{{9}})", printed)
        parts = [float(number) for number in told]
        if not parts or abs(sum(parts) - expected) > 1e-8:
            sys.exit(f"the heat of the {model} is {parts}, which is not {expected} together")


def main():
    modules, command = sys.argv[1], sys.argv[2:]
    wants_heats = command[0] == "--heats"
    command = [sys.executable if word == "PYTHON" else word for word in command[int(wants_heats):]]
    try:
        import numpy  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError as error:
        skip(f"Python has no NumPy: {error}")
    kinds = " ".join(command).split(" : ")[-1]
    if "--ranks process" not in kinds and "--ranks" in kinds and not is_position_independent(sys.executable):
        skip(f"{sys.executable} cannot be loaded at any address, so its ranks cannot be threads")
    path = os.pathsep.join(filter(None, (modules, os.environ.get("PYTHONPATH"))))
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(done.returncode)
    if wants_heats:
        check_heats(done.stdout)


main()
