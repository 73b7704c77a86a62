// SPDX-License-Identifier: Apache-2.0
#include "base/caches.hpp"

#include <unistd.h>

namespace lisle {

std::size_t last_cache_bytes() noexcept {
    static const std::size_t bytes = [] {
        constexpr std::size_t common = 32U << 20U;
#if defined(_SC_LEVEL3_CACHE_SIZE)
        if (const long told = sysconf(_SC_LEVEL3_CACHE_SIZE); told > 0) {
            return static_cast<std::size_t>(told);
        }
#endif
        return common;
    }();
    return bytes;
}

} // namespace lisle
