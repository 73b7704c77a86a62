// SPDX-License-Identifier: Apache-2.0
// The fabrics of a job, as one process sees them, and which of them carries packets to whom: one for each
// ordered pair of ranks, so that the packets between them stay in order.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"

namespace lisle::fabric {

class routes {
  public:
    /// Nothing if some rank of the job is reached by none of the fabrics.
    /// @param fabrics the preferred one first: a packet takes the first that reaches its destination
    [[nodiscard]] static std::optional<routes> find(std::vector<std::unique_ptr<fabric>> fabrics, int ranks);

    [[nodiscard]] fabric &to(int rank) const noexcept {
        return *by_destination_[static_cast<std::size_t>(rank)];
    }
    /// By destination: the mailbox that its packets go to, or null (fabric::mailbox_to).
    [[nodiscard]] mailbox_sender *const *mailboxes() const noexcept { return mailboxes_.data(); }
    [[nodiscard]] std::span<const std::unique_ptr<fabric>> fabrics() const noexcept { return fabrics_; }

    /// The same fabrics with other endpoints, for another track of each rank; nothing if they have none.
    [[nodiscard]] std::optional<routes> on_track(int track) const;

  private:
    routes() = default;
    std::vector<std::unique_ptr<fabric>> fabrics_;
    std::vector<fabric *> by_destination_;
    std::vector<mailbox_sender *> mailboxes_;
};

} // namespace lisle::fabric
