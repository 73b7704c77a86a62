// SPDX-License-Identifier: Apache-2.0
// What an engine counts for tools (tool/performance.cpp): nothing that lies on the way of a short message
// that is expected, so counting costs nothing where it could be noticed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace lisle::protocol {

enum class counted : unsigned char {
    unexpected_messages, ///< came before a receive was posted for them, and were stored
    unexpected_bytes,
    announced_messages, ///< sent as an announcement first
    announced_bytes,
    copied_bytes,     ///< received by one copy from a sender of this process
    read_bytes,       ///< received by reading the sender's memory
    streamed_bytes,   ///< received as a stream of packets
    deferred_packets, ///< found no room in a mailbox at once
    sleeps,           ///< a thread that waited went to sleep
    count
};

/// Any thread may count and read. Relaxed throughout: the numbers order nothing.
class engine_counts {
  public:
    void add(counted what, std::uint64_t number = 1) noexcept {
        values_[static_cast<std::size_t>(what)].fetch_add(number, std::memory_order_relaxed);
    }
    /// The same for what the rank's own threads alone count: cheaper while these take turns.
    void add_own(counted what, std::uint64_t number = 1) noexcept {
        if (own_take_turns_) {
            std::atomic<std::uint64_t> &value = values_[static_cast<std::size_t>(what)];
            value.store(value.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
        } else {
            add(what, number);
        }
    }
    /// @pre no other thread of the rank counts meanwhile
    void expect_one_thread(bool one) noexcept { own_take_turns_ = one; }
    [[nodiscard]] std::uint64_t value(counted what) const noexcept {
        return values_[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
    }

  private:
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(counted::count)> values_{};
    bool own_take_turns_ = false;
};

} // namespace lisle::protocol
