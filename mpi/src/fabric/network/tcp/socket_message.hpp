// SPDX-License-Identifier: Apache-2.0
// What travels over the connections of our own device over TCP behind the greetings (tcp/greeting.hpp):
// messages, each of them a header and as many bytes as it says. Laid out as in memory; a change is another
// greeting::current_version.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/uio.h>

namespace lisle::fabric::network {

struct message_header {
    enum class kind : std::uint32_t {
        message = 1,  ///< `bytes` follow, for a receive
        read_request, ///< wants `bytes` from `address`
        read_data,    ///< the next `bytes` of what `request` wants follow
        write_data,   ///< `bytes` for `address` follow, and more of the same request after them
        write_last,   ///< the same, and no more after them
        write_done,   ///< all of `request` is in its place
        refused,      ///< `request` cannot be done
    };
    kind what;
    std::uint32_t bytes;
    std::uint64_t request; ///< as its starter calls it
    std::uint64_t address; ///< in the owner's terms
    std::uint64_t key;
};
static_assert(sizeof(message_header) == 32);

/// Runs of memory that one copy takes at most.
inline constexpr std::size_t most_runs = 8;

struct memory_runs {
    std::array<iovec, most_runs> all{};
    std::size_t count = 0;

    memory_runs() = default;
    /// @pre there are at most most_runs
    explicit memory_runs(std::span<const iovec> runs) noexcept {
        for (const iovec &each : runs) {
            all[count++] = each;
        }
    }
    memory_runs(void *begin, std::size_t bytes) noexcept : count{1} { all[0] = {begin, bytes}; }

    /// A part of them, as long as they reach.
    [[nodiscard]] memory_runs part(std::size_t offset, std::size_t bytes) const noexcept {
        memory_runs found;
        for (std::size_t at = 0; at != count && bytes != 0; ++at) {
            const iovec &run = all[at];
            if (offset >= run.iov_len) {
                offset -= run.iov_len;
                continue;
            }
            const std::size_t here = std::min(bytes, run.iov_len - offset);
            found.all[found.count++] = {static_cast<std::byte *>(run.iov_base) + offset, here};
            offset = 0;
            bytes -= here;
        }
        return found;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (std::size_t at = 0; at != count; ++at) {
            sum += all[at].iov_len;
        }
        return sum;
    }
};

} // namespace lisle::fabric::network
