# SPDX-License-Identifier: Apache-2.0
"""Model coupling for Python: components of any number of ranks exchange NumPy arrays as time goes on.

    import numpy, lisle_couple as couple

    with couple.Job(["ocean"]) as job:
        ocean = job["ocean"]
        ocean.runs(period=4, end=200)
        mine = couple.Points.block(grid=(90, 180), begin=(first, 0), extents=water.shape)
        ocean.offers("temperature", water, mine, unit="K")
        ocean.wants("heat", flux, mine, source="atmosphere", how="mean")
        job.begin()
        while not ocean.is_at_end:
            ocean.put()
            ocean.get()
            ocean.advance()
            step(water, flux)  # to the new time

The calls are those of lisle/couple.h, which says more; what fails is a couple.Error. Points are counted from 0, and the
last index of an array is the dense one. Communicators are mpi4py's; without one it is MPI_COMM_WORLD, and then mpi4py is
not needed: MPI is initialized here unless it is, and finalized as the interpreter ends.
"""
import atexit
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_ubyte, c_void_p

import numpy

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "liblisle_couple.so"))
_mpi = ctypes.CDLL("libmpi_abi.so.1")  # which the library has loaded

# Constants of the standard's binary interface.
_WORLD = 0x101
_TYPES = {"float32": 0x210, "float64": 0x214, "int32": 0x250, "int64": 0x258}
_OVER_TIME = ("latest", "linear", "mean", "sum", "minimum", "maximum")
_NORMALISATION = ("whole_area", "covered_area")
_ACCELERATION = ("none", "constant", "aitken", "quasi_newton")


class _Rule(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ("relaxation", "relative", "absolute", "least_new")] + [
        (name, c_int) for name in ("how", "most", "reused_steps")
    ]


_numbers, _factors, _handle = POINTER(c_int64), POINTER(c_double), POINTER(c_void_p)
_CALLS = {
    "points_block": (c_int, _numbers, _numbers, _numbers, _handle),
    "points_list": (c_int64, c_int64, _numbers, _handle),
    "points_mask": (c_void_p, c_int64, POINTER(c_ubyte)),
    "points_free": (_handle,),
    "weights_make": (c_int64, _numbers, _numbers, _factors, _handle),
    "weights_overlap": (c_void_p, c_void_p, c_void_p, c_int, c_double, _handle),
    "weights_size": (c_void_p, _numbers, _numbers),
    "weights_entries": (c_void_p, _numbers, _numbers, _factors),
    "weights_covered": (c_void_p, _factors),
    "weights_free": (_handle,),
    "cells_make": (_handle,),
    "cells_add": (c_void_p, c_int64, c_int, _factors, _factors),
    "cells_add_spherical": (c_void_p, c_int64, c_double, c_double, c_double, c_double),
    "cells_free": (_handle,),
    "job_make": (c_void_p, c_int, POINTER(c_char_p), _handle),
    "job_component": (c_void_p, c_char_p, _handle),
    "job_begin": (c_void_p,),
    "job_configure": (c_void_p, c_char_p),
    "job_watch": (c_void_p,),
    "job_draw": (c_void_p, c_char_p),
    "job_save": (c_void_p, c_char_p),
    "job_load": (c_void_p, c_char_p),
    "job_end": (_handle,),
    "ranks": (c_void_p, _handle),
    "runs": (c_void_p, c_int64, c_int64, c_int64),
    "offers": (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, _handle),
    "wants": (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_char_p, _handle),
    "keeps": (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, _handle),
    "field_iterated": (c_void_p,),
    "field_levels": (c_void_p, c_int64, c_int64, c_int64),
    "field_unit": (c_void_p, c_char_p),
    "field_over_time": (c_void_p, c_int),
    "field_lag": (c_void_p, c_int64),
    "field_source": (c_void_p, c_char_p),
    "field_weights": (c_void_p, c_void_p),
    "put": (c_void_p, c_char_p),
    "get": (c_void_p, c_char_p),
    "settle": (c_void_p,),
    "repeat": (c_void_p,),
    "advance": (c_void_p,),
    "iteration_defaults": (POINTER(_Rule),),
    "fixed_point_make": (c_void_p, POINTER(_Rule), _handle),
    "fixed_point_begin": (c_void_p, c_int, POINTER(_factors), _numbers),
    "fixed_point_repeats": (c_void_p, c_int, POINTER(_factors), _numbers, POINTER(c_int)),
    "fixed_point_progress": (c_void_p, POINTER(c_int), POINTER(c_int)),
    "fixed_point_history": (c_void_p, _factors),
    "fixed_point_free": (_handle,),
}
for _name, _arguments in _CALLS.items():
    getattr(_library, "lisle_couple_" + _name).argtypes = _arguments
_library.lisle_couple_message.restype = c_char_p
_library.lisle_couple_time.argtypes = (c_void_p,)
_library.lisle_couple_time.restype = c_int64
_library.lisle_couple_is_at_end.argtypes = (c_void_p,)


class Error(RuntimeError):
    """A call that failed, with its sentence."""


