// SPDX-License-Identifier: Apache-2.0
// Parcels to send, and actions, that a rank's tiles leave to its own thread, the only one that uses the
// transport.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "task/machine/lost_ranks.hpp"
#include "task/machine/termination.hpp"
#include "task/wire/parcel.hpp"
#include <lisle/task/transport.hpp>

namespace lisle::tasks {

class outbox {
  public:
    /// Made on the rank's own thread. @param end counts what is sent @param lost get nothing more
    outbox(transport &between, termination &end, const lost_ranks &lost) noexcept
        : transport_{between}, end_{end}, lost_{lost} {}

    /// Any thread; wakes the rank's own.
    void send(int to, const parcel &header, std::vector<std::byte> payload = {});
    void do_later(std::function<void()> action);
    /// Sequentially consistent: is_idle() looks at it among other things.
    [[nodiscard]] bool is_empty() const noexcept { return !has_entries_.load(std::memory_order_seq_cst); }
    [[nodiscard]] bool on_own_thread() const noexcept { return std::this_thread::get_id() == own_thread_; }

    /// Sends and does everything. The rank's own thread.
    void flush();
    [[nodiscard]] std::uint64_t parcels_sent() const noexcept { return parcels_sent_; }

  private:
    struct entry {
        int to;
        std::vector<std::byte> bytes;
        std::function<void()> action; ///< instead of a parcel
    };
    void add(entry fresh);

    transport &transport_;
    termination &end_;
    const lost_ranks &lost_;
    const std::thread::id own_thread_ = std::this_thread::get_id();
    std::uint64_t parcels_sent_ = 0;
    std::mutex mutex_; ///< for entries_; nothing is called under it
    std::vector<entry> entries_;
    std::atomic<bool> has_entries_{false};
};

/// False for parcels of the termination detection itself, which must not keep itself going, and what follows
/// it.
[[nodiscard]] inline bool is_counted(const parcel &header) noexcept {
    return header.type != parcel_type::finish ||
           header.control == static_cast<std::uint8_t>(parcel_finish::program);
}

} // namespace lisle::tasks
