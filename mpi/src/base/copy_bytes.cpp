// SPDX-License-Identifier: Apache-2.0
#include "base/copy_bytes.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace lisle {

// Otherwise the compiler recognises memcpy, and calls it. (Clang cannot be told so for one function.)
#if !defined(__clang__)
[[gnu::optimize("no-tree-loop-distribute-patterns")]]
#endif
void copy_by_words(std::byte *to, const std::byte *from, std::size_t bytes) noexcept {
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

void copy_past_caches(std::byte *to, const std::byte *from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
    constexpr std::size_t line = 64;
    const std::size_t before = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
    copy_bytes(to, from, before);
    to += before, from += before, bytes -= before;
    for (; bytes >= line; to += line, from += line, bytes -= line) {
        const auto *const source = reinterpret_cast<const __m128i *>(from);
        auto *const destination = reinterpret_cast<__m128i *>(to);
        const __m128i first = _mm_loadu_si128(source), second = _mm_loadu_si128(source + 1),
                      third = _mm_loadu_si128(source + 2), fourth = _mm_loadu_si128(source + 3);
        _mm_stream_si128(destination, first);
        _mm_stream_si128(destination + 1, second);
        _mm_stream_si128(destination + 2, third);
        _mm_stream_si128(destination + 3, fourth);
    }
    _mm_sfence(); // non-temporal stores are not ordered otherwise
#endif
    copy_bytes(to, from, bytes);
}

} // namespace lisle
