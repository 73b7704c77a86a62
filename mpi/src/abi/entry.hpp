// SPDX-License-Identifier: Apache-2.0
// What every generated entry point is made of: is the library in a state to be called, and what becomes
// of an error. The checks are a few inlined instructions; everything that fails is out of line and cold.
#pragma once

#include <atomic>
#include <exception>
#include <limits>

#include "base/error.hpp"
#include "communicator/errhandler.hpp"
#include "execution/rank.hpp"
#include "mpi.h"

namespace lisle {
class communicator;
class session;
namespace rma {
class window;
}
} // namespace lisle

namespace lisle::abi {

/// Throws: the calling rank has not called MPI_Init yet, or has called MPI_Finalize, and has no session.
[[noreturn, gnu::cold]] void fail_not_running(world_phase phase);

/// Most calls are allowed only between MPI_Init and MPI_Finalize or while a session is open.
/// [MPI-5.0 11.2, 11.3, 11.4]
inline void require_running() {
    const rank &self = this_rank();
    if (self.models_in_use.load(std::memory_order_relaxed) == 0) [[unlikely]] {
        fail_not_running(self.phase.load(std::memory_order_relaxed));
    }
}

/// From an exception to what the program is told, which is then told outside the catch block, by way of the
/// error handler of `comm` (null: the call is about no communicator). @param call name of the call, the
/// sentence's beginning. Passes on what no part of Lisle throws: exceptions of the user's callbacks. @pre in
/// a catch block
[[nodiscard, gnu::cold]] told_error hear(communicator *comm, const char *call, const std::exception &error);
/// The same for calls about a session.
[[nodiscard, gnu::cold]] told_error hear(session *about, const char *call, const std::exception &error);
/// The same for calls about a window.
[[nodiscard, gnu::cold]] told_error hear(rma::window *about, const char *call, const std::exception &error);
/// The same for calls that make an object which is to have this handler.
[[nodiscard, gnu::cold]] told_error hear(const errhandler *about, const char *call,
                                         const std::exception &error);

/// The code of an error that no handler hears of. @pre in a catch block
[[nodiscard, gnu::cold]] int code_of(const std::exception &error);

/// Throws: Lisle does not have this call yet (MPI_ERR_UNSUPPORTED_OPERATION).
[[noreturn, gnu::cold]] void fail_unsupported();
/// The same for calls about files. @param about the file's own communicator; null: the call is about no file,
/// or not about one yet, and the handler of MPI_FILE_NULL hears of it [MPI-5.0 14.7]
[[nodiscard, gnu::cold]] told_error hear_of_file(communicator *about, const char *call,
                                                 const std::exception &error);

/// What a result becomes that the small form of a call cannot express.
inline void store_or_undefined(MPI_Count value, int *into) noexcept {
    *into = value > std::numeric_limits<int>::max() ? MPI_UNDEFINED : static_cast<int>(value);
}
inline void store_or_undefined(MPI_Count value, MPI_Count *into) noexcept {
    *into = value;
}

[[noreturn, gnu::cold]] void fail_too_large(MPI_Count value, const char *argument);

/// The same where the standard names no such value: an error.
inline void store_or_fail(MPI_Count value, int *into, const char *argument) {
    if (value > std::numeric_limits<int>::max() || value < std::numeric_limits<int>::min()) [[unlikely]] {
        fail_too_large(value, argument);
    }
    *into = static_cast<int>(value);
}
inline void store_or_fail(MPI_Count value, MPI_Count *into, const char *) noexcept {
    *into = value;
}

} // namespace lisle::abi
