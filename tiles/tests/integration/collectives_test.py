#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives of programs on a modelled mesh: right results, and no more cycles than with algorithms that do not know
the mesh; fewer where the ranks lie on 4 x 4 or 8 x 8 tiles. A run takes the same cycles each time, so a comparison holds
on any machine.

Usage: collectives_test.py LISLERUN COLLECTIVES MESH [LENGTH...]
       collectives_test.py --table LISLERUN COLLECTIVES MESH...     prints the cycles as the table of tiles/docs/tiles.md
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "mpi/tests/integration"))
from commands import LIMIT, expect

# What Lisle has for networks of which it knows nothing: trees and doubling; cut in halves, or in pieces for all.
RIVALS = {"bcast": ["binomial", "scatter_allgather"],
          "reduce": ["binomial", "reduce_scatter_allgather"],
          "allreduce": ["recursive_doubling", "reduce_scatter_allgather"],
          "allgather": ["bruck", "recursive_doubling"],
          "reduce_scatter": ["recursive_halving", "pairwise"]}
LENGTHS = [1024, 4096, 16384]  # of the whole vector
# Pairwise exchange is not logarithmic, and four ranks do it in as many steps.
LINEAR = {"2x2": {"pairwise"}}
# Elsewhere a tree, or a way that does not know the mesh, is chosen for some of the lengths.
STRICTLY = {"4x4", "8x8"}
MHZ = 425


def cycles(launcher, program, mesh, operation, length, algorithm=None):
    """In a run of its own, so that one algorithm takes the same cycles whatever the others do."""
    forced = {"LISLE_COLLECTIVES": f"{operation}={algorithm}"} if algorithm else {}
    done = subprocess.run([launcher, "--fabric", f"tile:{mesh}", program, str(MHZ), operation, str(length)], text=True,
                          capture_output=True, check=False, env={**os.environ, **forced}, timeout=9 * LIMIT)
    found = done.stdout.split()
    expect(done.returncode == 0 and found[:2] == [operation, str(length)] and len(found) == 3,
           f"{mesh} {operation} {length} {algorithm}: {done.stdout}{done.stderr}")
    return int(found[2])


def compare(launcher, program, mesh, lengths):
    lost = []
    for operation, rivals in RIVALS.items():
        for length in lengths:
            chosen = cycles(launcher, program, mesh, operation, length)
            for rival in set(rivals) - LINEAR.get(mesh, set()):
                took = cycles(launcher, program, mesh, operation, length, rival)
                if chosen + (mesh in STRICTLY) > took:
                    lost.append(f"{operation} of {length} bytes: {chosen} cycles, {took} with {rival}")
    expect(not lost, f"{mesh}: the mesh's are not faster: {lost}")
    again = [cycles(launcher, program, mesh, "allreduce", lengths[0]) for _ in range(2)]
    expect(again[0] == again[1], f"{mesh}: two runs differ: {again}")


def table(launcher, program, meshes):
    lengths = LENGTHS + [65536]
    print("| mesh | operation | " + " | ".join(f"{length // 1024} KiB" for length in lengths) + " |")
    print("|---|---|" + "---|" * len(lengths))
    for mesh in meshes:
        for operation, rivals in RIVALS.items():
            cells = [" / ".join(f"{cycles(launcher, program, mesh, operation, length, algorithm):,}"
                                for algorithm in [None, *rivals]) for length in lengths]
            print(f"| {mesh.replace('x', ' x ')} | {operation} | " + " | ".join(cells) + " |", flush=True)


if sys.argv[1] == "--table":
    table(sys.argv[2], sys.argv[3], sys.argv[4:])
else:
    compare(*sys.argv[1:4], list(map(int, sys.argv[4:])) or LENGTHS)
