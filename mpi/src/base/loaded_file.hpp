// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

namespace lisle {

/// Where the loaded file that an address lies in begins in memory; null: it lies in none. Takes no lock.
[[nodiscard]] inline const void *begin_of_file(const void *address) noexcept {
    dl_find_object found{};
    return _dl_find_object(const_cast<void *>(address), &found) == 0 ? found.dlfo_map_start : nullptr;
}

} // namespace lisle
