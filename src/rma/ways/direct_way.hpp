// SPDX-License-Identifier: Apache-2.0
// The way to memory for which the caller has an address: of a rank of its process, or in the shared heap of a
// process of the node. Puts and gets are copies, accumulates are instructions of the processor or are made
// under the lock of the target's row. All is done when a call returns.
#pragma once

#include "rma/state/epochs.hpp"
#include "rma/state/window_members.hpp"
#include "rma/ways/way.hpp"

namespace lisle::rma {

class direct_way final : public way {
  public:
    direct_way(const window_members &members, const access_epoch &access) noexcept
        : members_{members}, access_{access} {}

    [[nodiscard]] protocol::request *put(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override;
    [[nodiscard]] protocol::request *get(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override;
    [[nodiscard]] protocol::request *update(const typed_buffer &origin, MPI_Count bytes,
                                            const typed_buffer *result, const target_data &target,
                                            std::uint64_t address, const element_update &how) override;
    [[nodiscard]] protocol::request *fetch(const void *origin, void *result, const target_data &target,
                                           std::uint64_t address, const element_update &how) override;
    [[nodiscard]] protocol::request *compare(const void *origin, const void *compare, void *result,
                                             const target_data &target, std::uint64_t address) override;

  private:
    [[nodiscard]] typed_buffer here(const target_data &target, std::uint64_t address) const noexcept;
    [[nodiscard]] update_guard guard_of(int target) const noexcept;
    /// The same for an array, which is faster where nobody else changes it meanwhile.
    [[nodiscard]] update_guard guard_of_array(int target) const noexcept;

    const window_members &members_;
    const access_epoch &access_;
};

} // namespace lisle::rma
