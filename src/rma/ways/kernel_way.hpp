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

    [[nodiscard]] protocol::request *put(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override;
    [[nodiscard]] protocol::request *get(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address) override;
    // These throw MPI_ERR_RMA_RANGE if the kernel finds no memory there.
    [[nodiscard]] protocol::request *update(const typed_buffer &origin, MPI_Count bytes,
                                            const typed_buffer *result, const target_data &target,
                                            std::uint64_t address, const element_update &how) override;
    [[nodiscard]] protocol::request *compare(const void *origin, const void *compare, void *result,
                                             const target_data &target, std::uint64_t address) override;

  private:
    void update_elements(int target, std::uint64_t address, const element_update &how,
                         const std::byte *origin, std::byte *result, std::size_t count);

    const window_members &members_;
    way &otherwise_;
};

} // namespace lisle::rma
