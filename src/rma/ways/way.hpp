// SPDX-License-Identifier: Apache-2.0
// How a rank accesses the memory of targets of one kind: one class for each way there is
// (docs/design/windows.md).
#pragma once

#include <cstdint>

#include "rma/elements/element_update.hpp"
#include "rma/elements/target_data.hpp"

namespace lisle::protocol {
class request;
}

namespace lisle::rma {

/// What all ways can do. The arguments have been checked: the target may be accessed, the data lie in the
/// window and fit the buffers, and there are some. An operation is complete when its call returns, or by the
/// request that is returned, which the caller waits for or frees; of puts and accumulates without one the
/// origin's buffer may be used again, and a flush completes them. Any thread of the rank may call.
class way {
  public:
    way() = default;
    way(const way &) = delete;
    way &operator=(const way &) = delete;
    virtual ~way() = default;

    /// @param address of the target's data, in its own terms
    [[nodiscard]] virtual protocol::request *put(const typed_buffer &origin, const target_data &target,
                                                 std::uint64_t address) = 0;
    [[nodiscard]] virtual protocol::request *get(const typed_buffer &origin, const target_data &target,
                                                 std::uint64_t address) = 0;
    /// Accumulate. @param bytes of the operands @param result where the former values go; null: nowhere
    [[nodiscard]] virtual protocol::request *update(const typed_buffer &origin, MPI_Count bytes,
                                                    const typed_buffer *result, const target_data &target,
                                                    std::uint64_t address, const element_update &how) = 0;
    /// Of one element. @param origin null: the operation reads none
    [[nodiscard]] virtual protocol::request *fetch(const void *origin, void *result,
                                                   const target_data &target, std::uint64_t address,
                                                   const element_update &how) {
        const typed_buffer into{result, 1, *target.type};
        return update({origin, 1, *target.type}, target.bytes(), &into, target, address, how);
    }
    [[nodiscard]] virtual protocol::request *compare(const void *origin, const void *compare, void *result,
                                                     const target_data &target, std::uint64_t address) = 0;
};

} // namespace lisle::rma
