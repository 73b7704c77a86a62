// SPDX-License-Identifier: Apache-2.0
// An array of counts or displacements as the user passed it: of int from the small form of a call, of
// 64-bit integers from the large one. Implementations read both alike.
#pragma once

#include <cstddef>
#include <type_traits>

#include "mpi.h"

namespace lisle {

/// A read-only view that owns nothing and, like the user's array, does not know its length.
class count_list {
  public:
    // One constructor serves displacements and counts.
    static_assert(std::is_same_v<MPI_Aint, MPI_Count>);

    count_list() = default;
    explicit count_list(const int *small) noexcept : array_{small} {}
    explicit count_list(const MPI_Count *large) noexcept : array_{large}, large_{true} {}

    [[nodiscard]] MPI_Count operator[](std::size_t index) const noexcept {
        return large_ ? static_cast<const MPI_Count *>(array_)[index]
                      : static_cast<const int *>(array_)[index];
    }
    [[nodiscard]] MPI_Count operator[](int index) const noexcept {
        return (*this)[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] MPI_Count operator[](MPI_Count index) const noexcept {
        return (*this)[static_cast<std::size_t>(index)];
    }
    /// Calls `use` with the array, so the element type is tested once, not per element.
    template <class Use> auto with_array(Use use) const {
        return large_ ? use(static_cast<const MPI_Count *>(array_)) : use(static_cast<const int *>(array_));
    }
    /// True if the user passed a null pointer.
    [[nodiscard]] bool null() const noexcept { return array_ == nullptr; }

  private:
    const void *array_ = nullptr;
    bool large_ = false;
};

} // namespace lisle
