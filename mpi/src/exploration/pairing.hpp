// SPDX-License-Identifier: Apache-2.0
// Which posted receive may take which stored message, where all that have come so far are stored [MPI-5.0
// 3.5]: a message belongs to the first receive that it fits, and of one source a receive takes the first
// message that fits. A receive from one source then has one message at most; one from any source has as many
// as there are sources, and which it takes is open.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "protocol/message/envelope.hpp"

namespace lisle::exploration {

struct pairing {
    /// Places of a receive and of the only message that it can take, now and later.
    struct pair {
        std::size_t receive, message;
    };
    /// A receive from any source, and the first messages of those sources that it could take.
    struct open {
        std::size_t receive;
        std::vector<std::size_t> messages; ///< perhaps none
    };
    std::vector<pair> sure;
    std::vector<open> left_open; ///< those that are behind a receive of `sure` may have more next time
};

/// @param posted in the order of posting @param stored in the order of arrival
[[nodiscard]] pairing pair_up(std::span<const protocol::envelope> posted,
                              std::span<const protocol::envelope> stored);

/// The messages that a probe may find, the first of each source: those that no posted receive fits.
[[nodiscard]] std::vector<std::size_t> visible(const protocol::envelope &pattern,
                                               std::span<const protocol::envelope> posted,
                                               std::span<const protocol::envelope> stored);

} // namespace lisle::exploration
