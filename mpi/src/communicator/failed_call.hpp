// SPDX-License-Identifier: Apache-2.0
// Where the program made the call that has failed: read off the stack when an error is given to the program,
// and put into words when it asks for the text.
#pragma once

#include <string>

#include "base/call_chain.hpp"

namespace lisle {

/// Trivial, so that threads may end with one.
struct failed_call {
    const void *site = nullptr; ///< null: not known
    call_chain offsets{};
    const char *words = nullptr; ///< the place, if it is known so; of static duration

    /// The call that the thread is in. Both are defined by the composition root (library/describe_wait.cpp).
    [[nodiscard]] static failed_call find() noexcept;
    /// "ring.c:12"; empty: not known. Slow at first: opens the file's debug information.
    [[nodiscard]] std::string place() const;
};

/// The text of a code and, if the calling thread's last error had it, the sentence about that error with the
/// place: the standard has MPI_Error_string "provide as much information as possible" [MPI-5.0 9.4].
[[nodiscard]] std::string detailed_text_of_error(int code);

} // namespace lisle
