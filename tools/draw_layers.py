#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws which layers of src/ include which, from the code, as docs/images/layers.svg.

Usage: draw_layers.py [--check] SOURCE_DIR OUTPUT

The layers stand in the order of tools/layers.txt, the lowest at the bottom. An arrow leads from a layer down to one
that it includes; only arrows that no chain of others implies are drawn. With --check it writes nothing, and fails if
OUTPUT is not what it would write.
"""
import sys
from html import escape
from pathlib import Path

from layers import Layers, includes

BOX, GAP, LEFT, TOP = 34, 14, 40, 20
NAME_WIDTH, ARROWS = 180, 110
TEXT, LINE, FILL = "#2b2f36", "#0b5fa5", "#eef3f8"
PURPOSE = LEFT + ARROWS + NAME_WIDTH + 16
WIDTH = 930


def edges_of(layers, source):
    """{layer: layers below it that its files include}"""
    below = {layer: set() for layer in layers.order}
    for file, _, header in includes(source):
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


def drawing(layers, source):
    # A layer that includes nothing and is included by nothing has no place in a picture of includes.
    below = edges_of(layers, source)
    shown = [layer for layer in layers.order if below[layer] or any(layer in each for each in below.values())]
    height = 2 * TOP + len(shown) * (BOX + GAP) - GAP
    top = {layer: TOP + (len(shown) - 1 - index) * (BOX + GAP) for index, layer in enumerate(shown)}
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" font-family="sans-serif" font-size="13" fill="{TEXT}">',
             '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
             f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{LINE}"/></marker></defs>',
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
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
                parts.append(f'<path d="M{middle},{top[layer] + BOX} L{middle},{top[target] - 2}" stroke="{LINE}" '
                             'fill="none" stroke-width="1.5" marker-end="url(#tip)"/>')
            else:
                bend = x - 20 - 16 * steps
                parts.append(f'<path d="M{x},{start:.1f} C{bend},{start:.1f} {bend},{end:.1f} {x - 2},{end:.1f}" '
                             f'stroke="{LINE}" fill="none" stroke-width="1.5" marker-end="url(#tip)"/>')
    for layer in shown:
        parts.append(f'<rect x="{x}" y="{top[layer]}" width="{NAME_WIDTH}" height="{BOX}" rx="4" fill="{FILL}" '
                     f'stroke="{LINE}"/>')
        parts.append(f'<text x="{x + NAME_WIDTH / 2}" y="{top[layer] + BOX / 2 + 5}" text-anchor="middle" '
                     f'font-weight="bold">{escape(layer)}</text>')
        parts.append(f'<text x="{PURPOSE}" y="{top[layer] + BOX / 2 + 5}">{escape(layers.purpose[layer])}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    layers = Layers(Path(__file__).with_name("layers.txt"))
    source, output = (Path(each) for each in arguments)
    text = drawing(layers, source)
    if "--check" not in sys.argv:
        output.write_text(text)
    elif not output.exists() or output.read_text() != text:
        sys.exit(f"{output} is out of date: build the target `layers`, or run tools/draw_layers.py")


if __name__ == "__main__":
    main()
