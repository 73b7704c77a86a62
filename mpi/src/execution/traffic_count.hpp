// SPDX-License-Identifier: Apache-2.0
// How much a process has sent over its network and taken from it, in memory that the node's processes share.
// In a job on one node: how much of that has gone to ranks of other jobs and come from them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lisle {

/// Grows from the beginning of the job. Packets count as sent where they leave their rank and as received
/// where the other rank takes them; copies between memories do both in the process that begins them. So if
/// the sums over all processes of a job are equal at one moment, nothing is under way between them. One
/// thread of the process writes at a time. Relaxed: a reader has seen before that the ranks sleep, which
/// orders their earlier stores (execution/wait_table.hpp).
struct traffic_count {
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};

    /// Not 0: the process has a way to ranks of other jobs by which packets are not counted.
    std::atomic<std::uint32_t> not_counted{0};

    void add_sent() noexcept { add(sent, 1); }
    void add_received(std::size_t count) noexcept { add(received, count); }

    /// The same where several threads may write: those of a process that send to other jobs.
    void add_sent_by_any() noexcept { sent.fetch_add(1, std::memory_order_relaxed); }
    void add_received_by_any() noexcept { received.fetch_add(1, std::memory_order_relaxed); }

  private:
    // No read-modify-write instruction: nobody else writes.
    static void add(std::atomic<std::uint64_t> &to, std::uint64_t count) noexcept {
        to.store(to.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
};

} // namespace lisle
