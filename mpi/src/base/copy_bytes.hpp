// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lisle {

/// True if the processor's string instruction, with which the C library and the kernel copy long data, may be
/// slow between these addresses: some AMD processors run it at a twentieth of its speed if the destination
/// lies a little behind the source, modulo a page. Buffers that malloc gives to two threads or two processes
/// often lie so.
inline bool copies_slowly(std::uintptr_t to, std::uintptr_t from) noexcept {
    return (to - from) % 4096 - 1 < 31;
}

/// For such addresses, and for destinations whose lines are in the caches of other cores.
void copy_by_words(std::byte *to, const std::byte *from, std::size_t bytes) noexcept;

/// Copies with non-temporal stores, where the processor has them; ordered before the release stores that
/// follow.
void copy_past_caches(std::byte *to, const std::byte *from, std::size_t bytes) noexcept;

/// Copies between buffers that do not overlap.
inline void copy_bytes(void *to, const void *from, std::size_t bytes) noexcept {
    constexpr std::size_t least_by_string = 2048;
    if (bytes == sizeof(std::uint64_t)) { // a number is what is copied most often
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (bytes >= least_by_string &&
               copies_slowly(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from)))
        [[unlikely]] {
        copy_by_words(static_cast<std::byte *>(to), static_cast<const std::byte *>(from), bytes);
    } else if (bytes != 0) { // the address of no data may be null
        std::memcpy(to, from, bytes);
    }
}

} // namespace lisle
