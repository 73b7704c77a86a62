// SPDX-License-Identifier: Apache-2.0
#include "abi/known_stacks.hpp"

namespace lisle::abi {

// The stack of other functions is no memory of this one's, as the sanitizer sees it.
[[gnu::no_sanitize_address]] void stack_way::add(std::uintptr_t stack_pointer,
                                                 std::uintptr_t address) noexcept {
    const auto *const place = reinterpret_cast<const std::uintptr_t *>(stack_pointer) - 1;
    if (count_ == slots_.size() || *place != address) {
        known_ = false;
        return;
    }
    slots_[count_++] = {place, address};
}

[[gnu::no_sanitize_address]] bool stack_way::is_there() const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        if (*slots_[i].place != slots_[i].value) {
            return false;
        }
    }
    return true;
}

} // namespace lisle::abi
