// SPDX-License-Identifier: Apache-2.0
// One buffer for each rank: those of a list, or one and the same for all, or the blocks of an array, equal
// ones or as counts and displacements say. All but the first need not be listed. Owns nothing.
#pragma once

#include <concepts>
#include <span>

#include "datatype/count_list.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle::collective {

class block_view {
  public:
    /// No blocks.
    block_view() noexcept = default;
    template <class List>
    requires std::convertible_to<const List &, std::span<const typed_buffer>> block_view(const List &list)
    noexcept : block_view{std::span<const typed_buffer>{list}, 0} {}
    /// Block i begins i * first.count elements after the first.
    block_view(const typed_buffer &first, int size) noexcept
        : first_{first}, step_{first.count * first.type->extent()}, size_{size} {}
    /// Block i has counts[i] elements of the type of `origin` and begins displacements[i] of them after it.
    /// @pre no count is negative
    block_view(const typed_buffer &origin, count_list counts, count_list displacements, int size) noexcept
        : first_{origin}, counts_{counts},
          displacements_{displacements}, step_{origin.type->extent()}, size_{size} {}
    /// The same buffer for each.
    [[nodiscard]] static block_view repeated(const typed_buffer &buffer, int size) noexcept {
        block_view view{buffer, size};
        view.step_ = 0;
        return view;
    }

    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] typed_buffer operator[](int rank) const noexcept {
        if (list_ != nullptr) {
            return list_[rank];
        }
        const bool varies = !counts_.null();
        return {displaced(varies ? displacements_[rank] : rank), varies ? counts_[rank] : first_.count,
                *first_.type};
    }

    /// The same blocks of an array that begins elsewhere. @pre not those of a list
    template <class Place> [[nodiscard]] block_view moved(Place place) const noexcept {
        block_view other = *this;
        other.first_.address = place(first_.address);
        return other;
    }

  private:
    block_view(std::span<const typed_buffer> list, MPI_Count step) noexcept
        : list_{list.data()}, step_{step}, size_{static_cast<int>(list.size())} {}

    [[nodiscard]] const void *displaced(MPI_Count steps) const noexcept {
        // Integer arithmetic: the array may begin at MPI_BOTTOM.
        return reinterpret_cast<const void *>(reinterpret_cast<std::intptr_t>(first_.address) +
                                              steps * step_);
    }

    const typed_buffer *list_ = nullptr;
    typed_buffer first_;
    count_list counts_, displacements_; ///< null: all blocks are as long as the first
    MPI_Count step_ = 0;                ///< bytes from one block to the next, or of a displacement
    int size_ = 0;
};

} // namespace lisle::collective
