// SPDX-License-Identifier: Apache-2.0
#include "datatype/masked_runs.hpp"

#include "base/copy_bytes.hpp"

// Sanitizers do not see what masked instructions touch, so they get the ordinary copies.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>

namespace lisle {

namespace {

constexpr MPI_Count widest = 64;

[[gnu::target("avx512bw,bmi2"), gnu::always_inline]] inline void
move_run(std::byte *to, const std::byte *from, MPI_Count length) noexcept {
    if (length > widest) {
        copy_bytes(to, from, static_cast<std::size_t>(length));
        return;
    }
    const __mmask64 bytes = _bzhi_u64(~0ULL, static_cast<unsigned long long>(length));
    _mm512_mask_storeu_epi8(to, bytes, _mm512_maskz_loadu_epi8(bytes, from));
}

template <bool Pack>
[[gnu::target("avx512bw,bmi2")]] void move(std::byte *packed, const listed_runs &runs) noexcept {
    for (MPI_Count i = 0; i < runs.count; ++i) {
        auto *const run = reinterpret_cast<std::byte *>(
            runs.base + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(runs.offsets[i])));
        const MPI_Count length = runs.starts[i + 1] - runs.starts[i];
        Pack ? move_run(packed, run, length) : move_run(run, packed, length);
        packed += length;
    }
}

} // namespace

bool moves_masked() noexcept {
    static const bool can = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2");
    return can;
}

void pack_masked(std::byte *packed, const listed_runs &runs) noexcept {
    move<true>(packed, runs);
}

void unpack_masked(const std::byte *packed, const listed_runs &runs) noexcept {
    move<false>(const_cast<std::byte *>(packed), runs); // which it only reads
}

} // namespace lisle

#else

namespace lisle {

bool moves_masked() noexcept {
    return false;
}

void pack_masked(std::byte *, const listed_runs &) noexcept {}

void unpack_masked(const std::byte *, const listed_runs &) noexcept {}

} // namespace lisle

#endif
