// SPDX-License-Identifier: Apache-2.0
// An ordered set of ranks of the job. Immutable and shared by reference count, so communicators, the
// user's handles and several ranks of a process may hold one.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "mpi.h"
#include "runtime/object.hpp"

namespace lisle {

class group : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::group;

    /// @param members numbers in the job (rank::number), in the group's order, without repetition
    explicit group(std::vector<int> members) : object{object_kind::group}, members_{std::move(members)} {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
    /// The job's number of the member with this rank. @pre 0 <= rank < size()
    [[nodiscard]] int member(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] std::span<const int> members() const noexcept { return members_; }
    /// The rank in this group of a rank of the job, or MPI_UNDEFINED.
    [[nodiscard]] int rank_of(int number) const noexcept;

    /// Shared ownership; the last release destroys.
    void retain() const noexcept;
    void release() const noexcept;

  private:
    ~group() = default;
    std::vector<int> members_;
    mutable std::atomic<int> references_{1};
};

} // namespace lisle
