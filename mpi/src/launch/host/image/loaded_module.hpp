// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lisle::host {

/// A rank's copy of one file.
struct loaded_module {
    std::byte *base; ///< what its addresses are relative to
    std::size_t size;
    std::string name; ///< under which the loader knows it; empty: it does not
    [[nodiscard]] bool contains(const void *address) const noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base) < size;
    }
};

} // namespace lisle::host
