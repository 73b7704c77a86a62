// SPDX-License-Identifier: Apache-2.0
// Groups: ordered sets of ranks, made without communication. `a | b`, `a & b`, `a - b`.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "lisle/detail/error.hpp"
#include "lisle/detail/owned.hpp"

namespace lisle {

/// A view of a group; functions that make groups return owned<group>.
///
///     lisle::owned<lisle::group> all = world.group();
///     lisle::owned<lisle::group> workers = all.exclude({0});
class group {
  public:
    using native_type = MPI_Group;
    explicit group(MPI_Group handle) noexcept : handle_{handle} {}
    /// The handle, for calls of C.
    [[nodiscard]] MPI_Group native() const noexcept { return handle_; }
    /// For owned<>: the handle of none.
    static MPI_Group null() noexcept { return MPI_GROUP_NULL; }
    /// For owned<>: MPI_Group_free.
    static void free(MPI_Group handle) noexcept {
        if (handle != MPI_GROUP_EMPTY)
            MPI_Group_free(&handle);
    }

    /// How many ranks the group has (MPI_Group_size).
    [[nodiscard]] int size() const {
        int result = 0;
        detail::check(MPI_Group_size(handle_, &result), "MPI_Group_size");
        return result;
    }
    /// The caller's number in the group, or MPI_UNDEFINED.
    [[nodiscard]] int rank() const {
        int result = 0;
        detail::check(MPI_Group_rank(handle_, &result), "MPI_Group_rank");
        return result;
    }
    /// The ranks with these numbers, in this order.
    [[nodiscard]] owned<group> include(std::span<const int> ranks) const {
        return include(ranks.data(), ranks.size());
    }
    [[nodiscard]] owned<group> include(std::initializer_list<int> ranks) const {
        return include(ranks.begin(), ranks.size());
    }
    /// All but those.
    [[nodiscard]] owned<group> exclude(std::span<const int> ranks) const {
        return exclude(ranks.data(), ranks.size());
    }
    [[nodiscard]] owned<group> exclude(std::initializer_list<int> ranks) const {
        return exclude(ranks.begin(), ranks.size());
    }
    /// The numbers that ranks of this group have in another; MPI_UNDEFINED for those that it has not. A
    /// template for the same reason as request_pool.
    template <class Rank = int>
    [[nodiscard]] std::vector<Rank> translate(std::span<const int> ranks, const group &other) const {
        std::vector<Rank> result(ranks.size());
        detail::check(MPI_Group_translate_ranks(handle_, static_cast<int>(ranks.size()), ranks.data(),
                                                other.handle_, result.data()),
                      "MPI_Group_translate_ranks");
        return result;
    }
    friend owned<group> operator|(const group &a, const group &b) {
        MPI_Group made = MPI_GROUP_NULL;
        return own(MPI_Group_union(a.handle_, b.handle_, &made), "MPI_Group_union", made);
    }
    friend owned<group> operator&(const group &a, const group &b) {
        MPI_Group made = MPI_GROUP_NULL;
        return own(MPI_Group_intersection(a.handle_, b.handle_, &made), "MPI_Group_intersection", made);
    }
    friend owned<group> operator-(const group &a, const group &b) {
        MPI_Group made = MPI_GROUP_NULL;
        return own(MPI_Group_difference(a.handle_, b.handle_, &made), "MPI_Group_difference", made);
    }
    /// The same ranks in the same order.
    friend bool operator==(const group &a, const group &b) {
        int result = MPI_UNEQUAL;
        detail::check(MPI_Group_compare(a.handle_, b.handle_, &result), "MPI_Group_compare");
        return result == MPI_IDENT;
    }

  private:
    [[nodiscard]] owned<group> include(const int *ranks, std::size_t count) const {
        MPI_Group made = MPI_GROUP_NULL;
        return own(MPI_Group_incl(handle_, static_cast<int>(count), ranks, &made), "MPI_Group_incl", made);
    }
    [[nodiscard]] owned<group> exclude(const int *ranks, std::size_t count) const {
        MPI_Group made = MPI_GROUP_NULL;
        return own(MPI_Group_excl(handle_, static_cast<int>(count), ranks, &made), "MPI_Group_excl", made);
    }
    /// The result of a call, which is checked after it.
    static owned<group> own(int code, const char *call, const MPI_Group &made) {
        detail::check(code, call);
        return owned<group>{made};
    }
    MPI_Group handle_;
};

} // namespace lisle
