#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes within src/ point downwards, by the layers that tools/layers.txt declares; or those within
another directory, by another declaration.

Usage: check_layers.py SOURCE_DIR [DECLARATION]

Prints one line for each include that points upward, names no file's folder or is for other layers alone, and
exits with 1 if there is any.
"""
import sys
from pathlib import Path

from layers import GENERATED, Layers, includes


def complaint(layers, file, header):
    """What is wrong with an include, or None."""
    own = layers.of(file)
    if own is None:
        return "the file is in no declared layer"
    if "/" not in header:
        return None if header in GENERATED else f"name {header} with its folder"
    target = layers.of(header)
    if target is None:
        return f"{header} is in no declared layer"
    if layers.height(target) > layers.height(own):
        return f"{own} includes {header} of {target}, which is above it"
    allowed = layers.private.get(header)
    if allowed is not None and own not in allowed:
        return f"{own} includes {header}, which is for {' and '.join(allowed)} alone"
    return None


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    layers = Layers(sys.argv[2] if len(sys.argv) == 3 else Path(__file__).with_name("layers.txt"))
    wrong = 0
    seen = 0
    for file, line, header in includes(sys.argv[1]):
        seen += 1
        if said := complaint(layers, file, header):
            wrong += 1
            print(f"{Path(sys.argv[1]).name}/{file}:{line}: {said}")
    if seen == 0:
        sys.exit(f"{sys.argv[1]} has no source file with an include")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
