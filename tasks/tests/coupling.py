# SPDX-License-Identifier: Apache-2.0
"""Coupling from Python: components in a ring, each of which gets from the next one: arrays of all types, in blocks and lists,
with masks and levels in either order, over time and regridded, iterated, configured and saved; what is refused, with its sentence.

Usage: coupling.py FOLDER, which has a file coupling.txt that says: sea.heat <- air.flux mean"""
import sys
from pathlib import Path

import numpy

import lisle_couple as couple

SIZE = 4  # rows and columns of a grid


def refused(call, sentence):
    try:
        call()
    except couple.Error as error:
        assert str(error) == "couple: " + sentence, error
        return
    raise AssertionError(f"nobody refused: {sentence}")


def check_refusals(size):
    job = couple.Job(["every"])
    every = job["every"]
    three, grid = numpy.zeros(3), couple.Points.list(4, [3, 0, 1])
    refused(lambda: job["none"], 'this rank is none of "none"')
    refused(lambda: couple.Points.list(4, [4]), "there is no point 4 in a grid of 4")
    refused(lambda: couple.Points.block((4,), (2,), (3,)), "a block of 3 points from 2 on does not lie in a grid of 4 (dimension 0)")
    refused(lambda: every.offers("x", numpy.zeros(2), grid), 'the array for "x" has 2 elements for 3 places of 1 levels')
    refused(lambda: every.offers("x", numpy.zeros(6)[::2], grid), 'the array for "x" is not dense')
    refused(lambda: every.offers("x", numpy.zeros(3, complex), grid),
            'the array for "x" has elements of complex128, not float32, float64, int32, int64')  # fmt: skip
    refused(lambda: every.wants("x", three, grid, source="every", how="least"),
            "'least' is none of latest, linear, mean, sum, minimum, maximum")  # fmt: skip
    refused(lambda: couple.Weights([0], [0, 1], [1.0]), "1 places, 2 sources and 1 factors of weights")
    refused(every.put, '"every" calls put before the job has begun')
    assert every.size == size and every.time == 0
    job.end()


def check_interpolated(rank, size, folder):
    """A square of the first rank for two points of each, of which one is outside; through a file and back."""
    square, corners = couple.Elements(), ([0, 1, 3, 2], [0, 1, 1, 0], [0, 0, 1, 1])
    if rank == 0:
        square.add(*corners)
    own = ([0, 1], [0.25, 3], [0.5, 0.1])
    made = couple.Weights.bilinear(square, own)
    wanted = couple.Points.list(2 * size, [2 * rank, 2 * rank + 1])
    made.write(folder / "weights.txt", wanted, 4)
    for each in (made, couple.Weights.read(folder / "weights.txt", wanted, 4)):
        places, sources, factors = each.entries
        assert list(places) == [0] * 4 and list(sources) == [0, 1, 2, 3], (places, sources)
        assert numpy.abs(factors - [0.375, 0.125, 0.375, 0.125]).max() < 1e-12, factors
    assert list(made.missed) == [1]
    nearest = couple.Weights.nearest(corners if rank == 0 else ([], [], []), own, surface="plane")
    assert [list(each) for each in nearest.entries] == [[0, 1], [0, 1], [1, 1]], nearest.entries
    refused(lambda: couple.Weights.nearest(corners, own, surface="disc"), "'disc' is none of plane, sphere")
    refused(lambda: square.add([1, 2, 3], [0, 1], [0, 1]), "an element of 3 points with 2 corners in x and 2 in y")


def check_conservative(rank, size):
    """Six cells of the first rank for two of the last one."""
    sender, receiver = couple.Cells(), couple.Cells()
    if rank == 0:
        for at in range(6):
            sender.add(at, [at, at + 1, at + 1, at], [0, 0, 1, 1])
    if rank == size - 1:
        receiver.add_spherical(0, 0, 3, 0, numpy.pi / 2)
        receiver.add_spherical(1, 3, 6, 0, numpy.pi / 2)
    made = couple.Weights.overlap(sender, receiver, "covered_area")
    places, sources, factors = made.entries
    if rank == size - 1:
        assert list(places) == [0, 0, 0, 1, 1, 1] and list(sources) == list(range(6))
        assert numpy.allclose(factors, 1 / 3) and numpy.allclose(made.covered, 1)
    else:
        assert places.size == 0 and made.covered.size == 0


def values(of, time):
    """Of all points of a component's grid; linear in time."""
    return 1000.0 * of + 10 * numpy.arange(SIZE * SIZE).reshape(SIZE, SIZE) + time / 2


