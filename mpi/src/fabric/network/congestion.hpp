// SPDX-License-Identifier: Apache-2.0
// Which ranks take no data that they have not asked for: those of peers, as they have said, and those of this
// process, of which peers are told.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "fabric/network/frame_sender.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held, but for is_known_of().
class congestion {
  public:
    /// All outlive this.
    congestion(const job_view &job, peer_table &peers, frame_sender &sender);

    /// What a rank of a peer has said. Without the lock: a sender that is late sends one more packet.
    [[nodiscard]] bool is_known_of(int rank) const noexcept {
        return of_peers_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
    }
    void hear(int rank, bool congested) noexcept {
        of_peers_[static_cast<std::size_t>(rank)].store(congested, std::memory_order_relaxed);
    }

    /// An own rank takes no unasked data, or does again.
    void set(int self, bool congested) noexcept;
    /// A process is heard for the first time, so it has not been told yet.
    void tell_soon() noexcept { changed_ = true; }
    [[nodiscard]] bool has_to_tell() const noexcept { return changed_; }
    void tell() noexcept;

  private:
    struct own_rank {
        bool congested = false;
        std::vector<bool> told; ///< by process: what it has been told of that
    };

    const job_view &job_;
    peer_table &peers_;
    frame_sender &sender_;
    std::vector<own_rank> own_;
    /// By rank of the job. Relaxed: the flags order nothing.
    std::unique_ptr<std::atomic<bool>[]> of_peers_;
    bool changed_ = false;
};

} // namespace lisle::fabric::network
