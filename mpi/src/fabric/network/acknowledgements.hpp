// SPDX-License-Identifier: Apache-2.0
// What peers are told of their frames that have arrived: they keep them until then, where another rail can
// take over.
#pragma once

#include "fabric/network/frame_sender.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held.
class acknowledgements {
  public:
    /// All outlive this.
    acknowledgements(const job_view &job, peer_table &peers, frame_sender &sender) noexcept
        : job_{job}, peers_{peers}, sender_{sender} {}

    /// A numbered frame of the process has been passed on.
    void count(int process) noexcept;
    /// The process is to be told at the next look, however few they are.
    void tell_soon(int process) noexcept;
    [[nodiscard]] bool are_due() const noexcept { return due_; }
    void tell() noexcept;

  private:
    const job_view &job_;
    peer_table &peers_;
    frame_sender &sender_;
    bool due_ = false; ///< some peers are to be told
};

} // namespace lisle::fabric::network
