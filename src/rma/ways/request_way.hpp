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

    [[nodiscard]] protocol::request *put(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override;
    [[nodiscard]] protocol::request *get(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override;
    [[nodiscard]] protocol::request *update(const typed_buffer &origin, MPI_Count bytes,
                                            const typed_buffer *result, const target_data &target,
                                            std::uint64_t address, const element_update &how) override;
    [[nodiscard]] protocol::request *compare(const void *origin, const void *compare, void *result,
                                             const target_data &target, std::uint64_t address) override;

  private:
    const window_members &members_;
    message_origin &by_;
};

} // namespace lisle::rma
