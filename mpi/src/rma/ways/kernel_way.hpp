// SPDX-License-Identifier: Apache-2.0
// The way to other memory of a process of the node: copies by the kernel, where it allows them. Accumulates
// copy elements of the target's memory to the origin, change them and copy them back, all under the lock of
// the target's row; all others change such memory under the same lock (member_facts::copied). The target's
// rank has no part in any of them.
#pragma once

#include "rma/state/window_members.hpp"
#include "rma/ways/way.hpp"

namespace lisle::rma {

class kernel_way final : public way {
  public:
    /// @param otherwise for what the kernel refuses
    kernel_way(const window_members &members, way &otherwise) noexcept
        : members_{members}, otherwise_{otherwise} {}

    protocol::request *put(const transfer &of) override;
    protocol::request *get(const transfer &of) override;
    // These throw MPI_ERR_RMA_RANGE if the kernel finds no memory there.
    protocol::request *update(const target_update &of) override;
    protocol::request *compare(const target_comparison &of) override;

  private:
    const window_members &members_;
    way &otherwise_;
};

} // namespace lisle::rma
