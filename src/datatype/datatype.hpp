// SPDX-License-Identifier: Apache-2.0
// A datatype of MPI: an immutable type tree, its bounds, and (once committed) the compact program that
// copies it. Types are shared by reference count: requests and derived types keep the types they use.
#pragma once

#include <atomic>
#include <cstddef>

#include "mpi.h"
#include "runtime/object.hpp"

namespace lisle {

/// See the file's head. Immutable after construction but for names and attributes; any number of
/// threads and ranks may read one.
class datatype : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::datatype;

    /// Bytes of data in one element, gaps not counted (MPI_Type_size).
    [[nodiscard]] MPI_Count size() const noexcept { return size_; }
    [[nodiscard]] MPI_Count lower_bound() const noexcept { return lower_bound_; }
    /// Bytes from one element to the next in an array.
    [[nodiscard]] MPI_Count extent() const noexcept { return extent_; }
    [[nodiscard]] MPI_Count true_lower_bound() const noexcept { return true_lower_bound_; }
    [[nodiscard]] MPI_Count true_extent() const noexcept { return true_extent_; }
    /// True if any count of elements is one run of bytes that begins at the buffer's address, in
    /// order: then data is moved by plain copies (size() == extent(), true lower bound 0).
    [[nodiscard]] bool contiguous() const noexcept { return contiguous_; }
    [[nodiscard]] bool committed() const noexcept { return committed_; }

    /// Shared ownership. Predefined types are never destroyed, so for them both do nothing.
    void retain() const noexcept;
    void release() const noexcept;

  protected:
    datatype() noexcept : object{object_kind::datatype} {}
    ~datatype() = default;
    MPI_Count size_ = 0, lower_bound_ = 0, extent_ = 0, true_lower_bound_ = 0, true_extent_ = 0;
    bool contiguous_ = false, committed_ = false, predefined_ = false;
    mutable std::atomic<int> references_{1};
};

} // namespace lisle
