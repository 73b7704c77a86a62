// SPDX-License-Identifier: Apache-2.0
// Whether a program keeps to the level of threads that it was granted (LISLE_CHECK): calls by other threads
// than the main one under MPI_THREAD_FUNNELED, and by two at once under MPI_THREAD_SERIALIZED, are named on
// standard error. Only calls in which ranks may hear from each other are looked at, and at level 1 not those
// that take the shortest ways.
#pragma once

namespace lisle {
class rank;
}

namespace lisle::abi {

/// The calling thread is the main one of a rank whose level is known. From now on its calls are looked at.
void watch_threads(rank &self);

} // namespace lisle::abi
