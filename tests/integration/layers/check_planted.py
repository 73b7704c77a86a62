# SPDX-License-Identifier: Apache-2.0
"""Plants wrong includes, one after the other, in copies of src/ and include/, and expects tools/check_layers.py to name
each.

Usage: check_planted.py PROJECT_DIR
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# File, what is planted in it, and what must be said.
PLANTED_IN_INTERFACE = [
    ("lisle/detail/error.hpp", "lisle/datatype/fields.hpp", "lisle/detail includes lisle/datatype/fields.hpp"),
    ("lisle/datatype/buffer.hpp", "lisle/request/status.hpp", "lisle/datatype includes lisle/request/status.hpp"),
    ("lisle/request/request.hpp", "lisle/point_to_point/message.hpp", "lisle/request includes lisle/point_to_point"),
    ("lisle/collective/shadow.hpp", "lisle/communicator.hpp", "lisle/collective includes lisle/communicator.hpp of lisle"),
]
PLANTED = [
    ("base/error.hpp", "world/job.hpp", "base includes world/job.hpp of world, which is above it"),
    ("execution/rank.cpp", "protocol/engine.hpp", "execution includes protocol/engine.hpp of protocol"),
    ("world/job.hpp", "fabric/fabric.hpp", "world includes fabric/fabric.hpp of fabric"),
    ("fabric/routes.hpp", "fabric/local/mailbox.hpp", "fabric includes fabric/local/mailbox.hpp of fabric/local"),
    ("communicator/agreement.hpp", "collective/team.hpp", "communicator includes collective/team.hpp of collective"),
    ("collective/call.hpp", "collective/steps/schedule.hpp", "of collective/steps, which is above it"),
    ("collective/area/posts.hpp", "collective/steps/steps.hpp", "of collective/steps, which is above it"),
    ("collective/steps/schedule.hpp", "collective/algorithms/bcast.hpp", "of collective/algorithms, which is above it"),
    ("collective/algorithms/bcast.hpp", "collective/node/hierarchy.hpp", "of collective/node, which is above it"),
    ("collective/node/pair.hpp", "collective/process/in_process.hpp", "of collective/process, which is above it"),
    ("collective/process/in_process.hpp", "collective/selection/table.hpp", "of collective/selection, which is above it"),
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


def check(project, source, declaration):
    return subprocess.run([sys.executable, project / "tools/check_layers.py", source, project / "tools" / declaration],
                          text=True, check=False, capture_output=True)


def check_planted(project, folder, declaration, planted):
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / folder
        shutil.copytree(project / folder, source)
        clean = check(project, source, declaration)
        if clean.returncode != 0:
            sys.exit(f"the copy is not clean:\n{clean.stdout}")
        for file, header, expected in planted:
            path = source / file
            existed = path.exists()
            before = path.read_text() if existed else ""
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'{before}\n#include "{header}"\n')
            result = check(project, source, declaration)
            if result.returncode != 1 or expected not in result.stdout or f"{folder}/{file}:" not in result.stdout:
                sys.exit(f'"{header}" in {folder}/{file} gives status {result.returncode} and\n{result.stdout}'
                         f'{result.stderr}instead of\n{expected}')
            if existed:
                path.write_text(before)
            else:
                path.unlink()


def main():
    project = Path(sys.argv[1])
    check_planted(project, "src", "layers.txt", PLANTED)
    check_planted(project, "include", "interface_layers.txt", PLANTED_IN_INTERFACE)


if __name__ == "__main__":
    main()
