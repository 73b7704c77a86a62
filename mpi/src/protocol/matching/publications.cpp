// SPDX-License-Identifier: Apache-2.0
#include "protocol/matching/publications.hpp"

#include <algorithm>

#include "fabric/local/mailbox.hpp"

namespace lisle::protocol {

void publications::publish(receive_operation &receive) noexcept {
    const auto free = std::ranges::find(receives_, nullptr);
    const auto slot = static_cast<unsigned>(free - receives_.begin());
    *free = &receive;
    receive.publication = static_cast<std::uint8_t>(slot + 1);
    ++used_;
    shared_.publish(slot, {receive.pattern.context, receive.pattern.source, receive.pattern.tag,
                           reinterpret_cast<std::uint64_t>(receive.buffer.address),
                           static_cast<std::uint64_t>(receive.buffer.bytes()), mailbox_->next_ticket()});
}

void publications::forget(receive_operation &receive) noexcept {
    receives_[slot_of(receive)] = nullptr;
    receive.publication = 0;
    --used_;
}

bool publications::withdraw(receive_operation &receive) noexcept {
    if (!shared_.withdraw(slot_of(receive))) {
        return false;
    }
    forget(receive);
    return true;
}

bool publications::take(receive_operation &receive) noexcept {
    // While this one is still published no sender claims another for the message, and once it is not, those
    // that have looked before cannot.
    for (receive_operation *const other : receives_) {
        if (other != nullptr && other != &receive && other->pattern == receive.pattern) {
            shared_.renew(slot_of(*other), mailbox_->next_ticket() + 1);
        }
    }
    return withdraw(receive);
}

void publications::withdraw_all() noexcept {
    for (receive_operation *const each : receives_) {
        if (each != nullptr) {
            (void)withdraw(*each);
        }
    }
}

receive_operation *publications::claimed_for(const envelope &what, std::uint64_t message) const noexcept {
    const auto found = std::ranges::find_if(receives_, [&](const receive_operation *each) {
        return each != nullptr && each->pattern == what && is_claimed_for(*each, message);
    });
    return found != receives_.end() ? *found : nullptr;
}

void publications::end(receive_operation &receive) noexcept {
    shared_.free(slot_of(receive));
    forget(receive);
}

void publications::refresh() noexcept {
    for (receive_operation *const each : receives_) {
        if (each != nullptr) {
            shared_.renew(slot_of(*each), mailbox_->next_ticket());
        }
    }
}

bool publications::attend(bool attended) noexcept {
    attended = attended && any();
    if (attended == attended_) {
        return false;
    }
    attended_ = attended;
    shared_.attend(attended);
    return !attended;
}

} // namespace lisle::protocol
