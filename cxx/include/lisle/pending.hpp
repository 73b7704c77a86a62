// SPDX-License-Identifier: Apache-2.0
// The operations that the program has begun and not waited for.
#pragma once

#include <string>
#include <vector>

#include "lisle/detail/attempt.hpp"
#include "lisle/request/status.hpp"

namespace lisle {

/// An operation under way.
struct pending_operation {
    std::string call;  ///< the MPI function that began it: "MPI_Irecv_c"
    int peer;          ///< a rank of MPI_COMM_WORLD, or MPI_ANY_SOURCE; no_rank: it is no message between two
    int tag;           ///< or MPI_ANY_TAG
    std::string place; ///< in the program: "ring.cpp:12"
};

/// The calling rank's operations whose futures have not been waited for (or tested to their end), the oldest
/// first. Known if the program runs with LISLE_CHECK=2, otherwise empty; and empty with another MPI.
///
///     for (const auto &[call, peer, tag, place] : lisle::pending())
///         std::cerr << call << " with rank " << peer << ", tag " << tag << ", at " << place << "\n";
template <class Operation = pending_operation> std::vector<Operation> pending() {
    std::vector<Operation> all;
#if LISLE_USE_EXTENSIONS
    detail::check(MPIX_Pending(
                      [](const char *call, int peer, int tag, const char *place, void *list) {
                          static_cast<std::vector<Operation> *>(list)->push_back({call, peer, tag, place});
                      },
                      &all),
                  "MPIX_Pending");
#endif
    return all;
}

} // namespace lisle
