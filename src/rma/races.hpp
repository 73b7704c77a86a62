// SPDX-License-Identifier: Apache-2.0
// What LISLE_CHECK=1 adds to epochs between fences: each rank keeps what it accesses, and at the fence that
// ends the epoch the ranks tell each other. Two accesses to the same bytes of one rank's part, of which one
// is a put, or one a get and one an accumulate, are in no order, also if one rank made both: the outcome is
// undefined [MPI-5.0 12.7]. Such pairs are named on standard error; the program goes on. What else orders
// accesses (messages, flushes, locks) has no part in such an epoch, so there is no false alarm. Accesses of
// many pieces and more than some thousands in one epoch are not kept: then a race may stay unnamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rma/target.hpp"

namespace lisle::rma {

class window;

enum class access_kind : std::uint8_t { put, get, update };

/// Where the program called.
struct access_site {
    std::string call; ///< "MPI_Put"
    std::string file; ///< empty: not known
    std::size_t offset = 0;
    friend bool operator==(const access_site &, const access_site &) = default;
};

/// Thread-safe, all of them. Nothing is done unless LISLE_CHECK is set.
class races {
  public:
    [[nodiscard]] static bool watched() noexcept;
    /// True in an epoch of fences: what the calling rank accesses is to be noted.
    [[nodiscard]] static bool keeps(const window &on);
    /// @param bytes of the target's data, from the first on
    static void note(const window &on, const target_data &target, MPI_Count bytes, access_kind what,
                     const access_site &site);
    /// The calling rank begins an epoch with this window: what it accesses from now on is kept if the epoch
    /// is one of fences.
    static void begin_epoch(const window &on, bool of_fences);
    /// Names the races of the epoch. Collective over the window's ranks.
    static void end_epoch_of_fences(window &on);
    /// The window is freed.
    static void forget(const window &on) noexcept;
};

} // namespace lisle::rma
