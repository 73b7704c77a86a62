# SPDX-License-Identifier: Apache-2.0
"""Points, cells, elements and weights, of lisle_couple.py."""
from ctypes import byref, c_double, c_int64, c_ubyte

import numpy

from lisle_couple_calls import (
    _array,
    _call,
    Error,
    _FORMATS,
    _Located,
    _made,
    _MASKED,
    _native,
    _NORMALISATION,
    _number_of,
    _Owned,
    _place,
    _SURFACES,
)


class Points(_Owned):
    """Which points of a grid the caller has, in the order of its memory."""

    _free = "points_free"

    def __init__(self, handle, places):
        super().__init__(handle)
        self.places = places

    @classmethod
    def block(cls, grid, begin, extents):
        """A part of a grid of one to three dimensions."""
        if not len(grid) == len(begin) == len(extents):
            raise Error(f"couple: a block of {len(extents)} extents from {len(begin)} indices in a grid of {len(grid)}")
        words = [_array(each, numpy.int64) for each in (grid, begin, extents)]
        handle = _made("points_block", len(grid), *(_place(each, c_int64) for each in words))
        return cls(handle, int(numpy.prod(words[2])))

    @classmethod
    def list(cls, grid_points, numbers):
        """Points by their numbers; none: a rank that has nothing of the grid."""
        numbers = _array(numbers, numpy.int64)
        return cls(_made("points_list", grid_points, numbers.size, _place(numbers, c_int64)), numbers.size)

    def masked(self, left_out):
        """Leaves out the points whose entry is true, but not their places in memory. Returns the same object."""
        flags = _array(numpy.asarray(left_out) != 0, numpy.uint8)
        _call("points_mask", self._handle, flags.size, _place(flags, c_ubyte))
        return self


def _located(points):
    numbers, x, y = _array(points[0], numpy.int64), _array(points[1], numpy.float64), _array(points[2], numpy.float64)
    if not numbers.size == x.size == y.size:
        raise Error(f"couple: {numbers.size} points with {x.size} places in x and {y.size} in y")
    made = _Located(numbers.size, _place(numbers, c_int64), _place(x, c_double), _place(y, c_double))
    made.memory = numbers, x, y
    return made


class Weights(_Owned):
    """The caller's rows of a sparse matrix: places of its own, points of the sender, factors."""

    _free = "weights_free"

    def __init__(self, places, sources, factors):
        places, sources, factors = _array(places, numpy.int64), _array(sources, numpy.int64), _array(factors, numpy.float64)
        if not places.size == sources.size == factors.size:
            raise Error(f"couple: {places.size} places, {sources.size} sources and {factors.size} factors of weights")
        super().__init__(
            _made("weights_make", places.size, _place(places, c_int64), _place(sources, c_int64), _place(factors, c_double))
        )

    @classmethod
    def overlap(cls, sender, receiver, normalisation, period=0.0, communicator=None):
        """First-order conservative weights, made by all ranks of both grids.

        normalisation: "whole_area", which keeps integrals, or "covered_area", which keeps constants."""
        return cls._of("weights_overlap", _native(communicator), sender._handle, receiver._handle,
                       _number_of(normalisation, _NORMALISATION), period)  # fmt: skip

    @classmethod
    def _of(cls, name, *arguments):
        made = cls.__new__(cls)
        _Owned.__init__(made, _made(name, *arguments))
        return made

    @classmethod
    def nearest(cls, sender, receiver, surface="sphere", period=0.0, neighbours=1, power=1.0, communicator=None):
        """Of the nearest points, made by all ranks of both grids.

        sender, receiver: numbers (of the receiver its places), x and y. surface: "sphere", with longitudes and latitudes in
        radians, or "plane". A neighbour's weight falls with its distance to this power."""
        return cls._of("weights_nearest", _native(communicator), byref(_located(sender)), byref(_located(receiver)),
                       _number_of(surface, _SURFACES), period, neighbours, power)  # fmt: skip

    @classmethod
    def bilinear(cls, elements, receiver, masked="rescale", period=0.0, communicator=None):
        """From the elements of the sender's mesh, made by all ranks of both grids. masked: "rescale" or "lose_weight"."""
        return cls._of("weights_bilinear", _native(communicator), elements._handle, byref(_located(receiver)),
                       _number_of(masked, _MASKED), period)  # fmt: skip

    @classmethod
    def read(cls, path, wanted, sender_points, communicator=None):
        """From a file of text or netCDF, read by all ranks: those of the points that the caller wants."""
        return cls._of("weights_read", _native(communicator), str(path).encode(), wanted._handle, sender_points)

    def write(self, path, wanted, sender_points, form="text", communicator=None):
        """Written by all ranks. form: "text", "scrip" or "esmf"."""
        _call("weights_write", _native(communicator), str(path).encode(), self._handle, wanted._handle, sender_points,
              _number_of(form, _FORMATS))  # fmt: skip

    @property
    def missed(self):
        """The caller's places that get nothing, of nearest and bilinear weights."""
        count = c_int64()
        _call("weights_missed", self._handle, byref(count), None)
        places = numpy.empty(count.value, numpy.int64)
        _call("weights_missed", self._handle, byref(count), _place(places, c_int64))
        return places

    def _size(self):
        entries, cells = c_int64(), c_int64()
        _call("weights_size", self._handle, byref(entries), byref(cells))
        return entries.value, cells.value

    @property
    def entries(self):
        """Places, sources and factors."""
        size = self._size()[0]
        places, sources = numpy.empty(size, numpy.int64), numpy.empty(size, numpy.int64)
        factors = numpy.empty(size)
        _call("weights_entries", self._handle, _place(places, c_int64), _place(sources, c_int64), _place(factors, c_double))
        return places, sources, factors

    @property
    def covered(self):
        """Which part of each of the caller's cells is covered by the sender's."""
        parts = numpy.empty(self._size()[1])
        _call("weights_covered", self._handle, _place(parts, c_double))
        return parts


class Cells(_Owned):
    """Convex polygons that the caller has: with their numbers in the sender's grid, or its own places."""

    _free = "cells_free"

    def __init__(self):
        super().__init__(_made("cells_make"))

    def add(self, number, x, y):
        x, y = _array(x, numpy.float64), _array(y, numpy.float64)
        if x.size != y.size:
            raise Error(f"couple: a cell with {x.size} corners in x and {y.size} in y")
        _call("cells_add", self._handle, number, x.size, _place(x, c_double), _place(y, c_double))

    def add_spherical(self, number, west, east, south, north):
        """Between two longitudes and two latitudes, in radians."""
        _call("cells_add_spherical", self._handle, number, west, east, south, north)


class Elements(_Owned):
    """Triangles and convex quadrilaterals of the sender's mesh that the caller has: its points are their corners."""

    _free = "elements_free"

    def __init__(self):
        super().__init__(_made("elements_make"))

    def add(self, points, x, y, masked=None):
        """masked: which corners have no value."""
        points, x, y = _array(points, numpy.int64), _array(x, numpy.float64), _array(y, numpy.float64)
        flags = _array(numpy.zeros(points.size) if masked is None else numpy.asarray(masked) != 0, numpy.uint8)
        if not points.size == x.size == y.size == flags.size:
            raise Error(f"couple: an element of {points.size} points with {x.size} corners in x and {y.size} in y")
        _call("elements_add", self._handle, points.size, _place(points, c_int64), _place(x, c_double), _place(y, c_double),
              _place(flags, c_ubyte))  # fmt: skip
