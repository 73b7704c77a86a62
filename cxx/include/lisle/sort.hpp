// SPDX-License-Identifier: Apache-2.0
// Sorting a vector that is spread over ranks: a parallel sort by regular sampling (Shi and Schaeffer, 1992)
// in which samples are chosen in proportion to what a rank has, equal elements are told apart by where they
// come from, and each rank ends with as many elements as it gave.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"

namespace lisle {

namespace detail {

/// Elements for each rank, which come as one vector in the order of ranks, and how many from each, which
/// `expected` says if the caller knows.
template <class T> blocks<T> deal(const communicator &comm, std::vector<T> elements,
                                  const std::vector<MPI_Count> &counts,
                                  const std::vector<MPI_Count> *expected = nullptr) {
    if constexpr (direct<T>)
        return expected == nullptr ? comm.alltoallv(elements, counts)
                                   : comm.alltoallv(elements, counts, {.counts = *expected});
    else
        return join(comm.alltoallv(cut(elements, counts)));
}

template <class T, class Less, class Key>
bool comes_before(const Less &less, const Key &key, const T &a, const T &b) {
    return static_cast<bool>(std::invoke(less, std::invoke(key, a), std::invoke(key, b)));
}
/// True if one element comes before another one.
template <class T, class Less, class Key> auto order_by(const Less &less, const Key &key) {
    if constexpr (std::is_empty_v<Less> && std::is_empty_v<Key> && std::is_default_constructible_v<Less> &&
                  std::is_default_constructible_v<Key>)
        return [](const T &a, const T &b) { return comes_before(Less{}, Key{}, a, b); }; // no references
    else
        return [&less, &key](const T &a, const T &b) { return comes_before(less, key, a, b); };
}

/// What is done with the elements of one call of sort().
template <class T, class Before> class sample_sort {
  public:
    sample_sort(const communicator &comm, Before before) : comm_{comm}, before_{std::move(before)} {}

    void run(std::vector<T> &elements) {
        std::stable_sort(elements.begin(), elements.end(), before_);
        begins_ = begins_of(elements.size());
        if (comm_.size() == 1 || begins_.back() == 0)
            return;
        blocks<T> runs = deal(comm_, std::move(elements), counts_between(elements, bounds(elements)));
        merge(runs);
        elements = in_shares(std::move(runs.data));
    }

  private:
    /// An element that many others are compared with, and where it lies: equal ones come in the order of
    /// ranks and places.
    struct bound {
        T element;
        int rank;
        std::size_t place;
    };
    using origin = std::array<std::size_t, 2>; ///< a bound's rank and place
    static constexpr bool known_size = direct<T> && std::is_default_constructible_v<T>;
    static constexpr std::size_t samples_of_a_rank = 32; // on average

    /// Where each rank's elements begin among those of all, and at last where they end.
    std::vector<std::size_t> begins_of(std::size_t own) const {
        std::vector<std::size_t> begins{0};
        for (const std::size_t each : comm_.allgather(own))
            begins.push_back(begins.back() + each);
        return begins;
    }
    [[nodiscard]] std::size_t size_of(std::size_t rank) const { return begins_[rank + 1] - begins_[rank]; }
    /// How many samples a rank gives.
    [[nodiscard]] std::size_t samples_of(std::size_t rank) const {
        const std::size_t ranks = begins_.size() - 1;
        const double share = static_cast<double>(size_of(rank)) / static_cast<double>(begins_.back());
        const auto wanted = static_cast<std::size_t>(share * static_cast<double>(samples_of_a_rank * ranks));
        return std::min(size_of(rank), wanted + 1);
    }
    /// The places of a rank's samples in its elements: each in the middle of the part for which it stands.
    [[nodiscard]] std::vector<std::size_t> sample_places(std::size_t rank) const {
        const std::size_t count = samples_of(rank);
        std::vector<std::size_t> places(count);
        for (std::size_t i = 0; i < count; ++i)
            places[i] = (2 * i + 1) * size_of(rank) / (2 * count);
        return places;
    }

    /// The first element of each rank but the first one, nearly.
    std::vector<bound> bounds(const std::vector<T> &sorted) const {
        const auto self = static_cast<std::size_t>(comm_.rank());
        std::vector<T> own;
        own.reserve(samples_of(self));
        for (const std::size_t place : sample_places(self))
            own.push_back(sorted[place]);
        std::vector<T> elements;
        std::vector<origin> origins(begins_.size() - 2);
        if (const std::vector<T> samples = all_samples(own); self == 0) {
            elements.reserve(origins.size());
            for (std::size_t i = 0; const bound &each : chosen(samples)) {
                elements.push_back(each.element);
                origins[i++] = {static_cast<std::size_t>(each.rank), each.place};
            }
        }
        if constexpr (known_size) {
            elements.resize(origins.size());
            comm_.broadcast(elements);
        } else {
            comm_.broadcast(whole(elements));
        }
        comm_.broadcast(origins);
        std::vector<bound> found;
        for (std::size_t i = 0; i < elements.size(); ++i)
            found.push_back({elements[i], static_cast<int>(origins[i][0]), origins[i][1]});
        return found;
    }
    /// The samples of all ranks, at the root, where all know how many each has.
    std::vector<T> all_samples(const std::vector<T> &own) const {
        if constexpr (direct<T>) {
            std::vector<MPI_Count> counts;
            for (std::size_t rank = 0; rank + 1 < begins_.size(); ++rank)
                counts.push_back(static_cast<MPI_Count>(samples_of(rank)));
            return comm_.gatherv(own, {.counts = counts}).data;
        } else {
            return comm_.gatherv(own).data;
        }
    }
    /// The bounds, at the root: samples that have as many others before them as is each rank's share.
    std::vector<bound> chosen(const std::vector<T> &samples) const {
        const std::size_t ranks = begins_.size() - 1;
        std::vector<bound> all;
        all.reserve(samples.size());
        for (std::size_t rank = 0; rank < ranks; ++rank)
            for (const std::size_t place : sample_places(rank))
                all.push_back({samples[all.size()], static_cast<int>(rank), place});
        // Equal ones stay in the order of ranks and places.
        std::stable_sort(all.begin(), all.end(),
                         [&](const bound &a, const bound &b) { return before_(a.element, b.element); });
        std::vector<bound> first;
        for (std::size_t rank = 1; rank < ranks; ++rank) {
            const double share = static_cast<double>(begins_[rank]) / static_cast<double>(begins_.back());
            const auto before = static_cast<std::size_t>(share * static_cast<double>(all.size()));
            first.push_back(all[std::min(before, all.size() - 1)]);
        }
        return first;
    }

    /// How many of the caller's elements lie between two bounds, for each rank.
    std::vector<MPI_Count> counts_between(const std::vector<T> &sorted,
                                          const std::vector<bound> &bounds) const {
        std::vector<MPI_Count> counts;
        std::size_t begin = 0;
        for (const bound &each : bounds) {
            const std::size_t end = std::max(begin, elements_before(each, sorted));
            counts.push_back(static_cast<MPI_Count>(end - begin));
            begin = end;
        }
        counts.push_back(static_cast<MPI_Count>(sorted.size() - begin));
        return counts;
    }
    std::size_t elements_before(const bound &limit, const std::vector<T> &sorted) const {
        if (limit.rank == comm_.rank())
            return limit.place;
        const auto end = comm_.rank() < limit.rank
                             ? std::upper_bound(sorted.begin(), sorted.end(), limit.element, before_)
                             : std::lower_bound(sorted.begin(), sorted.end(), limit.element, before_);
        return static_cast<std::size_t>(end - sorted.begin());
    }

    /// Makes one sorted run of those that have come from the ranks.
    void merge(blocks<T> &runs) const {
        std::vector<std::ptrdiff_t> ends;
        std::ptrdiff_t end = 0;
        for (const auto count : runs.counts)
            ends.push_back(end += static_cast<std::ptrdiff_t>(count));
        const auto data = runs.data.begin();
        for (std::size_t width = 1; width < ends.size(); width *= 2) {
            for (std::size_t first = 0; first + width < ends.size(); first += 2 * width) {
                const std::size_t last = std::min(first + 2 * width, ends.size()) - 1;
                std::inplace_merge(data + (first == 0 ? 0 : ends[first - 1]), data + ends[first + width - 1],
                                   data + ends[last], before_);
            }
        }
    }

    /// Moves what lies beyond a rank's share to the rank whose share it is.
    std::vector<T> in_shares(std::vector<T> sorted) const {
        const std::vector<std::size_t> now = begins_of(sorted.size());
        if (now == begins_)
            return sorted;
        const auto self = static_cast<std::size_t>(comm_.rank());
        std::vector<MPI_Count> counts, expected;
        for (std::size_t rank = 0; rank + 1 < begins_.size(); ++rank) {
            counts.push_back(common(now, self, begins_, rank));
            expected.push_back(common(now, rank, begins_, self));
        }
        return deal(comm_, std::move(sorted), counts, &expected).data;
    }
    /// How many elements lie in the part of one rank and in that of another one.
    static MPI_Count common(const std::vector<std::size_t> &parts, std::size_t part,
                            const std::vector<std::size_t> &others, std::size_t other) {
        const std::size_t begin = std::max(parts[part], others[other]);
        const std::size_t end = std::min(parts[part + 1], others[other + 1]);
        return static_cast<MPI_Count>(begin < end ? end - begin : 0);
    }

    communicator comm_;
    Before before_;
    std::vector<std::size_t> begins_; ///< among the elements of all ranks
};

} // namespace detail

/// Sorts the elements of all ranks, as if they were one vector, those of rank 0 first: afterwards no element
/// of a rank comes before one of an earlier rank, and each rank has as many as before. Stable: equal elements
/// keep their order. Collective; `less` and `key` are as for std::ranges::sort, the same at all ranks, and
/// throw nothing. Each element is sent once to its place or near it, and at most once more.
///
///     lisle::sort(world, numbers);
///     lisle::sort(world, particles, std::greater<>{}, &particle::energy);
template <class T, class Less = std::less<>, class Key = std::identity>
void sort(const communicator &comm, std::vector<T> &elements, Less less = {}, Key key = {}) {
    const auto before = detail::order_by<T>(less, key);
    detail::sample_sort<T, std::remove_const_t<decltype(before)>>{comm, before}.run(elements);
}

} // namespace lisle
