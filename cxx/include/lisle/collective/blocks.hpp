// SPDX-License-Identifier: Apache-2.0
// Blocks of different sizes: the counts of the program, the arguments of MPI that they become, and ranges
// that are joined and divided by counts.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "lisle/collective/failure.hpp"
#include "lisle/collective/form.hpp"
#include "lisle/datatype/counts_view.hpp"

namespace lisle {

/// The option of collectives with one special rank.
struct rooted {
    int root = 0;
};

/// Options of gatherv() and scatterv(). Counts are given by all ranks or by none.
struct rooted_counts {
    int root = 0;
    counts_view counts = {};
};

/// Options of allgatherv() and alltoallv().
struct known_counts {
    counts_view counts = {};
};

/// The data of all ranks, joined, and their counts: `auto [data, counts] = world.gatherv(mine);`
template <class T> struct blocks {
    std::vector<T> data;
    std::vector<detail::later<MPI_Count, T>> counts;

    /// The data of one rank.
    [[nodiscard]] std::span<T> block(int rank) { return std::span<T>{data}.subspan(begin(rank), size(rank)); }
    [[nodiscard]] std::span<const T> block(int rank) const {
        return std::span<const T>{data}.subspan(begin(rank), size(rank));
    }

  private:
    [[nodiscard]] std::size_t size(int rank) const {
        return static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    }
    [[nodiscard]] std::size_t begin(int rank) const {
        std::size_t sum = 0;
        for (int i = 0; i < rank; ++i)
            sum += size(i);
        return sum;
    }
};

namespace detail {

/// Counts and offsets in elements of the datatype, for blocks that lie one after the other.
template <direct T> struct block_list {
    explicit block_list(counts_view objects) {
        counts.reserve(objects.size());
        offsets.reserve(objects.size());
        MPI_Count sum = 0;
        for (MPI_Count count : objects) {
            if (count < 0) [[unlikely]] {
                raise(MPI_ERR_COUNT, "lisle::collectives", {{"count", count}}, "a count is negative");
                count = 0;
            }
            counts.push_back(count * wire<T>::count);
            offsets.push_back(static_cast<MPI_Aint>(sum * wire<T>::count));
            sum += count;
        }
        total = static_cast<std::size_t>(sum);
    }
    // As MPI takes them, while the list lives.
    [[nodiscard]] auto mpi_counts() const { return mpi_counts_.of(counts); }
    [[nodiscard]] auto mpi_offsets() const { return mpi_offsets_.of(offsets); }

    std::vector<later<MPI_Count, T>> counts;
    std::vector<later<MPI_Aint, T>> offsets;
    std::size_t total = 0; ///< objects in all blocks

  private:
    [[no_unique_address]] mutable later<numbers_of_mpi, T> mpi_counts_;
    [[no_unique_address]] mutable later<numbers_of_mpi, T, void> mpi_offsets_;
};

/// `objects` divided among the ranks, the first ones getting one more if need be.
template <class Count = MPI_Count> std::vector<Count> equal_shares(std::size_t objects, int ranks) {
    const auto parts = static_cast<std::size_t>(ranks);
    std::vector<Count> shares(parts, static_cast<Count>(objects / parts));
    for (std::size_t i = 0; i < objects % parts; ++i)
        ++shares[i];
    return shares;
}

/// Stands for a count: the root's counts cannot be used.
inline constexpr MPI_Count refused_count = -1;
/// Stands for a count: the root has thrown an exception.
inline constexpr MPI_Count failed_count = -2;
/// The one of the two that stands for these counts.
inline MPI_Count unusable_count(counts_view counts) noexcept {
    return !counts.empty() && counts[0] == failed_count ? failed_count : refused_count;
}

/// True if the counts are one for each rank and add up to no more than `objects`.
inline bool divides(counts_view counts, std::size_t objects, int ranks) noexcept {
    std::size_t left = objects;
    for (const MPI_Count count : counts) {
        if (count < 0 || static_cast<std::size_t>(count) > left)
            return false;
        left -= static_cast<std::size_t>(count);
    }
    return counts.size() == static_cast<std::size_t>(ranks);
}

/// How scatterv() divides the root's range: by the root's counts, or in equal shares; and how many objects
/// are the caller's. Throws at all ranks if the root's counts cannot be used.
template <direct T> struct share_of_root {
    share_of_root(MPI_Comm comm, std::size_t objects, const rooted_counts &with, bool root)
        : list{counts_at_root(comm, objects, with, root)} {}
    // Stand first, since the initialiser of the list sets them.
    std::size_t own = 0;
    bool usable = false; ///< false only without exceptions, when an error has been noted
    block_list<T> list;

  private:
    using list_of_counts = std::vector<later<MPI_Count, T>>;
    list_of_counts counts_at_root(MPI_Comm comm, std::size_t objects, const rooted_counts &with, bool root) {
        int ranks = 0;
        list_of_counts counts;
        if (!check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size"))
            return {};
        if (root && with.counts.empty())
            counts = equal_shares(objects, ranks);
        else if (root)
            counts.assign(with.counts.begin(), with.counts.end());
        if (root && !divides(counts, objects, ranks))
            counts.assign(static_cast<std::size_t>(ranks), unusable_count(counts)); // which all ranks receive
        MPI_Count count = 0;
        if (!check(MPI_Scatter(counts.data(), 1, MPI_COUNT, &count, 1, MPI_COUNT, with.root, comm),
                   "MPI_Scatter", named_value{"root", with.root}))
            return {};
        if (count == failed_count) [[unlikely]] {
            raise_remote_failure(with.root, "lisle::scatter");
            return {};
        }
        if (count == refused_count) [[unlikely]] {
            raise(MPI_ERR_COUNT, "lisle::scatterv", {{"root", with.root}, {"ranks", ranks}},
                  "the root's counts are not one for each rank, or one is negative, or together they are "
                  "more than "
                  "the range has");
            return {};
        }
        own = static_cast<std::size_t>(count);
        usable = true;
        return counts;
    }
};

/// The blocks of a range by counts, which are valid `here` only.
template <class R>
auto blocks_in(const R &range, counts_view counts, bool here, int ranks, const char *call) {
    using list_type = block_list<element_of<const R &>>;
    const auto nothing = [ranks] {
        return list_type{std::vector<MPI_Count>(static_cast<std::size_t>(ranks))};
    };
    if (here && counts.size() != static_cast<std::size_t>(ranks)) {
        raise(MPI_ERR_COUNT, call, {{"counts", static_cast<long long>(counts.size())}, {"ranks", ranks}},
              "there must be one count for each rank");
        return nothing();
    }
    list_type list{counts};
    if (list.total > std::ranges::size(range)) {
        raise(MPI_ERR_COUNT, call,
              {{"objects", static_cast<long long>(std::ranges::size(range))},
               {"sum of counts", static_cast<long long>(list.total)}},
              "the counts say more objects than there are");
        return nothing();
    }
    return list;
}

/// A vector of a range's objects.
template <class R> using vector_of = std::vector<element_of<const R &>>;
template <class R> decltype(auto) as_vector(R &&range) {
    using type = vector_of<std::remove_cvref_t<R>>;
    if constexpr (std::is_same_v<std::remove_cvref_t<R>, type>)
        return std::forward<R>(range);
    else
        return type(std::ranges::begin(range), std::ranges::end(range));
}

/// The elements of several ranges one after the other, and the length of each; empty unless `here`.
template <class Ranges> auto join(const Ranges &ranges, bool here) {
    using element = element_of<decltype(*std::ranges::begin(ranges))>;
    std::pair<std::vector<element>, std::vector<later<MPI_Count, Ranges>>> joined;
    if (!here)
        return joined;
    for (const auto &range : ranges) {
        joined.first.insert(joined.first.end(), std::ranges::begin(range), std::ranges::end(range));
        joined.second.push_back(static_cast<MPI_Count>(std::ranges::size(range)));
    }
    if (joined.second.empty())
        joined.second.push_back(refused_count); // no counts would mean equal shares
    return joined;
}

/// The ranges that were received, one after the other.
template <class T> blocks<T> join(std::vector<std::vector<T>> &&parts) {
    blocks<T> all;
    for (std::vector<T> &part : parts) {
        all.counts.push_back(static_cast<MPI_Count>(part.size()));
        all.data.insert(all.data.end(), std::move_iterator{part.begin()}, std::move_iterator{part.end()});
    }
    return all;
}

/// Divides a range into as many vectors as there are counts.
template <class R, class T = element_of<const R &>>
std::vector<std::vector<T>> cut(const R &objects, counts_view counts) {
    std::vector<std::vector<T>> parts;
    auto next = std::ranges::begin(objects);
    for (const MPI_Count count : counts) {
        parts.emplace_back(next, next + count);
        next += count;
    }
    return parts;
}

} // namespace detail

} // namespace lisle
