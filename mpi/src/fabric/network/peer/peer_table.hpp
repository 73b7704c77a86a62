// SPDX-License-Identifier: Apache-2.0
// The processes of the job, as one process reaches them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/network/peer/inboxes.hpp"
#include "fabric/network/peer/job_view.hpp"
#include "fabric/network/peer/peer_process.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held, but for known().
class peer_table {
  public:
    enum class reach : std::uint8_t { unknown, connected, failed };

    /// @param where address of a peer's endpoint @param job and all others outlive this
    peer_table(const job_view &job, address_lookup where, rail_set &rails, send_buffers &buffers,
               inboxes &boxes);

    [[nodiscard]] int size() const noexcept { return static_cast<int>(all_.size()); }
    [[nodiscard]] peer_process &operator[](int process) noexcept {
        return all_[static_cast<std::size_t>(process)];
    }

    /// What is known of a process without the lock: what a stale value lets through is looked at again under
    /// it.
    [[nodiscard]] reach known(int process) const noexcept {
        return reach_[static_cast<std::size_t>(process)].load(std::memory_order_relaxed);
    }
    /// The address of a rank's endpoint, if it is known yet. Without the lock: the launcher may have to be
    /// asked.
    [[nodiscard]] endpoint_address find(int rank) const { return where_(rank); }

    /// Joins the rails to a process, unless they are joined already or the address is empty.
    void connect(int process, std::span<const std::byte> address);
    /// The process neither sends nor receives any more: nothing of it is kept, and all ranks are told, unless
    /// it has left.
    void fail(int process);

  private:
    const job_view &job_;
    const address_lookup where_;
    rail_set &rails_;
    send_buffers &buffers_;
    inboxes &boxes_;
    std::vector<peer_process> all_;
    std::unique_ptr<std::atomic<reach>[]> reach_; ///< by process; relaxed, see known()
};

} // namespace lisle::fabric::network