def _call(name, *arguments):
    if getattr(_library, "lisle_couple_" + name)(*arguments) != 0:
        raise Error(_library.lisle_couple_message().decode())


def _made(name, *arguments):
    """The handle that a call makes."""
    handle = c_void_p()
    _call(name, *arguments, byref(handle))
    return handle


def _place(array, kind):
    return array.ctypes.data_as(POINTER(kind))


def _array(values, kind):
    """A dense copy of one dimension, or the array itself if it is one."""
    return numpy.ascontiguousarray(values, dtype=kind).reshape(-1)


def _number_of(word, words):
    if word not in words:
        raise Error(f"couple: '{word}' is none of {', '.join(words)}")
    return words.index(word)


def _begin_mpi():
    flag = c_int()
    _mpi.MPI_Initialized(byref(flag))
    if not flag.value:
        _mpi.MPI_Init(None, None)
        atexit.register(_end_mpi)


def _end_mpi():
    # Where an exception ends the program, MPI_Finalize would wait for ranks that wait for this one.
    if hasattr(sys, "last_type"):
        _mpi.MPI_Abort(c_void_p(_WORLD), 1)
    _mpi.MPI_Finalize()


def _native(communicator):
    """The handle of one of mpi4py's communicators, or of MPI_COMM_WORLD."""
    _begin_mpi()
    if communicator is None:
        return c_void_p(_WORLD)
    from mpi4py import MPI  # pylint: disable=import-outside-toplevel

    return c_void_p.from_address(MPI._addressof(communicator))


def _rank_and_size(native):
    rank, size = c_int(), c_int()
    _mpi.MPI_Comm_rank(native, byref(rank))
    _mpi.MPI_Comm_size(native, byref(size))
    return rank.value, size.value


def world():
    """The caller's rank in MPI_COMM_WORLD, and how many ranks that has, for programs without mpi4py."""
    return _rank_and_size(_native(None))


class _Owned:
    """Something with a handle that is freed with it."""

    _free = ""

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None):
            getattr(_library, "lisle_couple_" + self._free)(byref(self._handle))


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
        made = cls.__new__(cls)
        _Owned.__init__(
            made,
            _made("weights_overlap", _native(communicator), sender._handle, receiver._handle,
                  _number_of(normalisation, _NORMALISATION), period),
        )  # fmt: skip
        return made

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


class Component:
    """One component, as one of its ranks sees it."""

    def __init__(self, job, name):
        self._job = job  # which owns the handle
        self._handle = _made("job_component", job._handle, name.encode())
        self._memory = []  # of the fields, which stay until the job ends
        self.name = name

    # ---- before the job begins; all ranks of the component alike ----

    def runs(self, end, period=1, offset=0):
        _call("runs", self._handle, period, offset, end)

    def offers(self, name, data, points, unit="", levels=1, columns=False):
        """A field that the component has.

        data: a dense array with an element for each place of the points: float64, float32, int64 or int32; of several
        levels one level after the other, or with `columns` the levels of a point side by side."""
        field = _made("offers", self._handle, name.encode(), points._handle, *self._keep(name, data, points, levels))
        self._describe(field, unit, points, levels, columns)

    def keeps(self, name, data, points, unit="", levels=1, columns=False):
        """What else belongs to the component's state, for restart files."""
        field = _made("keeps", self._handle, name.encode(), points._handle, *self._keep(name, data, points, levels))
        self._describe(field, unit, points, levels, columns)

    def wants(self, name, data, points, source="", field="", how="latest", lag=0, weights=None, unit="", levels=1,
              columns=False, iterated=False):  # fmt: skip
        """A field that the component gets from another one (source, unless a configuration says whose it is), where it may
        have another name (field). iterated: both sides may do a step again until they agree.

        how: "latest", "linear", "mean", "sum", "minimum" or "maximum" over time. weights: where the grids differ."""
        if not data.flags.writeable:
            raise Error(f'couple: the array for "{name}" cannot be written to')
        handle = _made("wants", self._handle, name.encode(), points._handle, *self._keep(name, data, points, levels),
                       source.encode())  # fmt: skip
        self._describe(handle, unit, points, levels, columns)
        _call("field_over_time", handle, _number_of(how, _OVER_TIME))
        _call("field_lag", handle, lag)
        if field:
            _call("field_source", handle, field.encode())
        if weights is not None:
            _call("field_weights", handle, weights._handle)
        if iterated:
            _call("field_iterated", handle)

    def _keep(self, name, data, points, levels):
        """The address and the type of an array's elements."""
        if data.dtype.name not in _TYPES or not data.dtype.isnative:
            raise Error(f'couple: the array for "{name}" has elements of {data.dtype}, not {", ".join(_TYPES)}')
        if not data.flags.c_contiguous:
            raise Error(f'couple: the array for "{name}" is not dense')
        if data.size != points.places * levels:
            raise Error(f'couple: the array for "{name}" has {data.size} elements for {points.places} places of {levels} levels')
        self._memory.append(data)
        return c_void_p(data.ctypes.data), c_void_p(_TYPES[data.dtype.name])

    @staticmethod
    def _describe(field, unit, points, levels, columns):
        strides = (levels, 1) if columns else (1, points.places)
        _call("field_levels", field, levels, *strides)
        _call("field_unit", field, unit.encode())

    # ---- the component's ranks ----

    @property
    def ranks(self):
        """They as a communicator of mpi4py, which is freed with the job."""
        from mpi4py import MPI  # pylint: disable=import-outside-toplevel

        made = MPI.Intracomm()
        c_void_p.from_address(MPI._addressof(made)).value = _made("ranks", self._handle).value
        return made

    @property
    def rank(self):
        """The caller's number among them."""
        return _rank_and_size(_made("ranks", self._handle))[0]

    @property
    def size(self):
        return _rank_and_size(_made("ranks", self._handle))[1]

    # ---- at each of its times ----

    @property
    def time(self):
        return _library.lisle_couple_time(self._handle)

    @property
    def is_at_end(self):
        return _library.lisle_couple_is_at_end(self._handle) != 0

    def put(self, field=None):
        """Gives away a field as it is now, or all that have not been put."""
        _call("put", self._handle, None if field is None else field.encode())

    def get(self, field=None):
        """Waits for a field's values, or for all that have not been got."""
        _call("get", self._handle, None if field is None else field.encode())

    def settle(self):
        """Waits until what was put has been taken, so that its memory may change."""
        _call("settle", self._handle)

    def repeat(self):
        """This time once more, for what is iterated: at both sides, equally often."""
        _call("repeat", self._handle)

    def advance(self):
        """To the next time."""
        _call("advance", self._handle)


