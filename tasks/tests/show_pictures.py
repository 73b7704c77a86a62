#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a browser draw what --explain and --trace make, and looks at the picture: it is not empty, and has the colours
of kernels and of functions. Exits with 77 where there is no chromium.

usage: show_pictures.py bin-directory source-directory [folder that keeps the pictures]
"""
import pathlib
import shutil
import subprocess
import struct
import sys
import tempfile
import zlib

browser = shutil.which("chromium") or shutil.which("chromium-browser")
if browser is None:
    print("there is no chromium (Debian: chromium) to draw the pictures")
    sys.exit(77)
binaries, source = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
folder = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else pathlib.Path(tempfile.mkdtemp())
folder.mkdir(exist_ok=True)


def colours(png):
    """The colours of a PNG of 8 bits, each as (r, g, b), with how often they occur."""
    data, at, image, width, depth = png.read_bytes(), 8, b"", 0, 3
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, bits, colour = struct.unpack(">IIBB", body[:10])
            assert bits == 8 and colour in (2, 6)
            depth = 3 if colour == 2 else 4
        elif kind == b"IDAT":
            image += body
        at += 12 + length
    rows, line, counts = zlib.decompress(image), width * depth, {}
    above = bytearray(line)
    for start in range(0, len(rows), line + 1):
        rule, row = rows[start], bytearray(rows[start + 1:start + 1 + line])
        for i in range(line):
            left = row[i - depth] if i >= depth else 0
            up, corner = above[i], above[i - depth] if i >= depth else 0
            if rule == 1:
                row[i] = (row[i] + left) & 255
            elif rule == 2:
                row[i] = (row[i] + up) & 255
            elif rule == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif rule == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[i] = (row[i] + nearest[2]) & 255
        for i in range(0, line, depth):
            pixel = tuple(row[i:i + 3])
            counts[pixel] = counts.get(pixel, 0) + 1
        above = row
    return counts


def draw(svg, wanted):
    png = svg.with_suffix(".png")
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--screenshot={png}", "--window-size=1100,700",
                    svg.as_uri()], check=True, capture_output=True, timeout=120)
    found = colours(png)
    for colour in wanted:
        assert found.get(colour, 0) > 100, f"{svg.name}: {found.get(colour, 0)} pixels of {colour}"


graph, time = folder / "graph.svg", folder / "time.svg"
program = str(source / "examples" / "task" / "merge_sort.td")
subprocess.run([binaries / "lisle-task", "--explain", graph, program], check=True)
subprocess.run([binaries / "mpirun", "-q", "-n", "2", binaries / "lisle-task", "--trace", time, program], check=True)
draw(graph, [(0xbf, 0xe3, 0xc0), (0xc5, 0xd8, 0xf0), (255, 255, 255)])
draw(time, [(0x4c, 0x78, 0xa8), (255, 255, 255)])
