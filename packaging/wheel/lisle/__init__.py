# SPDX-License-Identifier: Apache-2.0
"""Where pip has put Lisle, an MPI library whose ranks are processes, threads or fibers.

The commands (mpirun, mpicc, lislerun, lisle-info) are beside the interpreter of the environment, the library is
lib/libmpi_abi.so.1 there, and the headers are in include.
"""
import pathlib

__all__ = ["get_include", "library", "prefix"]


def prefix():
    """The folder that has bin, include and lib."""
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "lib/libmpi_abi.so.1").exists():
            return folder
    raise FileNotFoundError("lib/libmpi_abi.so.1 is in no folder above the package lisle: install the wheel again")


def path_of_library():
    """The library, for ctypes.CDLL and for MPI4PY_LIBMPI."""
    return prefix() / "lib/libmpi_abi.so.1"


def get_include():
    """The folder of mpi.h."""
    return prefix() / "include"
