// SPDX-License-Identifier: Apache-2.0
// One buffer for each rank: those of a list, or the blocks of an array, which then need not be listed, or one
// and the same for all. Owns nothing.
#pragma once

#include <span>

#include "protocol/buffer.hpp"

namespace lisle::collective {

class block_view {
  public:
    /// No blocks.
    block_view() noexcept = default;
    block_view(std::span<const typed_buffer> list) noexcept
        : list_{list.data()}, size_{static_cast<int>(list.size())} {}
    /// Block i begins i * first.count elements after the first.
    block_view(const typed_buffer &first, int size) noexcept
        : first_{first}, step_{first.count * first.type->extent()}, size_{size} {}
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
        // Integer arithmetic: the array may begin at MPI_BOTTOM.
        const auto address = reinterpret_cast<std::intptr_t>(first_.address) + rank * step_;
        return {reinterpret_cast<const void *>(address), first_.count, *first_.type};
    }

  private:
    const typed_buffer *list_ = nullptr;
    typed_buffer first_;
    MPI_Count step_ = 0; ///< bytes from one block to the next
    int size_ = 0;
};

} // namespace lisle::collective
