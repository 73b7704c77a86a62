#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes point downwards, by the layers that tools/layers.txt and tools/interface_layers.txt declare.

Usage: check_layers.py PROJECT_DIR

Prints one line for each include that points upward, names no file's folder or is for other layers alone, and
exits with 1 if there is any.
"""
import sys
from pathlib import Path

from layers import DECLARATIONS, GENERATED, Layers, includes


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
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1])
    wrong = 0
    for declaration, folders in DECLARATIONS.items():
        layers = Layers(project / "tools" / declaration)
        for folder in folders:
            seen = 0
            for root, file, line, header in includes(project / folder):
                seen += 1
                if said := complaint(layers, file, header):
                    wrong += 1
                    print(f"{root.relative_to(project)}/{file}:{line}: {said}")
            if seen == 0:
                sys.exit(f"{project / folder} has no source file with an include")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
