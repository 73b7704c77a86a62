// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/step_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace lisle::collective {

typed_buffer step_memory::temporary(MPI_Count count, const datatype &type) {
    const MPI_Count bytes = spread_bytes(count, type);
    return spread_over(bytes == 0 ? nullptr : allocate(bytes), count, type);
}

typed_buffer step_memory::packed(MPI_Count bytes) {
    return {bytes == 0 ? nullptr : allocate(bytes), bytes, byte_type()};
}

const typed_buffer *step_memory::keep_blocks(const block_view &blocks) {
    auto copy = std::make_unique<typed_buffer[]>(static_cast<std::size_t>(blocks.size()));
    for (int index = 0; index < blocks.size(); ++index) {
        copy[static_cast<std::size_t>(index)] = blocks[index];
    }
    return blocks_.emplace_back(std::move(copy)).get();
}

std::byte *step_memory::allocate(MPI_Count bytes) {
    constexpr std::size_t unit = alignof(std::max_align_t);
    const std::size_t units = (static_cast<std::size_t>(bytes) + unit - 1) / unit * unit;
    if (units <= near_.size()) {
        std::byte *const taken = near_.data();
        near_ = near_.subspan(units);
        return taken;
    }
    return memory_.emplace_back(static_cast<std::size_t>(bytes)).get();
}

MPI_Count spread_bytes(MPI_Count count, const datatype &type) noexcept {
    if (count == 0 || type.size() == 0) {
        return 0;
    }
    return type.true_extent() + std::abs((count - 1) * type.extent());
}

typed_buffer spread_over(std::byte *memory, MPI_Count count, const datatype &type) noexcept {
    if (memory == nullptr) {
        return {nullptr, count, type};
    }
    // A negative extent puts the last element at the lowest address.
    const MPI_Count lowest = type.true_lower_bound() + std::min<MPI_Count>(0, (count - 1) * type.extent());
    const auto origin = reinterpret_cast<std::intptr_t>(memory) - lowest;
    return {reinterpret_cast<const void *>(origin), count, type};
}

} // namespace lisle::collective
