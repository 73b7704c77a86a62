// SPDX-License-Identifier: Apache-2.0
// AES-256-GCM of OpenSSL, for one direction of one connection. OpenSSL is loaded when LISLE_NETWORK_SECURITY
// first asks for it: no other job needs it, nor does the build.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/sha256.hpp"

namespace lisle::tcp {

/// Throws mpi_error (MPI_ERR_OTHER) with the way out if OpenSSL is not there.
void require_openssl();

/// Seals texts one after the other, or opens what has been sealed with the same key in the same order: the
/// n-th text has the nonce n, so none can be left out, repeated or moved. Not thread-safe.
class aead {
  public:
    using tag = std::array<std::byte, 16>;
    enum class work : std::uint8_t { seals, opens };

    /// @param key of this direction alone @pre require_openssl(). Throws std::bad_alloc.
    aead(work does, const sha256_digest &key);

    /// Begins the next text.
    [[nodiscard]] bool begin() noexcept;
    /// The next bytes of it, which are not hidden.
    [[nodiscard]] bool add_plain(std::span<const std::byte> bytes) noexcept;
    /// The next bytes of it, hidden or shown again. All plain ones come before. @param to may be where they
    /// are
    [[nodiscard]] bool add_hidden(std::span<const std::byte> bytes, std::byte *to) noexcept;
    /// The end of a text that is sealed.
    [[nodiscard]] bool finish(tag &made) noexcept;
    /// The end of a text that is opened. False: it is not what was sealed.
    [[nodiscard]] bool check(const tag &said) noexcept;

  private:
    struct release {
        void operator()(void *context) const noexcept;
    };

    work does_;
    std::unique_ptr<void, release> context_;
    std::uint64_t texts_ = 0;
};

} // namespace lisle::tcp
