#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives of programs on a modelled mesh: right results, and fewer cycles than with algorithms that do not know
the mesh. A run takes the same cycles each time, so a comparison holds on any machine.

Usage: collectives_test.py LISLERUN COLLECTIVES MESH...
       collectives_test.py --table LISLERUN COLLECTIVES MESH...     prints the cycles as the table of docs/tiles.md
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from commands import expect

OPERATIONS = "bcast reduce allreduce allgather reduce_scatter".split()
# What Lisle has for networks of which it knows nothing: trees and doubling, halving.
FLAT = [{"BCAST": "binomial", "REDUCE": "binomial", "ALLREDUCE": "recursive_doubling", "ALLGATHER": "bruck",
         "REDUCE_SCATTER": "recursive_halving"},
        {"BCAST": "scatter_allgather", "REDUCE": "reduce_scatter_allgather", "ALLREDUCE": "reduce_scatter_allgather",
         "ALLGATHER": "recursive_doubling", "REDUCE_SCATTER": "pairwise"}]
FASTER = {"bcast", "reduce", "allreduce"}  # on few tiles the others are about as fast as the flat ones
STRICTLY = {"4x4", "8x8"}  # where pairs meet, and they are enough
MHZ = 425
# From the length on from which a mesh of this shape is to win. More than two meet in the stages of 3 x 5.
LEAST = {"3x5": 4096}


def cycles(launcher, program, mesh, lengths, algorithms):
    """{(operation, bytes): cycles}"""
    forced = {f"LISLE_{name}": value for name, value in algorithms.items()}
    done = subprocess.run([launcher, "--fabric", f"tile:{mesh}", program, str(MHZ), ",".join(OPERATIONS),
                           ",".join(map(str, lengths))], text=True, capture_output=True, check=False,
                          env={**os.environ, **forced}, timeout=900)
    expect(done.returncode == 0 and "wrong" not in done.stdout, f"{mesh} {algorithms}: {done.stdout}{done.stderr}")
    rows = [line.split() for line in done.stdout.splitlines()]
    found = {(name, int(length)): int(took) for name, length, took in rows}
    expect(len(found) == len(OPERATIONS) * len(lengths), done.stdout)
    return found


def compare(launcher, program, mesh):
    least = LEAST.get(mesh, 1024)
    lengths = [length for length in (1024, 4096, 16384) if length >= least]
    chosen = cycles(launcher, program, mesh, lengths, {})
    expect(chosen == cycles(launcher, program, mesh, lengths, {}), f"{mesh}: two runs differ")
    # On few tiles halves in the order of ranks are about as fast.
    for flat in FLAT if mesh == "8x8" else FLAT[:1]:
        others = cycles(launcher, program, mesh, lengths, flat)
        slower = [f"{each} {took} cycles, {others[each]} with {flat[each[0].upper()]}"
                  for each, took in chosen.items() if (each[0] in FASTER or mesh == "8x8") and took + (mesh in STRICTLY) > others[each]]
        expect(not slower, f"{mesh}: the mesh's are not faster: {slower}")


def table(launcher, program, meshes):
    lengths = [1024, 4096, 16384, 65536]
    print("| mesh | operation | " + " | ".join(f"{length // 1024} KiB" for length in lengths) + " |")
    print("|---|---|" + "---|" * len(lengths))
    for mesh in meshes:
        chosen = cycles(launcher, program, mesh, lengths, {})
        others = [cycles(launcher, program, mesh, lengths, flat) for flat in FLAT]
        for operation in OPERATIONS:
            row = [f"{chosen[operation, length]:,} / " + " / ".join(f"{each[operation, length]:,}" for each in others)
                   for length in lengths]
            print(f"| {mesh.replace('x', ' x ')} | {operation} | " + " | ".join(row) + " |")


if sys.argv[1] == "--table":
    table(sys.argv[2], sys.argv[3], sys.argv[4:])
else:
    for shape in sys.argv[3:]:
        compare(sys.argv[1], sys.argv[2], shape)