class Job:
    """All ranks of all components make one, each with the names of those that it is a rank of."""

    def __init__(self, own, communicator=None):
        names = (c_char_p * len(own))(*(name.encode() for name in own))
        self._handle = _made("job_make", _native(communicator), len(own), names)
        self._components = {}

    def __getitem__(self, name):
        if name not in self._components:
            self._components[name] = Component(self, name)
        return self._components[name]

    def configure(self, path):
        """All ranks, when all is declared: a file says whose fields wants are, in place of what the program says."""
        _call("job_configure", self._handle, os.fsencode(path))

    def watch(self):
        """All ranks, before begin(): how long each component waits is measured, for draw()."""
        _call("job_watch", self._handle)

    def draw(self, path):
        """All ranks: a picture (SVG) of the components and of how long they have waited."""
        _call("job_draw", self._handle, os.fsencode(path))

    def save(self, path):
        """All ranks, when all have put at a time and none has gone on: a file for each component, PATH.NAME."""
        _call("job_save", self._handle, os.fsencode(path))

    def load(self, path):
        """All ranks, once, after begin() and before anything is put: all stand where they stood."""
        _call("job_load", self._handle, os.fsencode(path))

    def begin(self):
        """All ranks: compares what has been declared."""
        _call("job_begin", self._handle)

    def end(self):
        """Waits until what was put has left. What belonged to the job is not used after that."""
        _call("job_end", byref(self._handle))
        self._components.clear()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.end()


class FixedPoint(_Owned):
    """Values for which components repeat a step, dealt out among all ranks, until they no longer change.

    how: "none", "constant", "aitken" or "quasi_newton"; further rules are those of iteration_rule in
    lisle/couple/fixed_point.hpp: relaxation, relative, absolute, least_new, most, reused_steps."""

    _free = "fixed_point_free"

    def __init__(self, how="quasi_newton", communicator=None, **rules):
        rule = _Rule()
        _call("iteration_defaults", byref(rule))
        rule.how = _number_of(how, _ACCELERATION)
        for name, value in rules.items():
            _number_of(name, tuple(field for field, _ in _Rule._fields_))
            setattr(rule, name, value)
        super().__init__(_made("fixed_point_make", _native(communicator), byref(rule)))

    @staticmethod
    def _parts(fields):
        for each in fields:
            if each.dtype != numpy.float64 or not each.flags.c_contiguous or not each.flags.writeable:
                raise Error("couple: the fields of a fixed point are dense arrays of float64 that can be written to")
        parts = (_factors * len(fields))(*(_place(each, c_double) for each in fields))
        return len(fields), parts, (c_int64 * len(fields))(*(each.size for each in fields))

    def begin(self, *guess):
        """All ranks: a new step, with the caller's parts of the fields."""
        _call("fixed_point_begin", self._handle, *self._parts(guess))

    def repeats(self, *came_out):
        """All ranks: whether the step is to be repeated. Then the arrays have the next values."""
        again = c_int()
        _call("fixed_point_repeats", self._handle, *self._parts(came_out), byref(again))
        return again.value != 0

    def _progress(self):
        has_converged, iterations = c_int(), c_int()
        _call("fixed_point_progress", self._handle, byref(has_converged), byref(iterations))
        return has_converged.value != 0, iterations.value

    @property
    def has_converged(self):
        return self._progress()[0]

    @property
    def iterations(self):
        return self._progress()[1]

    @property
    def history(self):
        """By iteration of the present step the largest of the fields' relative differences."""
        differences = numpy.empty(self.iterations)
        _call("fixed_point_history", self._handle, _place(differences, c_double))
        return differences
