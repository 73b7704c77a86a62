// SPDX-License-Identifier: Apache-2.0
// The names of the interface's classes, for headers that only mention them. Includes nothing, mpi.h neither.
#pragma once

#include "lisle/detail/version.hpp"

namespace lisle {

class cartesian;
class communicator;
class datatype;
class distributed_graph;
class environment;
class error;
class graph;
class grid_exchange;
class group;
class halo;
class info;
class intercommunicator;
class message;
class partitioned_receive;
class partitioned_send;
class persistent;
class point_to_point;
class port;
class request;
class session;
class status;
class timer_report;
class timers;
class topology;
struct buffer;

template <class T> class attribute;
template <class T> class borrowed;
template <class Piece> class checkpoint;
template <class T> class expected;
template <class T> class file;
template <class T> class future;
template <class T> class future_pool;
template <class T> class laid_out;
template <class View> class owned;
template <class Task, class Result> class pool;
template <bool Writable> class scattered;
template <class T> class task;
template <class T> class window;
template <class T> struct addressed;
template <class T> struct blocks;
template <class T> struct received;

} // namespace lisle
