// SPDX-License-Identifier: Apache-2.0
// Mailboxes in memory that a fabric's packets go through: the engine posts there and drains its own without
// calling the fabric for each packet.
#pragma once

namespace lisle::fabric {

class mailbox_sender;
class mailbox_receiver;

class mailbox_access {
  public:
    /// Where packets to `dest` go.
    [[nodiscard]] virtual mailbox_sender *mailbox_to(int dest) noexcept = 0;
    /// The same for what arrives at `self`. Used under the rules of packet_source::poll.
    [[nodiscard]] virtual mailbox_receiver *mailbox_of(int self) noexcept = 0;

  protected:
    ~mailbox_access() = default;
};

} // namespace lisle::fabric
