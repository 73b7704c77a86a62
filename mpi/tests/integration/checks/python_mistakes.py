# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a Python program that calls MPI by ctypes. python_test.py finds the lines by the words behind them.

Usage: python_mistakes.py LIBRARY MISTAKE
"""
import ctypes
import sys
import threading
import time

WORLD, INT, DOUBLE = ctypes.c_void_p(0x101), ctypes.c_void_p(0x209), ctypes.c_void_p(0x214)
ERRORS_RETURN, FUNNELED = ctypes.c_void_p(0x143), 1

mpi = ctypes.CDLL(sys.argv[1])
numbers = (ctypes.c_int * 8)(*range(8))
request = ctypes.c_void_p()


def own_rank():
    rank = ctypes.c_int()
    mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
    return rank.value


def send_numbers(other):
    mpi.MPI_Send(numbers, 4, INT, other, 5, WORLD)


def receive_as_others(other):
    mpi.MPI_Recv(numbers, 4, DOUBLE, other, 5, WORLD, None)  # other_type


def begin_send(other):
    mpi.MPI_Isend(numbers, 4, INT, other, 5, WORLD, ctypes.byref(request))  # changed, begun


def begin_receive(other):
    mpi.MPI_Irecv(numbers, 4, INT, other, 6, WORLD, ctypes.byref(request))  # leaked


def other_type(rank):
    if rank == 0:
        send_numbers(1)
    else:
        receive_as_others(0)


def deadlock(rank):
    mpi.MPI_Recv(numbers, 4, INT, 1 - rank, 7, WORLD, None)  # deadlock


def deadlock_with_lock(rank):
    # PyDLL keeps the interpreter's lock during the call.
    ctypes.PyDLL(sys.argv[1]).MPI_Recv(numbers, 4, INT, 1 - rank, 7, WORLD, None)  # deadlock_with_lock


def deadlock_beside_lock(rank):
    def keep_lock():
        time.sleep(0.2)  # until the others wait, most often
        ctypes.PyDLL(None).sleep(3)

    threading.Thread(target=keep_lock, daemon=True).start()
    mpi.MPI_Recv(numbers, 4, INT, 1 - rank, 7, WORLD, None)  # deadlock_beside_lock


def begun(rank):
    begin_send(1 - rank)
    mpi.MPI_Recv(numbers, 4, INT, 1 - rank, 7, WORLD, None)


def leaked(rank):
    begin_receive(1 - rank)


def leaked_type(_):
    made = ctypes.c_void_p()
    mpi.MPI_Type_contiguous(3, INT, ctypes.byref(made))  # leaked_type


def changed(rank):
    """One stack of C functions, but two lines of Python."""
    if rank == 0:
        begin_send(1)
        numbers[1] = 17
        mpi.MPI_Wait(ctypes.byref(request), None)  # changed
    else:
        mpi.MPI_Recv(numbers, 4, INT, 0, 5, WORLD, None)


def code(_):
    mpi.MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN)
    for other in (7000, 8000):
        error = mpi.MPI_Send(numbers, 4, INT, other, 5, WORLD)  # code
        text, length = ctypes.create_string_buffer(512), ctypes.c_int()
        mpi.MPI_Error_string(error, text, ctypes.byref(length))
        print(text.value.decode())


mpi.MPI_Init_thread(None, None, FUNNELED, ctypes.byref(ctypes.c_int()))
globals()[sys.argv[2]](own_rank())
mpi.MPI_Finalize()
