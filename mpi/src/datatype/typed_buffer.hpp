// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "datatype/datatype.hpp"

namespace lisle {

/// A user's buffer as the standard describes one: address, count, type. Non-owning; for sends the
/// memory is only read.
struct typed_buffer {
    void *address = nullptr;
    MPI_Count count = 0;
    const datatype *type = nullptr;

    typed_buffer() = default;
    typed_buffer(const void *buffer, MPI_Count elements, const datatype &element_type)
        : address{const_cast<void *>(buffer)}, count{elements}, type{&element_type} {}

    /// Number of bytes of data, without gaps.
    [[nodiscard]] MPI_Count bytes() const noexcept { return count * type->size(); }
};

} // namespace lisle
