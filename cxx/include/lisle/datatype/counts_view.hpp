// SPDX-License-Identifier: Apache-2.0
// The ranks' counts as a program has them: numbers of any integer type, one after the other.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>

#include "lisle/detail/config.hpp"

namespace lisle {

namespace detail {
/// What counts_view can look at.
template <class R>
concept row_of_integers = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::integral<std::ranges::range_value_t<R>>;
} // namespace detail

/// A view of counts: made of a std::vector<int>, a std::array<MPI_Count, 4> and whatever else has integers in
/// a row. Owns nothing: what it was made of must live as long.
class counts_view {
  public:
    /// Goes through the counts as MPI_Count.
    class iterator {
      public:
        using value_type = MPI_Count;
        using difference_type = std::ptrdiff_t;
        using reference = MPI_Count;
        using pointer = void;
        using iterator_category = std::forward_iterator_tag;

        iterator() = default;
        iterator(const counts_view *counts, std::size_t index) noexcept : counts_{counts}, index_{index} {}
        MPI_Count operator*() const noexcept { return (*counts_)[index_]; }
        iterator &operator++() noexcept {
            ++index_;
            return *this;
        }
        iterator operator++(int) noexcept { return {counts_, index_++}; }
        friend bool operator==(const iterator &a, const iterator &b) noexcept { return a.index_ == b.index_; }

      private:
        const counts_view *counts_ = nullptr;
        std::size_t index_ = 0;
    };

    constexpr counts_view() noexcept = default;
    template <std::ranges::range R>
    requires(!std::same_as<std::remove_cvref_t<R>, counts_view>) counts_view(const R &counts)
    noexcept {
        constexpr bool usable = detail::row_of_integers<R>; // of which the compiler says no more
        static_assert(usable, "Counts are integers that lie one after the other: a "
                              "std::vector<int>, a std::array or a std::span of them.");
        if constexpr (usable) {
            first_ = std::ranges::data(counts);
            size_ = std::ranges::size(counts);
            read_ = [](const void *first, std::size_t index) {
                return static_cast<MPI_Count>(
                    static_cast<const std::ranges::range_value_t<R> *>(first)[index]);
            };
        }
    }

    /// How many counts there are.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// True if no counts are given.
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] MPI_Count operator[](std::size_t index) const noexcept { return read_(first_, index); }
    /// The first count, whatever integer type the counts have.
    [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
    /// Behind the last count.
    [[nodiscard]] iterator end() const noexcept { return {this, size_}; }

  private:
    const void *first_ = nullptr;
    std::size_t size_ = 0;
    MPI_Count (*read_)(const void *first, std::size_t index) = nullptr;
};

} // namespace lisle
