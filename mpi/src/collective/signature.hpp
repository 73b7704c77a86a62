// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "datatype/type_outline.hpp"
#include "mpi.h"

namespace lisle::collective {

/// What ranks must agree on in a collective call, as far as each of them says it. Plain bytes: ranks of
/// other processes read it.
struct call_signature {
    static constexpr std::int64_t unsaid = -1;

    std::uint64_t sum = 0;          ///< of all that is compared: sum_of()
    char call[24] = "a collective"; ///< the function's name without MPI_
    char operation[40] = "";        ///< the reduction's: its name, or what is known of a user's
    std::int64_t root = unsaid;     ///< unsaid also on inter-communicators
    std::int64_t bytes = unsaid;    ///< of the vector or of a block
    /// basic_type of all that the rank gives or takes, or sum of the signature of `bytes` bytes of several;
    /// 0: not said
    std::uint64_t elements = 0;

    // Of the rank, and not compared.
    std::int32_t node = 0;
    type_outline outline{};   ///< of the elements
    char place[64] = "";      ///< of the call, "MPI_Bcast at ring.c:12"; empty: not said
    std::int64_t entered = 0; ///< when the rank called, in nanoseconds of its node's clock
};

/// Equal for signatures that say the same. That of others differs, but for a chance of 1 in 2^64.
[[nodiscard]] inline std::uint64_t sum_of(const call_signature &what) noexcept {
    // A multilinear hash: its products do not wait for each other.
    constexpr std::array<std::uint64_t, 11> factors{
        0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
        0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3,
        0x1d8e4e27c47d124f, 0xeb44accab455d165, 0x9c9b0f7e3a6d1c2b};
    std::array<std::uint64_t, factors.size()> words;
    static_assert(offsetof(call_signature, node) == offsetof(call_signature, call) + sizeof words);
    std::memcpy(words.data(), reinterpret_cast<const std::byte *>(&what) + offsetof(call_signature, call),
                sizeof words);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        sum += (words[i] ^ words[i] >> 32) * factors[i];
    }
    return sum;
}

} // namespace lisle::collective
