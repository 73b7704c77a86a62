// SPDX-License-Identifier: Apache-2.0
// Groups: ordered sets of ranks, made without communication. `a | b`, `a & b`, `a - b`.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "lisle/error.hpp"
#include "lisle/owned.hpp"

namespace lisle {

/// A view of a group; functions that make groups return owned<group>.
///
///     lisle::owned<lisle::group> all = world.group();
///     lisle::owned<lisle::group> workers = all.exclude({0});
class group {
  public:
    using native_type = MPI_Group;
    explicit group(MPI_Group handle) noexcept : handle_{handle} {}
    [[nodiscard]] MPI_Group native() const noexcept { return handle_; }
    static MPI_Group null() noexcept { return MPI_GROUP_NULL; }
    static void free(MPI_Group handle) noexcept {
        if (handle != MPI_GROUP_EMPTY)
            MPI_Group_free(&handle);
    }

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
        return make("MPI_Group_incl", [&](MPI_Group *made) {
            return MPI_Group_incl(handle_, static_cast<int>(ranks.size()), ranks.data(), made);
        });
    }
    [[nodiscard]] owned<group> include(std::initializer_list<int> ranks) const {
        return include(std::span<const int>{ranks.begin(), ranks.size()});
    }
    /// All but those.
    [[nodiscard]] owned<group> exclude(std::span<const int> ranks) const {
        return make("MPI_Group_excl", [&](MPI_Group *made) {
            return MPI_Group_excl(handle_, static_cast<int>(ranks.size()), ranks.data(), made);
        });
    }
    [[nodiscard]] owned<group> exclude(std::initializer_list<int> ranks) const {
        return exclude(std::span<const int>{ranks.begin(), ranks.size()});
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
        return make("MPI_Group_union",
                    [&](MPI_Group *made) { return MPI_Group_union(a.handle_, b.handle_, made); });
    }
    friend owned<group> operator&(const group &a, const group &b) {
        return make("MPI_Group_intersection",
                    [&](MPI_Group *made) { return MPI_Group_intersection(a.handle_, b.handle_, made); });
    }
    friend owned<group> operator-(const group &a, const group &b) {
        return make("MPI_Group_difference",
                    [&](MPI_Group *made) { return MPI_Group_difference(a.handle_, b.handle_, made); });
    }
    /// The same ranks in the same order.
    friend bool operator==(const group &a, const group &b) {
        int result = MPI_UNEQUAL;
        detail::check(MPI_Group_compare(a.handle_, b.handle_, &result), "MPI_Group_compare");
        return result == MPI_IDENT;
    }

  private:
    template <class Call> static owned<group> make(const char *name, Call call) {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(call(&made), name);
        return owned<group>{made};
    }
    MPI_Group handle_;
};

} // namespace lisle
