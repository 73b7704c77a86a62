# SPDX-License-Identifier: Apache-2.0
"""lislerun --calibrate writes a file that a modelled machine takes: the costs in it are those of this machine, in the order
in which they must be, and a program that runs on it takes them. Usage: calibrate_test.py LISLERUN PROGRAM FOLDER"""
import pathlib
import re
import subprocess
import sys

LISLERUN, PROGRAM = sys.argv[1:3]
FOLDER = pathlib.Path(sys.argv[3])


def run(*words):
    done = subprocess.run([LISLERUN, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / "this.machine"
    file.unlink(missing_ok=True)
    run("--calibrate", file)
    text = file.read_text()
    print(text)
    values = {name: float(value) for name, value in re.findall(r"^(\w+) = ([\d.]+)", text, re.MULTILINE)}
    if not values or any(value < 0 for value in values.values()):
        sys.exit("the file has no costs, or some that are less than nothing")
    said = run("--fabric", "tile:1x1", "-n", "2", "--mesh", file, PROGRAM)
    if "0 sums are wrong" not in said:
        sys.exit(f"a program on the machine of the file says: {said}")
    refused = subprocess.run([LISLERUN, "--calibrate", file, PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    if refused.returncode == 0 or "runs no program" not in refused.stderr:
        sys.exit(f"a program beside --calibrate: {refused.returncode} {refused.stderr}")


main()
