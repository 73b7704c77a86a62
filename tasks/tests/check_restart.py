# SPDX-License-Identifier: Apache-2.0
"""A picture of a coupled run shows its components and fields. A coupled run that stops and goes on, on other numbers and kinds of ranks, ends with the fields of one that
did not stop, to the last bit.

Usage: check_restart.py LISLERUN CLIMATE"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mpi/tests/integration"))
from commands import LIMIT  # noqa: E402

STEPS, STOP = "300", "120"


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=2 * LIMIT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def fingerprint(text: str) -> str:
    found = re.search(r"fingerprint ([0-9a-f]{16})", text)
    if found is None:
        sys.exit(f"no fingerprint in:\n{text}")
    return found.group(1)


def check_picture(path: pathlib.Path) -> None:
    shown = [element.text for element in xml.etree.ElementTree.parse(path).iter() if element.tag.endswith("text")]
    for text in ("air", "ice", "sea", "heat (sum, regridded)", "temperature (latest, regridded)"):
        if text not in shown:
            sys.exit(f"{text} is not in the picture, but {shown}")


def main() -> None:
    lislerun, climate = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "climate")
        whole = fingerprint(run(lislerun, "-n", "12", climate, STEPS))
        picture = pathlib.Path(folder) / "climate.svg"
        if fingerprint(run(lislerun, "-n", "12", climate, STEPS, "draw", str(picture))) != whole:
            sys.exit("the run is another one when it is watched")
        check_picture(picture)
        run(lislerun, "-n", "12", climate, STEPS, "save", STOP, path)
        for words in (("-n", "7", "--ranks", "thread"), ("-n", "3"), ("-P", "2", "-T", "8")):
            rest = fingerprint(run(lislerun, *words, climate, STEPS, "load", path))
            if rest != whole:
                sys.exit(f"{' '.join(words)} ends with {rest}, not {whole}")
    print("the same fields after each restart")


main()
