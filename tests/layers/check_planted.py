# SPDX-License-Identifier: Apache-2.0
"""Plants wrong includes in a copy of the sources and expects tools/check_layers.py to name each, and nothing else.

Usage: check_planted.py PROJECT_DIR
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# File, what is planted in it, and what must be said.
IN_INTERFACE = [
    ("lisle/detail/error.hpp", "lisle/datatype/fields.hpp", "lisle/detail includes lisle/datatype/fields.hpp"),
    ("lisle/datatype/buffer.hpp", "lisle/request/status.hpp", "lisle/datatype includes lisle/request/status.hpp"),
    ("lisle/request/request.hpp", "lisle/point_to_point/message.hpp", "lisle/request includes lisle/point_to_point"),
    ("lisle/collective/shadow.hpp", "lisle/communicator.hpp", "lisle/collective includes lisle/communicator.hpp of lisle"),
]
IN_LIBRARY = [
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
    ("tcp/socket_address.hpp", "execution/rank.hpp", "of execution, which is above it"),
    ("fabric/network/device/device.hpp", "fabric/network/ofi/severing.hpp", "of fabric/network/ofi, which is above it"),
    ("fabric/network/device/device.hpp", "fabric/network/tcp/socket_device.hpp", "of fabric/network/tcp, which is above it"),
    ("fabric/network/ofi/severing.hpp", "fabric/network/provider.hpp", "of fabric/network, which is above it"),
    ("fabric/network/tcp/socket_device.hpp", "fabric/network/provider.hpp", "of fabric/network, which is above it"),
    ("fabric/network/tcp/socket_device.hpp", "fabric/network/rail/rail.hpp", "of fabric/network/rail, which is above it"),
    ("fabric/network/rail/rail.hpp", "fabric/network/peer/frame.hpp", "of fabric/network/peer, which is above it"),
    ("fabric/network/peer/frame.hpp", "fabric/network/network_fabric.hpp", "which is above it"),
    # Each folder of the engine's parts includes the next one above.
    ("protocol/message/packet.hpp", "protocol/core/engine_core.hpp", "of protocol/core, which is above it"),
    ("protocol/core/engine_core.hpp", "protocol/matching/matching.hpp", "of protocol/matching, which is above it"),
    ("protocol/matching/matching.hpp", "protocol/checking/type_notes.hpp", "of protocol/checking, which is above it"),
    ("protocol/checking/type_notes.hpp", "protocol/sending/sender.hpp", "of protocol/sending, which is above it"),
    ("protocol/sending/sender.hpp", "protocol/eager/inbox.hpp", "of protocol/eager, which is above it"),
    ("protocol/eager/inbox.hpp", "protocol/rendezvous/announced_sends.hpp", "of protocol/rendezvous, which is above"),
    ("protocol/rendezvous/announced_sends.hpp", "protocol/progress/waiter.hpp", "of protocol/progress, which is above"),
    ("protocol/progress/waiter.hpp", "protocol/engine.hpp", "of protocol, which is above it"),
    # So does each folder of windows, and of the launcher and its host.
    ("rma/elements/element_update.hpp", "rma/state/window_members.hpp", "of rma/state, which is above it"),
    ("rma/state/window_members.hpp", "rma/races/watch.hpp", "of rma/races, which is above it"),
    ("rma/races/watch.hpp", "rma/messages/wire.hpp", "of rma/messages, which is above it"),
    ("rma/messages/wire.hpp", "rma/ways/way.hpp", "of rma/ways, which is above it"),
    ("rma/ways/way.hpp", "rma/operations.hpp", "of rma, which is above it"),
    ("world/pmi/foreign_launcher.hpp", "world/job.hpp", "of world, which is above it"),
    ("launch/common/say.hpp", "launch/request/request.hpp", "of launch/request, which is above it"),
    ("launch/request/request.hpp", "launch/options/option.hpp", "of launch/options, which is above it"),
    ("launch/options/option.hpp", "launch/plan/plan.hpp", "of launch/plan, which is above it"),
    ("launch/plan/plan.hpp", "launch/streams/job_streams.hpp", "of launch/streams, which is above it"),
    ("launch/streams/job_streams.hpp", "launch/supervisor/supervisor.hpp", "of launch/supervisor, which is above it"),
    ("launch/supervisor/supervisor.hpp", "launch/outer/task.hpp", "of launch/outer, which is above it"),
    ("launch/host/rank/refusal.hpp", "launch/host/image/image.hpp", "of launch/host/image, which is above it"),
    ("launch/host/image/image.hpp", "launch/host/output/output.hpp", "of launch/host/output, which is above it"),
    ("base/error.cpp", "error.hpp", "name error.hpp with its folder"),
    ("base/error.hpp", "runtime/job.hpp", "runtime/job.hpp is in no declared layer"),
    ("new_folder/new.hpp", "base/error.hpp", "the file is in no declared layer"),
]
IN_TASKS = [
    ("task/value/value.hpp", "task/machine/machine.hpp", "of task/machine, which is above it"),
    ("task/machine/machine.hpp", "task/command/picture.hpp", "of task/command, which is above it"),
]
IN_TILES = [
    ("tile/machine.hpp", "tile/rmpi/job.hpp", "tile includes tile/rmpi/job.hpp of tile/rmpi, which is above it"),
    ("tile/rmpi/job.hpp", "tile/study/speed.hpp", "of tile/study, which is above it"),
]
PLANTED = [(f"{folder}/{file}", header, expected)
           for folder, those in (("cxx/include", IN_INTERFACE), ("mpi/src", IN_LIBRARY), ("tasks/src", IN_TASKS), ("tiles/src", IN_TILES))
           for file, header, expected in those]


def check(project):
    return subprocess.run([sys.executable, project / "tools/check_layers.py", project], text=True, check=False,
                          capture_output=True)


def main():
    project = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)
        for folder in ("tools", "mpi/src", "tasks/src", "tasks/include", "tiles/src", "cxx/include"):
            shutil.copytree(project / folder, copy / folder)
        for file, header, _ in PLANTED:
            path = copy / file
            path.parent.mkdir(exist_ok=True)
            with path.open("a") as changed:
                changed.write(f'\n#include "{header}"\n')
        result = check(copy)
        said = result.stdout.splitlines()
        for file, header, expected in PLANTED:
            if not any(line.startswith(f"{file}:") and expected in line for line in said):
                sys.exit(f'"{header}" in {file} is not said to be wrong: {expected}\nbut\n{result.stdout}{result.stderr}')
        if result.returncode != 1 or len(said) != len(PLANTED):
            sys.exit(f"{len(PLANTED)} wrong includes give status {result.returncode} and\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    main()
