// SPDX-License-Identifier: Apache-2.0
// What one rank's window sends to others and hears from them: both sides of its requests. The packets'
// handlers find it by the packets' context (handlers.cpp).
#pragma once

#include "rma/messages/origin.hpp"
#include "rma/messages/target_side.hpp"
#include "rma/state/registered.hpp"

namespace lisle::rma {

class window_messages {
  public:
    explicit window_messages(window_members &members)
        : members{members}, origin{members}, target{members}, entry_{*this, members.home(),
                                                                     members.comm().context()} {}

    window_members &members;
    message_origin origin;
    message_target target;

    /// A member has failed. With the lock of `home` held. May be told again if it throws, for lack of memory.
    void peer_failed_locked(protocol::engine &home, int member) {
        members.failed.add(member);
        origin.answers.fail_locked(home, member);
        target.fail_locked(home, member);
    }

  private:
    const registered<window_messages> entry_;
};

} // namespace lisle::rma
