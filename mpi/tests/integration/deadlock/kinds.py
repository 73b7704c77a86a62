# SPDX-License-Identifier: Apache-2.0
"""The kinds of jobs in which deadlocks are tested, and what lislerun needs for each."""
import os

# One node that lislerun watches.
ALONE = ["process", "thread", "fiber"]
# Ranks on two nodes, or each on its own, which agree.
NODES = {"nodes": ["process"], "nodes_of_threads": ["thread", "-T", "2"], "nodes_of_fibers": ["fiber", "-T", "2"],
         "lone_nodes": ["process"]}


def options_of(kind):
    """Options of lislerun; sets the variables that it needs as well."""
    if kind == "tile":
        return ["--fabric", "tile:4x4"]
    if kind in NODES:
        os.environ.update(LISLE_NODES="-1" if kind == "lone_nodes" else "2", LISLE_NETWORK_INTERFACE="lo")
    return ["--ranks", *NODES.get(kind, [kind])]
