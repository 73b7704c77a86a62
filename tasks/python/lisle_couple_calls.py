# SPDX-License-Identifier: Apache-2.0
"""The calls of lisle/couple.h, for lisle_couple.py, and how they fail."""
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
_SURFACES = ("plane", "sphere")
_MASKED = ("lose_weight", "rescale")
_FORMATS = ("text", "scrip", "esmf")
_ACCELERATION = ("none", "constant", "aitken", "quasi_newton")


class _Rule(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ("relaxation", "relative", "absolute", "least_new")] + [
        (name, c_int) for name in ("how", "most", "reused_steps")
    ]


class _Located(ctypes.Structure):
    _fields_ = [("count", c_int64), ("numbers", POINTER(c_int64)), ("x", POINTER(c_double)), ("y", POINTER(c_double))]


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
    "weights_missed": (c_void_p, _numbers, _numbers),
    "weights_nearest": (c_void_p, POINTER(_Located), POINTER(_Located), c_int, c_double, c_int, c_double, _handle),
    "weights_bilinear": (c_void_p, c_void_p, POINTER(_Located), c_int, c_double, _handle),
    "weights_read": (c_void_p, c_char_p, c_void_p, c_int64, _handle),
    "weights_write": (c_void_p, c_char_p, c_void_p, c_void_p, c_int64, c_int),
    "weights_free": (_handle,),
    "elements_make": (_handle,),
    "elements_add": (c_void_p, c_int, _numbers, _factors, _factors, POINTER(c_ubyte)),
    "elements_free": (_handle,),
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
    "field_every": (c_void_p, c_int64),
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
