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
import ctypes
import os
from ctypes import byref, c_char_p, c_double, c_int, c_int64, c_void_p

import numpy

from lisle_couple_calls import (  # noqa: F401
    _ACCELERATION,
    _call,
    Error,
    _factors,
    _library,
    _made,
    _native,
    _number_of,
    _OVER_TIME,
    _Owned,
    _place,
    _rank_and_size,
    _Rule,
    _TYPES,
    world,
)
from lisle_couple_grids import Cells, Elements, Points, Weights  # noqa: F401


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

    def wants(self, name, data, points, source="", field="", how="latest", lag=0, every=0, weights=None, unit="",
              levels=1, columns=False, iterated=False):  # fmt: skip
        """A field that the component gets from another one (source, unless a configuration says whose it is), where it may
        have another name (field). iterated: both sides may do a step again until they agree.

        how: "latest", "linear", "mean", "sum", "minimum" or "maximum" over time. every: the coupling period, a multiple of
        the component's steps; 0: at each of its times. weights: where the grids differ."""
        if not data.flags.writeable:
            raise Error(f'couple: the array for "{name}" cannot be written to')
        handle = _made("wants", self._handle, name.encode(), points._handle, *self._keep(name, data, points, levels),
                       source.encode())  # fmt: skip
        self._describe(handle, unit, points, levels, columns)
        _call("field_over_time", handle, _number_of(how, _OVER_TIME))
        _call("field_lag", handle, lag)
        _call("field_every", handle, every)
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
