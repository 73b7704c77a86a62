// SPDX-License-Identifier: Apache-2.0
// The way to memory that the caller cannot reach itself: requests to the target's rank. An operation is cut
// into as many as it takes. A blocking part of each call is to find room for them; meanwhile the rank makes
// progress, so two ranks that fill each other's mailboxes go on.
#pragma once

#include "rma/messages/origin.hpp"
#include "rma/ways/way.hpp"

namespace lisle::rma {

class request_way final : public way {
  public:
    request_way(const window_members &members, message_origin &by) noexcept : members_{members}, by_{by} {}

    protocol::request *put(const transfer &of) override;
    protocol::request *get(const transfer &of) override;
    protocol::request *update(const target_update &of) override;
    protocol::request *compare(const target_comparison &of) override;

  private:
    const window_members &members_;
    message_origin &by_;
};

} // namespace lisle::rma
