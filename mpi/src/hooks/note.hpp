// SPDX-License-Identifier: Apache-2.0
// What all hooks do: tell the library of an access to memory that it wants to hear of.
#pragma once

#include "base/access_filter.hpp"

namespace lisle::hooks {

extern constinit access_view view; // NOLINT(bugprone-dynamic-static-initializers): it is constinit

/// @param site where the hook returns to
[[gnu::always_inline]] inline void note(const volatile void *address, std::size_t bytes, memory_access how,
                                        const void *site) noexcept {
    access_filter *const filter = view.filter.load(std::memory_order_relaxed);
    if (filter != nullptr && filter->includes(address, bytes)) [[unlikely]] {
        lisle_note_access(filter, address, bytes, how, site);
    }
}

} // namespace lisle::hooks
