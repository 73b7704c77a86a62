# SPDX-License-Identifier: Apache-2.0
"""A drawing as SVG, written element by element."""
from html import escape

TEXT, GRID = "#2b2f36", "#dfe3e8"


class Canvas:
    """Collects elements: each lies above those before it."""

    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                      f'height="{height}" font-family="sans-serif" font-size="13" fill="{TEXT}">',
                      f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def text(self, x, y, content, anchor="start", size=13, weight="normal", turn=0):
        rotated = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
                          f'font-weight="{weight}"{rotated}>{escape(content)}</text>')

    def line(self, x1, y1, x2, y2, colour=GRID, width=1.0):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"/>')

    def points(self, points, colour):
        """A line through points that are marked."""
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{steps}" fill="none" stroke="{colour}" stroke-width="2.4"/>')
        for x, y in points:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')

    def box(self, x, y, width, height, colour, edge=None):
        """With an edge its corners are round."""
        border = f' rx="4" stroke="{edge}"' if edge else ""
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
                          f'fill="{colour}"{border}/>')

    def arrow_tips(self, colour):
        """Arrows need them, once in a drawing."""
        self.parts.append('<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                          f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker></defs>')

    def arrow(self, way, colour):
        """`way` in SVG's words, as "M0,0 L10,10"."""
        self.parts.append(f'<path d="{way}" stroke="{colour}" fill="none" stroke-width="1.5" marker-end="url(#tip)"/>')

    def finish(self):
        return "\n".join([*self.parts, "</svg>", ""])
