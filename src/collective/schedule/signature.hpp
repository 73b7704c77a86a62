// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mpi.h"

namespace lisle::collective {

/// What ranks must agree on in a collective call, as far as each of them says it. Plain bytes: ranks of
/// other processes read it.
struct call_signature {
    static constexpr std::int64_t unsaid = -1;

    char call[24] = "a collective"; ///< the function's name without MPI_
    std::uint8_t elements = 0;   ///< basic_type of all that the rank gives or takes; 0: of several, or none
    char operation[40] = "";     ///< the reduction's: its name, or what is known of a user's
    std::int64_t root = unsaid;  ///< unsaid also on inter-communicators
    std::int64_t bytes = unsaid; ///< of the vector or of a block

    std::int32_t node = 0;    ///< of the rank
    std::int64_t entered = 0; ///< when the rank called, in nanoseconds of its node's clock
};

} // namespace lisle::collective
