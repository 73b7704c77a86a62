// SPDX-License-Identifier: Apache-2.0
#include "runtime/copy_bytes.hpp"

namespace lisle {

// The compiler would see that this is memcpy, and call it.
[[gnu::optimize("no-tree-loop-distribute-patterns")]] void copy_by_words(std::byte *to, const std::byte *from,
                                                                         std::size_t bytes) noexcept {
    using words [[gnu::vector_size(16)]] = long long;
    std::size_t done = 0;
    for (; done + 4 * sizeof(words) <= bytes; done += 4 * sizeof(words)) {
        words first, second, third, fourth; // named each, so that they stay in registers
        std::memcpy(&first, from + done, sizeof first);
        std::memcpy(&second, from + done + 16, sizeof second);
        std::memcpy(&third, from + done + 32, sizeof third);
        std::memcpy(&fourth, from + done + 48, sizeof fourth);
        std::memcpy(to + done, &first, sizeof first);
        std::memcpy(to + done + 16, &second, sizeof second);
        std::memcpy(to + done + 32, &third, sizeof third);
        std::memcpy(to + done + 48, &fourth, sizeof fourth);
    }
    std::memcpy(to + done, from + done, bytes - done);
}

} // namespace lisle
