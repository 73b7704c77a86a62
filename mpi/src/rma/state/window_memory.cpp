// SPDX-License-Identifier: Apache-2.0
#include "rma/state/window_memory.hpp"

#include <algorithm>
#include <cstdlib>

#include "fabric/local/shared_heap.hpp"

namespace lisle::rma {

window_memory::window_memory(window_memory &&other) noexcept
    : memory_{std::exchange(other.memory_, nullptr)}, from_heap_{other.from_heap_} {}

window_memory &window_memory::operator=(window_memory &&other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(from_heap_, other.from_heap_);
    return *this;
}

window_memory::~window_memory() {
    if (from_heap_ && memory_ != nullptr) {
        static_cast<void>(shared_heap::release(memory_));
    } else {
        std::free(memory_);
    }
}

window_memory window_memory::allocate(shared_heap *heap, std::size_t bytes, std::size_t alignment) {
    window_memory made;
    if (heap != nullptr) {
        made.memory_ = static_cast<std::byte *>(heap->allocate(bytes));
        made.from_heap_ = made.memory_ != nullptr;
    }
    if (void *memory = nullptr;
        made.memory_ == nullptr && posix_memalign(&memory, alignment, std::max<std::size_t>(bytes, 1)) == 0) {
        made.memory_ = static_cast<std::byte *>(memory);
    }
    return made;
}

block_share &block_share::operator=(block_share &&other) noexcept {
    std::swap(medium_, other.medium_);
    std::swap(key_, other.key_);
    std::swap(sharers_, other.sharers_);
    std::swap(block_, other.block_);
    return *this;
}

block_share::~block_share() {
    if (medium_ != nullptr) {
        medium_->leave_block(key_, sharers_);
    }
}

} // namespace lisle::rma
