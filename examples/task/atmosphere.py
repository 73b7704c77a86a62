# SPDX-License-Identifier: Apache-2.0
"""The atmosphere of ocean_atmosphere.cpp in Python, on any number of ranks. The ocean is another program, in Fortran:

    mpirun -n 2 ocean : -n 3 python3 atmosphere.py

What they print is what ocean_atmosphere prints, each rank its part of the sum. lisle_couple.py is in the folder lib/lisle/python of the installation, which
PYTHONPATH names.
"""
import numpy

import lisle_couple as couple

SIZE, WATER_SIZE, END, EXCHANGE = 64, 32, 200, 0.02


def one_to_four(first, rows):
    """Weights: one point of water is four of air."""
    y, x = numpy.mgrid[first : first + rows, 0:SIZE]
    sources = y // 2 * WATER_SIZE + x // 2
    return couple.Weights(numpy.arange(sources.size), sources, numpy.ones(sources.size))


def step(air, surface, wind):
    """The wind blows to the right, stronger in the middle; the surface gives heat. Edges are joined."""
    air += EXCHANGE * (surface - air) - wind * (air - numpy.roll(air, 1, axis=1))


def main():
    with couple.Job(["atmosphere"]) as job:
        self = job["atmosphere"]
        first = SIZE * self.rank // self.size
        rows = SIZE * (self.rank + 1) // self.size - first
        air, surface = numpy.full((rows, SIZE), 10.0), numpy.empty((rows, SIZE))
        wind = 0.2 + 0.5 * numpy.sin(3.14159265358979 * numpy.arange(first, first + rows) / SIZE)[:, None]
        mine = couple.Points.block(grid=(SIZE, SIZE), begin=(first, 0), extents=air.shape)
        self.runs(end=END)
        self.offers("temperature", air, mine, unit="C")
        self.wants("surface", surface, mine, source="ocean", field="temperature", how="linear", unit="C",
                   weights=one_to_four(first, rows))  # fmt: skip
        job.begin()
        while not self.is_at_end:
            self.put()
            self.get()
            self.advance()
            step(air, surface, wind)
        part = "" if self.size == 1 else f", part {self.rank + 1} of {self.size},"
        print(f"heat of the atmosphere{part} {air.sum() / SIZE**2:.9f}")


main()
