// SPDX-License-Identifier: Apache-2.0
// How a rank accesses the memory of targets of one kind: one class for each way there is
// (mpi/docs/design/windows.md).
#pragma once

#include <cstdint>

#include "rma/elements/element_update.hpp"
#include "rma/elements/target_data.hpp"

namespace lisle::protocol {
class request;
}

namespace lisle::rma {

/// A put or a get, or the part of every operation that says where.
struct transfer {
    typed_buffer origin;
    const target_data &target;
    std::uint64_t address; ///< of the target's data, in its own terms

    [[nodiscard]] typed_buffer at_target() const noexcept {
        return {reinterpret_cast<void *>(address), target.count, *target.type};
    }
};
/// An accumulate. Of fetch() `origin` has one element, or none if the operation reads none.
struct target_update : transfer {
    MPI_Count bytes;            ///< of the operands
    const typed_buffer *result; ///< where the former values go; null: nowhere
    const element_update &how;
};
/// A compare-and-swap of one element, which is to become that of `origin`.
struct target_comparison : transfer {
    const void *compare;
    void *result;
};

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

    [[nodiscard]] virtual protocol::request *put(const transfer &of) = 0;
    [[nodiscard]] virtual protocol::request *get(const transfer &of) = 0;
    [[nodiscard]] virtual protocol::request *update(const target_update &of) = 0;
    /// An update of one element, which brings its former value.
    [[nodiscard]] virtual protocol::request *fetch(const target_update &of) { return update(of); }
    [[nodiscard]] virtual protocol::request *compare(const target_comparison &of) = 0;
};

} // namespace lisle::rma
