// SPDX-License-Identifier: Apache-2.0
// SHA-256 [FIPS 180-4] and HMAC-SHA256 [RFC 2104], for what ends of a connection prove to each other. Written
// here because every job of several nodes needs it, and a library of cryptography is no requirement.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lisle {

using sha256_digest = std::array<std::byte, 32>;

/// Takes bytes in, in any pieces.
class sha256 {
  public:
    void add(std::span<const std::byte> bytes) noexcept;
    /// Of all bytes that were added. Nothing may be added after it.
    [[nodiscard]] sha256_digest finish() noexcept;

  private:
    static constexpr std::size_t block_bytes = 64;

    void take_block(const std::byte *block) noexcept;

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, block_bytes> rest_{}; ///< what fills no block yet
    std::uint64_t bytes_ = 0;                   ///< that were added
};

/// HMAC-SHA256 of these pieces, one after the other. @param key at most 64 bytes
[[nodiscard]] sha256_digest hmac(std::span<const std::byte> key,
                                 std::span<const std::span<const std::byte>> pieces) noexcept;

/// Whether two digests are the same, in a time that does not tell where they differ.
[[nodiscard]] bool is_same(const sha256_digest &one, const sha256_digest &other) noexcept;

} // namespace lisle
