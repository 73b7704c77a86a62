// SPDX-License-Identifier: Apache-2.0
// The posted receives of an engine that senders of other processes may fill while its rank computes
// (fabric/local/published_receives.hpp): the receiver's side.
#pragma once

#include <array>
#include <cstdint>

#include "fabric/local/published_receives.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::fabric {
class mailbox_receiver;
}

namespace lisle::protocol {

/// Under the engine's lock.
class publications {
  public:
    /// From now on receives can be published. @param mailbox that their messages come through
    void use(const fabric::published_receives &slots, const fabric::mailbox_receiver &mailbox) noexcept {
        shared_ = slots;
        mailbox_ = &mailbox;
    }
    [[nodiscard]] bool possible() const noexcept { return mailbox_ != nullptr; }
    [[nodiscard]] bool any() const noexcept { return used_ != 0; }
    [[nodiscard]] bool full() const noexcept { return used_ == shared_.slots(); }

    /// @pre !full(), and the receive is the first that takes a message with its pattern but for published
    /// ones
    void publish(receive_operation &receive) noexcept;
    /// Takes it back. False: a sender has claimed it.
    [[nodiscard]] bool withdraw(receive_operation &receive) noexcept;
    /// The same for a message that is being handed out by the mailbox.
    [[nodiscard]] bool take(receive_operation &receive) noexcept;
    /// Takes all back that are not claimed.
    void withdraw_all() noexcept;

    /// True if its sender has claimed it for the message with this number.
    [[nodiscard]] bool is_claimed_for(const receive_operation &receive,
                                      std::uint64_t message) const noexcept {
        return receive.publication != 0 && shared_.is_claimed_for(slot_of(receive), message);
    }
    /// The receive that has been claimed for this message; null: there is none.
    [[nodiscard]] receive_operation *claimed_for(const envelope &what, std::uint64_t message) const noexcept;
    /// The receive in a slot; null: there is none.
    [[nodiscard]] receive_operation *in_slot(std::uint32_t slot) const noexcept {
        return slot < receives_.size() ? receives_[slot] : nullptr;
    }
    /// Of a receive that is claimed: its sender does no more with it.
    void end(receive_operation &receive) noexcept;
    /// Says that all packets before the mailbox's next one have been matched, as the rank is about to
    /// compute.
    void refresh() noexcept;
    /// Whether a thread of the rank sleeps until there is news: messages call it. @return true if that has
    /// just ended: then the mailbox is to be looked at once more
    bool attend(bool attended) noexcept;

  private:
    [[nodiscard]] static unsigned slot_of(const receive_operation &receive) noexcept {
        return receive.publication - 1U;
    }
    void forget(receive_operation &receive) noexcept;

    fabric::published_receives shared_{nullptr, 0};
    const fabric::mailbox_receiver *mailbox_ = nullptr;
    unsigned used_ = 0;
    bool attended_ = false;
    std::array<receive_operation *, fabric::published_receives::most_slots> receives_{};
};

} // namespace lisle::protocol
