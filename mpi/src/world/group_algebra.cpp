// SPDX-License-Identifier: Apache-2.0
// Group algebra by membership questions, each of which a group answers in O(log n) or better.
#include "world/group_algebra.hpp"

#include <cstdint>

#include "base/error.hpp"

namespace lisle {

namespace {

/// Those members of `left` for which being in `right` is as wanted.
group_ref filter(const group &left, const group &right, bool wanted) {
    std::vector<int> members;
    for (int rank = 0; rank < left.size(); ++rank) {
        if (right.contains(left.member(rank)) == wanted) {
            members.push_back(left.member(rank));
        }
    }
    return make_group(std::move(members));
}

/// Ranks of a group that have been named, each at most once.
class named_ranks {
  public:
    explicit named_ranks(const group &source) : named_(static_cast<std::size_t>(source.size())) {}

    void add(int rank) {
        const auto size = static_cast<int>(named_.size());
        if (rank < 0 || rank >= size) {
            fail(MPI_ERR_RANK, "rank ", rank, " is outside the group, which has ", size,
                 size == 1 ? " rank" : " ranks");
        }
        if (named_[static_cast<std::size_t>(rank)]) {
            fail(MPI_ERR_RANK, "rank ", rank, " is named twice");
        }
        named_[static_cast<std::size_t>(rank)] = true;
    }

    [[nodiscard]] bool has(int rank) const { return named_[static_cast<std::size_t>(rank)]; }

  private:
    std::vector<bool> named_;
};

/// The ranks that the ranges name, in their order. Stops at the first that is wrong, so that a huge
/// range costs no more than the group is large.
std::vector<int> expand(const group &source, std::span<const rank_range> ranges) {
    std::vector<int> ranks;
    named_ranks named{source};
    for (const auto &[first, last, stride] : ranges) {
        if (stride == 0) {
            fail(MPI_ERR_ARG, "the stride of range ", first, ":", last, ":0 is 0");
        }
        if (first != last && (first < last) != (stride > 0)) {
            fail(MPI_ERR_ARG, "the stride of range ", first, ":", last, ":", stride,
                 " leads away from its end");
        }
        for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
            named.add(static_cast<int>(rank));
            ranks.push_back(static_cast<int>(rank));
        }
    }
    return ranks;
}

group_ref all_but(const group &source, const named_ranks &named) {
    std::vector<int> members;
    for (int rank = 0; rank < source.size(); ++rank) {
        if (!named.has(rank)) {
            members.push_back(source.member(rank));
        }
    }
    return make_group(std::move(members));
}

} // namespace

group_ref unite(const group &left, const group &right) {
    std::vector<int> members = left.members();
    for (int rank = 0; rank < right.size(); ++rank) {
        if (!left.contains(right.member(rank))) {
            members.push_back(right.member(rank));
        }
    }
    return make_group(std::move(members));
}

group_ref intersect(const group &left, const group &right) {
    return filter(left, right, true);
}

group_ref subtract(const group &left, const group &right) {
    return filter(left, right, false);
}

group_ref include(const group &source, std::span<const int> ranks) {
    named_ranks named{source};
    std::vector<int> members;
    members.reserve(ranks.size());
    for (const int rank : ranks) {
        named.add(rank);
        members.push_back(source.member(rank));
    }
    return make_group(std::move(members));
}

group_ref exclude(const group &source, std::span<const int> ranks) {
    named_ranks named{source};
    for (const int rank : ranks) {
        named.add(rank);
    }
    return all_but(source, named);
}

group_ref include_ranges(const group &source, std::span<const rank_range> ranges) {
    return include(source, expand(source, ranges));
}

group_ref exclude_ranges(const group &source, std::span<const rank_range> ranges) {
    return exclude(source, expand(source, ranges));
}

int compare(const group &left, const group &right) {
    if (left.same_as(right)) {
        return MPI_IDENT;
    }
    if (left.size() != right.size()) {
        return MPI_UNEQUAL;
    }
    for (int rank = 0; rank < left.size(); ++rank) {
        if (!right.contains(left.member(rank))) {
            return MPI_UNEQUAL;
        }
    }
    return MPI_SIMILAR;
}

void translate(const group &from, std::span<const int> ranks, const group &to, std::span<int> translated) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const int rank = ranks[i];
        if (rank == MPI_PROC_NULL) {
            translated[i] = MPI_PROC_NULL;
            continue;
        }
        if (rank < 0 || rank >= from.size()) {
            fail(MPI_ERR_RANK, "rank ", rank, " is outside the first group, which has ", from.size(),
                 from.size() == 1 ? " rank" : " ranks");
        }
        translated[i] = to.rank_of(from.member(rank));
    }
}

} // namespace lisle
