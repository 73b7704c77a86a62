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

    [[nodiscard]] protocol::request *put(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override {
        return way_of_transfer(target, address).put(origin, target, address);
    }
    [[nodiscard]] protocol::request *get(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override {
        return way_of_transfer(target, address).get(origin, target, address);
    }
    [[nodiscard]] protocol::request *update(const typed_buffer &origin, MPI_Count bytes,
                                            const typed_buffer *result, const target_data &target,
                                            std::uint64_t address, const element_update &how) override {
        return way_of_update(target, address).update(origin, bytes, result, target, address, how);
    }
    [[nodiscard]] protocol::request *compare(const void *origin, const void *compare, void *result,
                                             const target_data &target, std::uint64_t address) override {
        return way_of_update(target, address).compare(origin, compare, result, target, address);
    }

  private:
    [[nodiscard]] way &way_of_transfer(const target_data &target, std::uint64_t address);
    [[nodiscard]] way &way_of_update(const target_data &target, std::uint64_t address);

    const window_members &members_;
    direct_way &direct_;
    kernel_way &kernel_;
    request_way &requests_;
    message_origin &by_;
};

} // namespace lisle::rma
