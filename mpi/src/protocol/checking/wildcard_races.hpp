// SPDX-License-Identifier: Apache-2.0
// Finds receives from any source that could have taken another message than they did (LISLE_CHECK=2), whether
// or not that message came in time. Each rank has a clock that ticks when such a receive takes a message;
// packets say how late it is at their sender's, and a rank that gets one puts its own clock forward to that.
// So what happens because of a receive has no earlier time than the receive. A message with an earlier time
// was sent whatever the receive took, and could have been it. [L. Lamport, Time, clocks and the ordering of
// events in a distributed system, 1978]
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "execution/rank_local.hpp"
#include "protocol/message/envelope.hpp"
#include "protocol/message/packet.hpp"

namespace lisle::protocol {

class receive_operation;
class matcher;

/// Of one rank. Thread-safe.
class wildcard_races {
  public:
    /// A receive from any source, the message that it has taken, and one that it could have taken.
    struct finding {
        std::uint32_t posting; ///< the receive's number, see receive_operation
        std::uint64_t context;
        envelope taken, other;
    };

    /// The clock. Relaxed: the packets that carry it order everything.
    [[nodiscard]] std::uint16_t timestamp() const noexcept { return clock_.load(std::memory_order_relaxed); }
    /// Something with this time has reached the rank.
    void note(std::uint16_t timestamp) noexcept;
    /// A message has arrived. @param taker number of the receive that takes it; 0: none yet
    void arrived(const envelope &message, std::uint16_t sent, std::uint32_t taker);
    /// A receive has taken a message; `stored` are those that have come and nobody has received.
    void taken(const receive_operation &receive, const envelope &message, const matcher &stored);
    /// What has been found, which is then forgotten.
    [[nodiscard]] std::vector<finding> take_findings();

  private:
    struct entry {
        envelope pattern{}, taken{};
        std::uint32_t posting = 0;
        std::uint16_t timestamp = 0;
    };
    static constexpr std::size_t most_entries = 64;
    static constexpr std::size_t most_findings = 64;
    void find_locked(const entry &receive, const envelope &other);

    std::mutex mutex_; ///< protects the others
    std::atomic<std::uint16_t> clock_{0};
    std::array<entry, most_entries> entries_; ///< the latest receives
    std::size_t next_ = 0;
    std::vector<finding> findings_;
};

inline const rank_local<wildcard_races> rank_wildcards;

} // namespace lisle::protocol
