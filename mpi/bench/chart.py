# SPDX-License-Identifier: Apache-2.0
"""Small SVG charts, so that the benchmarks need no plotting library: lines over logarithmic axes, and bars."""
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import svg  # noqa: E402
from svg import TEXT  # noqa: E402

COLOURS = ["#0b5fa5", "#d1495b", "#8a8f98", "#c98a00", "#3b7d4f", "#7a4fa3"]
WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 78, 24, 56, 62


class Chart(svg.Canvas):
    """With a title, and names of what the colours mean."""

    def __init__(self, title):
        super().__init__(WIDTH, HEIGHT)
        self.text(LEFT, 26, title, size=16, weight="bold")

    def legend(self, names):
        x = LEFT
        for index, name in enumerate(names):
            self.box(x, 37, 12, 12, COLOURS[index])
            self.text(x + 17, 48, name)
            x += 30 + 7.6 * len(name)


def nice_number(value):
    """1e-06 as 1 µs is the caller's business; this only shortens."""
    return f"{value:g}"


def lines(title, x_label, y_label, series, x_name=nice_number, y_name=nice_number, ticks=None):
    """series: {name: [(x, y), ...]}, all positive; both axes logarithmic. With ticks the y axis is linear, from the first
    of them to the last."""
    canvas = Chart(title)
    xs = sorted({x for points in series.values() for x, _ in points})
    ys = [y for points in series.values() for _, y in points]
    scale = math.log10 if ticks is None else float
    ticks = ticks or [10.0 ** power for power in range(math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))) + 1)]
    low, high = scale(ticks[0]), scale(ticks[-1])
    left, right = math.log2(xs[0]), math.log2(xs[-1])

    def place(x, y):
        return (LEFT + (math.log2(x) - left) / ((right - left) or 1) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - (scale(y) - low) / ((high - low) or 1) * (HEIGHT - TOP - BOTTOM))

    for tick in ticks:
        _, y = place(xs[0], tick)
        canvas.line(LEFT, y, WIDTH - RIGHT, y)
        canvas.text(LEFT - 8, y + 4, y_name(tick), "end")
    for x in xs[::1 + len(xs) // 16]:
        at, _ = place(x, ticks[0])
        canvas.line(at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 5, TEXT)
        canvas.text(at, HEIGHT - BOTTOM + 20, x_name(x), "middle")
    canvas.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, TEXT)
    canvas.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label, "middle")
    canvas.text(20, (TOP + HEIGHT - BOTTOM) / 2, y_label, "middle", turn=-90)
    for index, points in enumerate(series.values()):
        canvas.points([place(x, y) for x, y in points], COLOURS[index])
    canvas.legend(series)
    return canvas.finish()


def bars(title, y_label, groups, y_name=nice_number):
    """groups: {group: {name: value}} from zero up, the same names in each group."""
    canvas = Chart(title)
    names = list(next(iter(groups.values())))
    most = max(value for group in groups.values() for value in group.values())
    step = 10.0 ** math.floor(math.log10(most))
    step = step if most / step > 4 else step / 2 if most / step > 2 else step / 5
    top = math.ceil(most * 1.08 / step) * step  # room for the tallest bar's number
    height = HEIGHT - TOP - BOTTOM

    for index in range(round(top / step) + 1):
        y = HEIGHT - BOTTOM - index * step / top * height
        canvas.line(LEFT, y, WIDTH - RIGHT, y)
        canvas.text(LEFT - 8, y + 4, y_name(index * step), "end")
    room = (WIDTH - LEFT - RIGHT) / len(groups)
    bar = min(64.0, room * 0.8 / len(names))
    for number, (group, values) in enumerate(groups.items()):
        centre = LEFT + room * (number + 0.5)
        canvas.text(centre, HEIGHT - BOTTOM + 20, group, "middle")
        for index, name in enumerate(names):
            if name not in values:
                continue
            tall = values[name] / top * height
            x = centre + (index - len(names) / 2) * bar
            canvas.box(x + 2, HEIGHT - BOTTOM - tall, bar - 4, tall, COLOURS[index])
            canvas.text(x + bar / 2, HEIGHT - BOTTOM - tall - 5, y_name(values[name]), "middle", size=11)
    canvas.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, TEXT)
    canvas.text(20, (TOP + HEIGHT - BOTTOM) / 2, y_label, "middle", turn=-90)
    canvas.legend(names)
    return canvas.finish()
