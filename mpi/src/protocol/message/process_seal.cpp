// SPDX-License-Identifier: Apache-2.0
#include "protocol/message/process_seal.hpp"

#include <chrono>
#include <sys/random.h>

namespace lisle::protocol {

std::uint64_t process_seal() noexcept {
    static const std::uint64_t drawn = [] {
        std::uint64_t value = 0;
        if (getrandom(&value, sizeof value, GRND_NONBLOCK) != sizeof value) {
            value = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) *
                    0x9e3779b97f4a7c15U;
        }
        return value;
    }();
    return drawn;
}

} // namespace lisle::protocol
