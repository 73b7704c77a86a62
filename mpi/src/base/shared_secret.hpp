// SPDX-License-Identifier: Apache-2.0
// What only the processes of a job know, or those who were given the name of a port. It is never said on a
// connection: each end proves that it knows it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <sys/random.h>

#include "base/sha256.hpp"

namespace lisle {

/// 128 random bits. Copied as bytes from process to process.
struct shared_secret {
    std::array<std::byte, 16> bytes{};

    friend auto operator<=>(const shared_secret &, const shared_secret &) = default;

    /// What follows from it for one use, and tells nothing of it. @param use a name @param said belongs to it
    [[nodiscard]] sha256_digest derive(std::string_view use,
                                       std::span<const std::byte> said = {}) const noexcept {
        const std::array<std::span<const std::byte>, 2> pieces{std::as_bytes(std::span{use}), said};
        return hmac(bytes, pieces);
    }
    /// The same, where a word is enough.
    [[nodiscard]] std::uint64_t derive_word(std::string_view use) const noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, derive(use).data(), sizeof word);
        return word;
    }
};

/// Fills with random bytes. False: the system gives none.
[[nodiscard]] inline bool fill_at_random(std::span<std::byte> bytes) noexcept {
    return getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

/// Nothing: the system gives no random numbers.
[[nodiscard]] inline std::optional<shared_secret> make_secret() noexcept {
    shared_secret made;
    return fill_at_random(made.bytes) ? std::optional{made} : std::nullopt;
}

} // namespace lisle
