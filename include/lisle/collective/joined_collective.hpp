// SPDX-License-Identifier: Apache-2.0
// Ranges of objects that travel as bytes (strings, maps, classes with a serialize()), of any number at each
// rank, joined or dealt out. A layer of communicator. Each rank's range is one object on the wire, so a call
// is what it is for one serialised object.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/collective.hpp"
#include "lisle/collective/reduction_details.hpp"

namespace lisle {

/// A contiguous range of objects that travel as bytes.
template <class R>
concept serialised_range = detail::range_of_serialised<R>;

class joined_collectives : public collectives {
  public:
    using collectives::allgatherv;
    using collectives::collectives;
    using collectives::gatherv;
    using collectives::scatterv;

    /// Ranges of any sizes, joined at the root, and each rank's count.
    ///
    ///     auto [names, counts] = world.gatherv(my_names);
    template <serialised_range R> [[nodiscard]] auto gatherv(const R &range, rooted with = {}) const {
        return detail::join(pieces_in<R>(gatherv(bytes_of(range), {.root = with.root})));
    }
    /// The same for all ranks.
    template <serialised_range R> [[nodiscard]] auto allgatherv(const R &range) const {
        return detail::join(pieces_in<R>(allgatherv(bytes_of(range))));
    }
    /// Deals the root's range out: `counts` says how many objects each rank gets, by default equal shares.
    /// Only the root needs to know; if its counts cannot be used all ranks throw.
    ///
    ///     std::vector<std::string> mine = world.scatterv(names);
    // (Clang 14 lets it hide the other scatterv() if the types of its parameters are the same.)
    template <serialised_range R>
    [[nodiscard]] auto scatterv(const R &all, const rooted_counts &with = {}) const {
        using object = detail::element_of<const R &>;
        std::vector<std::vector<object>> parts;
        if (rank() == with.root)
            parts =
                dealt(std::span<const object>{std::ranges::data(all), std::ranges::size(all)}, with.counts);
        return detail::serializer<std::vector<object>>::read(written_for_each(parts, with.root));
    }

  private:
    /// What a rank's range is on the wire.
    template <class R> using piece_for = std::vector<detail::element_of<const R &>>;
    template <class R> static auto bytes_of(const R &range) {
        if constexpr (std::is_same_v<R, piece_for<R>>)
            return detail::to_bytes(range);
        else
            return detail::to_bytes(piece_for<R>(std::ranges::begin(range), std::ranges::end(range)));
    }
    template <class R> static auto pieces_in(blocks<std::byte> &&written) {
        return detail::read_each<piece_for<R>>(std::move(written));
    }
    /// The root's objects for each rank; no parts if the counts cannot be used.
    template <class T>
    [[nodiscard]] std::vector<std::vector<T>> dealt(std::span<const T> all, counts_view wanted) const {
        const std::vector<MPI_Count> counts = wanted.empty()
                                                  ? detail::equal_shares(all.size(), size())
                                                  : std::vector<MPI_Count>(wanted.begin(), wanted.end());
        if (!detail::divides(counts, all.size(), size()))
            return {};
        return detail::cut(all, counts);
    }
    /// The bytes of the caller's part.
    template <class T>
    [[nodiscard]] auto written_for_each(const std::vector<std::vector<T>> &parts, int root) const {
        auto [bytes, counts] = detail::write_each(parts, rank() == root);
        if (counts.empty())
            counts.push_back(detail::refused_count); // no counts would mean equal shares
        return scatterv(bytes, {.root = root, .counts = counts});
    }
};

} // namespace lisle
