// SPDX-License-Identifier: Apache-2.0
#include "exploration/pairing.hpp"

#include <algorithm>

#include "mpi.h"

namespace lisle::exploration {

using protocol::envelope;

namespace {

/// What has been paired is out.
struct table {
    std::span<const envelope> posted, stored;
    std::vector<bool> posted_out = std::vector<bool>(posted.size());
    std::vector<bool> stored_out = std::vector<bool>(stored.size());

    [[nodiscard]] std::size_t first_receive_of(std::size_t message) const {
        std::size_t receive = 0;
        while (receive != posted.size() &&
               (posted_out[receive] || !posted[receive].accepts(stored[message]))) {
            ++receive;
        }
        return receive;
    }
    /// Of each source the first message that fits. Messages that belong to an earlier receive hide the later
    /// ones of their source.
    [[nodiscard]] std::vector<std::size_t> first_messages_of(const envelope &pattern) const {
        std::vector<std::size_t> found;
        for (std::size_t message = 0; message != stored.size(); ++message) {
            const bool known = std::ranges::any_of(
                found, [&](std::size_t other) { return stored[other].source == stored[message].source; });
            if (!known && !stored_out[message] && pattern.accepts(stored[message])) {
                found.push_back(message);
            }
        }
        return found;
    }
    [[nodiscard]] std::vector<std::size_t> messages_for(std::size_t receive) const {
        auto found = first_messages_of(posted[receive]);
        std::erase_if(found, [&](std::size_t message) { return first_receive_of(message) != receive; });
        return found;
    }
};

} // namespace

pairing pair_up(std::span<const envelope> posted, std::span<const envelope> stored) {
    table left{posted, stored};
    pairing found;
    for (bool any = true; any;) {
        any = false;
        for (std::size_t receive = 0; receive != posted.size(); ++receive) {
            if (left.posted_out[receive] || posted[receive].source == MPI_ANY_SOURCE) {
                continue;
            }
            if (const auto messages = left.messages_for(receive); !messages.empty()) {
                found.sure.push_back({receive, messages.front()});
                left.posted_out[receive] = left.stored_out[messages.front()] = true;
                any = true;
            }
        }
    }
    for (std::size_t receive = 0; receive != posted.size(); ++receive) {
        if (posted[receive].source == MPI_ANY_SOURCE) {
            found.left_open.push_back({receive, left.messages_for(receive)});
        }
    }
    return found;
}

std::vector<std::size_t> visible(const envelope &pattern, std::span<const envelope> posted,
                                 std::span<const envelope> stored) {
    const table left{posted, stored};
    auto found = left.first_messages_of(pattern);
    std::erase_if(found,
                  [&](std::size_t message) { return left.first_receive_of(message) != posted.size(); });
    return found;
}

} // namespace lisle::exploration
