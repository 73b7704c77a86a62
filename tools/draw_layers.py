#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws which layers of the products include which, from the code, as docs/images/layers.svg.

Usage: draw_layers.py [--check] PROJECT_DIR OUTPUT

The layers stand in the order of tools/layers.txt, the lowest at the bottom. An arrow leads from a layer down to one
that it includes; only arrows that no chain of others implies are drawn. With --check it writes nothing, and fails if
OUTPUT is not what it would write.
"""
import sys
from pathlib import Path

from layers import DECLARATIONS, Layers, includes
from svg import Canvas

BOX, GAP, LEFT, TOP = 34, 14, 40, 20
NAME_WIDTH, ARROWS = 180, 110
LINE, FILL = "#0b5fa5", "#eef3f8"
PURPOSE = LEFT + ARROWS + NAME_WIDTH + 16
WIDTH = 930


def edges_of(layers, project):
    """{layer: layers below it that its files include}"""
    below = {layer: set() for layer in layers.order}
    for _, file, _, header in includes(*(project / folder for folder in DECLARATIONS["layers.txt"])):
        own, target = layers.of(file), layers.of(header)
        if own and target and own != target:
            below[own].add(target)
    return below


def reached(below, start):
    """All layers that a chain of includes leads to, without `start` itself."""
    found, waiting = set(), list(below[start])
    while waiting:
        layer = waiting.pop()
        if layer not in found:
            found.add(layer)
            waiting.extend(below[layer])
    return found


def without_implied(below):
    """The edges that no chain of others implies."""
    return {layer: {target for target in targets
                    if not any(target in reached(below, other) for other in targets - {target})}
            for layer, targets in below.items()}


def drawing(layers, project):
    # A layer that includes nothing and is included by nothing has no place in a picture of includes.
    below = edges_of(layers, project)
    shown = [layer for layer in layers.order if below[layer] or any(layer in each for each in below.values())]
    height = 2 * TOP + len(shown) * (BOX + GAP) - GAP
    top = {layer: TOP + (len(shown) - 1 - index) * (BOX + GAP) for index, layer in enumerate(shown)}
    canvas = Canvas(WIDTH, height)
    canvas.arrow_tips(LINE)
    x = LEFT + ARROWS
    reduced = without_implied(below)
    for layer in shown:
        targets = sorted(reduced[layer], key=layers.height, reverse=True)
        for index, target in enumerate(targets):
            steps = shown.index(layer) - shown.index(target)
            start = top[layer] + BOX / 2 + (index - (len(targets) - 1) / 2) * 6
            end = top[target] + BOX / 2
            if steps == 1:
                middle = x + NAME_WIDTH / 2
                canvas.arrow(f"M{middle},{top[layer] + BOX} L{middle},{top[target] - 2}", LINE)
            else:
                bend = x - 20 - 16 * steps
                canvas.arrow(f"M{x},{start:.1f} C{bend},{start:.1f} {bend},{end:.1f} {x - 2},{end:.1f}", LINE)
    for layer in shown:
        line = top[layer] + BOX / 2 + 5
        canvas.box(x, top[layer], NAME_WIDTH, BOX, FILL, LINE)
        canvas.text(x + NAME_WIDTH / 2, line, layer, "middle", weight="bold")
        canvas.text(PURPOSE, line, layers.purpose[layer])
    return canvas.finish()


def main():
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    project, output = (Path(each) for each in arguments)
    text = drawing(Layers(project / "tools/layers.txt"), project)
    if "--check" not in sys.argv:
        output.write_text(text)
    elif not output.exists() or output.read_text() != text:
        sys.exit(f"{output} is out of date: build the target `layers`, or run tools/draw_layers.py")


if __name__ == "__main__":
    main()
