// SPDX-License-Identifier: Apache-2.0
#include "collective/at_once.hpp"

#include <algorithm>

#include "collective/schedule.hpp"
#include "collective/shown.hpp"
#include "runtime/error.hpp"

namespace lisle::collective {

void at_once::reduce_shown(const op &operation, result_place place, int member, MPI_Count first,
                           const typed_buffer &to) {
    const MPI_Count elements = shown_elements(where_, to.count, *to.type);
    local_.take(
        reduce_shown_step{&operation, to, temporary(elements, *to.type).address, first, member, place});
}

const typed_buffer *at_once::keep_blocks(std::span<const typed_buffer> blocks) {
    auto copy = std::make_unique<typed_buffer[]>(blocks.size());
    std::copy(blocks.begin(), blocks.end(), copy.get());
    return blocks_.emplace_back(std::move(copy)).get();
}

typed_buffer at_once::temporary(MPI_Count count, const datatype &type) {
    const MPI_Count bytes = spread_bytes(count, type);
    return spread_over(bytes == 0 ? nullptr : allocate(bytes), count, type);
}

typed_buffer at_once::packed(MPI_Count bytes) {
    return {bytes == 0 ? nullptr : allocate(bytes), bytes, byte_type()};
}

std::byte *at_once::allocate(MPI_Count bytes) {
    constexpr std::size_t unit = alignof(std::max_align_t);
    const std::size_t units = (static_cast<std::size_t>(bytes) + unit - 1) / unit * unit;
    if (units <= sizeof near_ - near_used_) {
        near_used_ += units;
        return near_ + near_used_ - units;
    }
    return memory_.emplace_back(static_cast<std::size_t>(bytes)).get();
}

void at_once::complain() const {
    fail(local_.error(), local_.describe());
}

} // namespace lisle::collective
