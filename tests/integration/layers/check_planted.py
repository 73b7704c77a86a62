# SPDX-License-Identifier: Apache-2.0
"""Plants wrong includes in a copy of src/ and expects tools/check_layers.py to name each, and nothing else.

Usage: check_planted.py PROJECT_DIR
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# File, what is planted in it, and what must be said.
PLANTED = [
    ("base/error.hpp", "world/job.hpp", "base includes world/job.hpp of world, which is above it"),
    ("execution/rank.cpp", "protocol/engine.hpp", "execution includes protocol/engine.hpp of protocol"),
    ("world/job.hpp", "fabric/fabric.hpp", "world includes fabric/fabric.hpp of fabric"),
    ("fabric/routes.hpp", "fabric/local/mailbox.hpp", "fabric includes fabric/local/mailbox.hpp of fabric/local"),
    ("api/embedded.cpp", "library/process.hpp", "api includes library/process.hpp of library"),
    ("protocol/send.cpp", "fabric/local/local_fabric.hpp", "which is for library and fabric/local alone"),
    # Each folder of the engine's parts includes the next one above.
    ("protocol/message/packet.hpp", "protocol/core/engine_core.hpp", "of protocol/core, which is above it"),
    ("protocol/core/engine_core.hpp", "protocol/matching/matching.hpp", "of protocol/matching, which is above it"),
    ("protocol/matching/matching.hpp", "protocol/checking/type_notes.hpp", "of protocol/checking, which is above it"),
    ("protocol/checking/type_notes.hpp", "protocol/sending/sender.hpp", "of protocol/sending, which is above it"),
    ("protocol/sending/sender.hpp", "protocol/eager/inbox.hpp", "of protocol/eager, which is above it"),
    ("protocol/eager/inbox.hpp", "protocol/rendezvous/announced_sends.hpp", "of protocol/rendezvous, which is above"),
    ("protocol/rendezvous/announced_sends.hpp", "protocol/progress/waiter.hpp", "of protocol/progress, which is above"),
    ("protocol/progress/waiter.hpp", "protocol/engine.hpp", "of protocol, which is above it"),
    ("base/error.cpp", "error.hpp", "name error.hpp with its folder"),
    ("base/error.hpp", "runtime/job.hpp", "runtime/job.hpp is in no declared layer"),
    ("new_folder/new.hpp", "base/error.hpp", "the file is in no declared layer"),
]


def check(project, source):
    return subprocess.run([sys.executable, project / "tools/check_layers.py", source], text=True, check=False,
                          capture_output=True)


def main():
    project = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "src"
        shutil.copytree(project / "src", source)
        clean = check(project, source)
        if clean.returncode != 0:
            sys.exit(f"the copy is not clean:\n{clean.stdout}")
        for file, header, _ in PLANTED:
            path = source / file
            path.parent.mkdir(exist_ok=True)
            with path.open("a") as planted:
                planted.write(f'\n#include "{header}"\n')
        result = check(project, source)
        said = result.stdout.splitlines()
        for file, header, expected in PLANTED:
            if not any(line.startswith(f"src/{file}:") and expected in line for line in said):
                sys.exit(f'"{header}" in src/{file} is not said to be wrong: {expected}\nbut\n{result.stdout}{result.stderr}')
        if result.returncode != 1 or len(said) != len(PLANTED):
            sys.exit(f"{len(PLANTED)} wrong includes give status {result.returncode} and\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    main()
