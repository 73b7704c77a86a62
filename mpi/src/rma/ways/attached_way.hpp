// SPDX-License-Identifier: Apache-2.0
// The way to what a process of the node has attached to a dynamic window: for each access anew, since it
// depends on the memory, which may lie in the shared heap or be known from the target's table
// (attached_table.hpp).
#pragma once

#include "rma/messages/origin.hpp"
#include "rma/ways/direct_way.hpp"
#include "rma/ways/kernel_way.hpp"
#include "rma/ways/request_way.hpp"

namespace lisle::rma {

class attached_way final : public way {
  public:
    attached_way(const window_members &members, direct_way &direct, kernel_way &kernel, request_way &requests,
                 message_origin &by) noexcept
        : members_{members}, direct_{direct}, kernel_{kernel}, requests_{requests}, by_{by} {}

    protocol::request *put(const transfer &of) override { return way_of_transfer(of).put(of); }
    protocol::request *get(const transfer &of) override { return way_of_transfer(of).get(of); }
    protocol::request *update(const target_update &of) override { return way_of_update(of).update(of); }
    protocol::request *compare(const target_comparison &of) override { return way_of_update(of).compare(of); }

  private:
    [[nodiscard]] way &way_of_transfer(const transfer &of);
    [[nodiscard]] way &way_of_update(const transfer &of);

    const window_members &members_;
    direct_way &direct_;
    kernel_way &kernel_;
    request_way &requests_;
    message_origin &by_;
};

} // namespace lisle::rma
