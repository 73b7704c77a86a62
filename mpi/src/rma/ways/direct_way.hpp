// SPDX-License-Identifier: Apache-2.0
// The way to memory for which the caller has an address: of a rank of its process, or in the shared heap of a
// process of the node. Puts and gets are copies, accumulates are instructions of the processor or are made
// under the lock of the target's row. All is done when a call returns.
#pragma once

#include "rma/state/epochs.hpp"
#include "rma/state/target_address.hpp"
#include "rma/state/window_members.hpp"
#include "rma/ways/way.hpp"

namespace lisle::rma {

class direct_way final : public way {
  public:
    direct_way(const window_members &members, const access_epoch &access) noexcept
        : members_{members}, access_{access} {}

    protocol::request *put(const transfer &of) override;
    protocol::request *get(const transfer &of) override;
    protocol::request *update(const target_update &of) override;
    protocol::request *fetch(const target_update &of) override;
    protocol::request *compare(const target_comparison &of) override;

  private:
    /// Where the target's data lie here.
    [[nodiscard]] std::byte *place_of(const transfer &of) const noexcept {
        if (members_.at(of.target.rank).facts.process == members_.table().process) [[likely]] {
            return reinterpret_cast<std::byte *>(of.address); // it means the same here
        }
        return direct_address(members_, of.target, of.address);
    }
    [[nodiscard]] typed_buffer here(const transfer &of) const noexcept {
        return {place_of(of), of.target.count, *of.target.type};
    }
    [[nodiscard]] update_guard guard_of(int target) const noexcept;
    /// The same for an array, which is faster where nobody else changes it meanwhile.
    [[nodiscard]] update_guard guard_of_array(int target) const noexcept;

    const window_members &members_;
    const access_epoch &access_;
};

} // namespace lisle::rma
