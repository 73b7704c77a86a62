// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "datatype/type_outline.hpp"
#include "mpi.h"

namespace lisle::collective {

/// What a rank says of the data that it gives or takes in a collective call.
struct data_claim {
    static constexpr std::int64_t unsaid = -1;

    std::int64_t bytes = unsaid; ///< of the vector, of a block, or of all blocks
    /// basic_type of all of it, or sum of the signature of `bytes` bytes of several; 0: not said
    std::uint64_t elements = 0;
    type_outline outline{}; ///< of the elements; not compared
};

/// What ranks must agree on in a collective call, as far as each of them says it. Plain bytes: ranks of
/// other processes read it.
struct call_signature {
    static constexpr std::int64_t unsaid = data_claim::unsaid;

    /// Of all that is compared: sum_of(). 0: equal to no other, for what the rank gives and takes is unlike.
    std::uint64_t sum = 0;
    char call[24] = "a collective"; ///< the function's name without MPI_
    char operation[40] = "";        ///< the reduction's: its name, or what is known of a user's
    std::int64_t root = unsaid;     ///< on inter-communicators MPI_ROOT or MPI_PROC_NULL, too
    std::uint64_t counts = 0;       ///< sum of a list that all ranks name alike; 0: there is none
    data_claim given{};             ///< data that ranks have in common count as given
    data_claim taken{};

    // Of the rank, and not compared.
    std::int32_t node = 0;
    char place[64] = "";      ///< of the call, "MPI_Bcast at ring.c:12"; empty: not said
    std::int64_t entered = 0; ///< when the rank called, in nanoseconds of its node's clock
};

/// Equal for signatures that say the same, also if one says of what it gives what the other says of what it
/// takes. That of others differs, but for a chance of 1 in 2^64. @pre what is given fits what is taken
[[nodiscard]] inline std::uint64_t sum_of(const call_signature &what) noexcept {
    // A multilinear hash: its products do not wait for each other.
    constexpr std::array<std::uint64_t, 12> factors{
        0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
        0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3,
        0x1d8e4e27c47d124f, 0xeb44accab455d165, 0x9c9b0f7e3a6d1c2b, 0xc2b2ae3d27d4eb4f};
    constexpr std::size_t head = offsetof(call_signature, given) - offsetof(call_signature, call);
    static_assert(head == (factors.size() - 2) * sizeof(std::uint64_t));
    std::array<std::uint64_t, factors.size()> words;
    std::memcpy(words.data(), reinterpret_cast<const std::byte *>(&what) + offsetof(call_signature, call),
                head);
    const data_claim &data = what.taken.bytes != data_claim::unsaid ? what.taken : what.given;
    words[words.size() - 2] = static_cast<std::uint64_t>(data.bytes);
    words[words.size() - 1] = what.given.elements != 0 ? what.given.elements : what.taken.elements;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        sum += (words[i] ^ words[i] >> 32) * factors[i];
    }
    return sum;
}

} // namespace lisle::collective