def run_ring(rank, size, job):
    """Steps of one and of two quanta in turn; both have the time 20, at the end."""
    self, other = job[f"c{rank}"], (rank + 1) % size
    source = f"c{other}"
    period = 1 + rank % 2
    whole = couple.Points.block((SIZE, SIZE), (0, 0), (SIZE, SIZE))
    holes = numpy.eye(SIZE, dtype=bool)
    sea = couple.Points.block((SIZE, SIZE), (0, 0), (SIZE, SIZE)).masked(holes)
    backwards = couple.Points.list(SIZE * SIZE, range(SIZE * SIZE - 1, -1, -1))

    plane, deep, side = numpy.zeros((SIZE, SIZE)), numpy.zeros((2, SIZE, SIZE), "f4"), numpy.zeros((SIZE, SIZE, 2))
    count = numpy.zeros(SIZE * SIZE, numpy.int64)
    self.runs(end=21, period=period)
    self.offers("plane", plane, whole, unit="K")
    self.offers("deep", deep, whole, levels=2)
    self.offers("side", side, whole, levels=2, columns=True)
    self.offers("count", count, whole)

    got = {name: numpy.full((SIZE, SIZE), -1.0) for name in ("plane", "sea", "late", "seldom")}
    got_deep, got_side, got_count = numpy.zeros_like(deep), numpy.zeros_like(side), numpy.zeros_like(count)
    sums = numpy.zeros(SIZE)
    self.wants("plane", got["plane"], whole, source, how="linear", unit="K")
    self.wants("sea", got["sea"], sea, source, field="plane", how="linear")
    self.wants("late", got["late"], whole, source, field="plane", how="linear", lag=2)
    self.wants("seldom", got["seldom"], whole, source, field="plane", how="linear", every=4)
    self.wants("deep", got_deep, whole, source, levels=2, how="linear")
    self.wants("side", got_side, whole, source, levels=2, columns=True, how="linear")
    self.wants("count", got_count, backwards, source)
    rows = couple.Weights(numpy.repeat(numpy.arange(SIZE), SIZE), numpy.arange(SIZE * SIZE), numpy.ones(SIZE * SIZE))
    self.wants("sums", sums, couple.Points.list(SIZE, range(SIZE)), source, field="plane", how="linear", weights=rows)
    job.begin()
    while not self.is_at_end:
        now = self.time
        plane[:] = values(rank, now)
        deep[:] = plane, plane + 200
        side[:, :, 0], side[:, :, 1] = plane, plane + 200
        count[:] = numpy.arange(SIZE * SIZE) + 100 * now
        self.put("plane")
        self.put()
        self.get("late")
        self.get()
        right = values(other, now)
        assert numpy.allclose(got["plane"], right), now
        assert numpy.allclose(got["sea"], numpy.where(holes, -1, right)), now
        assert numpy.allclose(got["late"], values(other, max(now - 2, 0))), now
        assert numpy.allclose(got["seldom"], values(other, now - now % 4)), now
        assert numpy.allclose(got_deep, [right, right + 200]), now
        assert numpy.allclose(got_side[:, :, 1] - 200, got_side[:, :, 0]) and numpy.allclose(got_side[:, :, 0], right), now
        given = now // (1 + other % 2) * (1 + other % 2)
        assert list(got_count) == [at + 100 * given for at in range(SIZE * SIZE - 1, -1, -1)], now
        assert numpy.allclose(sums, right.sum(axis=1)), now
        self.advance()


def check_iteration(rank):
    """Two sides that share all ranks: x = cos y and y = x, of a point at the first rank."""
    size = 1 if rank == 0 else 0
    with couple.Job(["cosine", "same"]) as job:
        cosine, same = job["cosine"], job["same"]
        point = couple.Points.list(1, range(size))
        x, y, got_x, got_y = (numpy.ones(size) for _ in range(4))
        cosine.runs(end=1)
        same.runs(end=1)
        cosine.offers("x", x, point)
        same.wants("x", got_x, point, "cosine", iterated=True)
        same.offers("y", y, point)
        cosine.wants("y", got_y, point, "same", iterated=True)
        job.begin()
        refused(lambda: couple.FixedPoint(relatve=1),
                "'relatve' is none of relaxation, relative, absolute, least_new, how, most, reused_steps")  # fmt: skip
        agreement = couple.FixedPoint(how="quasi_newton", relative=1e-10)
        agreement.begin(x)
        again = True
        while again:
            cosine.put()
            same.get()
            y[:] = got_x
            same.put()
            cosine.get()
            cosine.settle()
            x[:] = numpy.cos(got_y)
            again = agreement.repeats(x)
            if again:
                cosine.repeat()
                same.repeat()
        assert agreement.has_converged and 2 < agreement.iterations < 12 and agreement.history[-1] <= 1e-10
        assert numpy.allclose(x, 0.7390851332, atol=1e-9)
        cosine.advance()
        same.advance()


def run_with_files(rank, folder, goes_on):
    """A job that a file puts together, saved at its third step or gone on from there."""
    with couple.Job(["air", "sea"]) as job:
        air, sea = job["air"], job["sea"]
        point = couple.Points.list(1, range(1 if rank == 0 else 0))
        flux, heat, clock = (numpy.zeros(point.places) for _ in range(3))
        air.runs(end=6)
        sea.runs(end=6)
        air.offers("flux", flux, point)
        air.keeps("clock", clock, point)
        sea.wants("heat", heat, point)
        job.configure(folder / "coupling.txt")
        job.watch()
        job.begin()
        if goes_on:
            job.load(folder / "saved")
            assert air.time == sea.time == 3 and numpy.all(clock == 7)
        while not air.is_at_end:
            now = air.time
            if not goes_on or now != 3:  # else it was put and got before
                flux[:] = 10 + now
                air.put()
                clock[:] = now + 4
                sea.get()
            if not goes_on and now == 3:
                job.save(folder / "saved")
            assert numpy.all(heat == 10 + max(now - 1, 0)), now
            air.advance()
            sea.advance()
        job.draw(folder / "run.svg")


def check_files(rank, folder):
    run_with_files(rank, folder, goes_on=False)
    run_with_files(rank, folder, goes_on=True)
    assert rank != 0 or (folder / "run.svg").read_text(encoding="utf-8").startswith("<svg")


def main():
    rank, size = couple.world()
    check_refusals(size)
    check_interpolated(rank, size, Path(sys.argv[1]))
    check_conservative(rank, size)
    check_iteration(rank)
    check_files(rank, Path(sys.argv[1]))
    with couple.Job([f"c{rank}"]) as job:
        run_ring(rank, size, job)


main()
