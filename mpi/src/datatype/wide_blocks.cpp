// SPDX-License-Identifier: Apache-2.0
#include "datatype/wide_blocks.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace lisle {

namespace {

constexpr std::size_t shortest = 2 * sizeof(__m256i), longest = 2048; // from there on memcpy is as fast

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load(const std::byte *from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
[[gnu::target("avx2"), gnu::always_inline]] inline void store(std::byte *to, __m256i value) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), value);
}

// Stores that cross a line are the slow ones, so they are aligned, but the first and the last. These write
// some bytes twice.
[[gnu::target("avx2"), gnu::always_inline]] inline void move_block(std::byte *to, const std::byte *from,
                                                                   std::size_t length) noexcept {
    std::byte *const end = to + length;
    const std::byte *const from_end = from + length;
    const std::size_t unaligned = -reinterpret_cast<std::uintptr_t>(to) % sizeof(__m256i);
    if (unaligned != 0) {
        store(to, load(from));
        to += unaligned;
        from += unaligned;
    }
    for (; to + shortest <= end; to += shortest, from += shortest) {
        const __m256i first = load(from), second = load(from + sizeof(__m256i));
        store(to, first);
        store(to + sizeof(__m256i), second);
    }
    if (to != end) {
        const __m256i first = load(from_end - shortest), second = load(from_end - sizeof(__m256i));
        store(end - shortest, first);
        store(end - sizeof(__m256i), second);
    }
}

} // namespace

bool moves_wide(std::size_t length) noexcept {
    static const bool can = __builtin_cpu_supports("avx2");
    return can && length >= shortest && length < longest;
}

[[gnu::target("avx2")]] void move_wide(strided_blocks to, strided_blocks from, std::size_t length,
                                       MPI_Count count) noexcept {
    for (MPI_Count i = 0; i < count; ++i) {
        move_block(to(i), from(i), length);
    }
}

} // namespace lisle

#else

namespace lisle {

bool moves_wide(std::size_t) noexcept {
    return false;
}

void move_wide(strided_blocks, strided_blocks, std::size_t, MPI_Count) noexcept {}

} // namespace lisle

#endif
