// SPDX-License-Identifier: Apache-2.0
#include "base/thread_order.hpp"

#include <cstddef>
#include <sys/mman.h>

namespace lisle::thread_order {

namespace {

/// One for so many orders that two which matter hardly ever fall together. The runtime keeps something only
/// for those in use.
constexpr std::size_t places = std::size_t{1} << 20;

/// Memory without contents: only the addresses count.
struct place_table {
    std::uint64_t only; ///< where there is no address space, all orders are one
    std::uint64_t *first = &only;
    std::size_t count = 1;

    place_table() noexcept {
        void *const reserved = mmap(nullptr, places * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (reserved != MAP_FAILED) {
            first = static_cast<std::uint64_t *>(reserved);
            count = places;
        }
    }
};

std::uint64_t mix(std::uint64_t sum, std::uint64_t next) noexcept {
    sum = (sum ^ next) * 0x9e3779b97f4a7c15U;
    return sum ^ (sum >> 29);
}

} // namespace

place::place(maker what, std::uint64_t first, std::uint64_t second, std::uint64_t third,
             std::uint64_t fourth) noexcept {
    static place_table table;
    const std::uint64_t sum =
        mix(mix(mix(mix(mix(1, static_cast<std::uint64_t>(what)), first), second), third), fourth);
    address_ = table.first + sum % table.count;
}

} // namespace lisle::thread_order
