// SPDX-License-Identifier: Apache-2.0
// What goes over a connection with LISLE_NETWORK_SECURITY: records, each of which is its length, its bytes
// and a tag that only the other end can make. Both directions have keys of their own, and a record's place in
// the order belongs to its tag. Nothing of a record is given out before its tag has been checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/types.h>
#include <sys/uio.h>
#include <vector>

#include "tcp/aead.hpp"
#include "tcp/greeting.hpp"

namespace lisle::tcp {

/// Not thread-safe.
class sealing {
  public:
    /// @param is the side of this end @pre greeted.is_proven(), require_openssl(). Throws std::bad_alloc.
    sealing(greeting::side is, const greeting &greeted, protection what);

    /// Like sendmsg: how many bytes it has taken, which may go then; -1, with errno: EAGAIN, or the end. Some
    /// may still wait for the kernel, see flush().
    [[nodiscard]] ssize_t send(int socket, std::span<const iovec> runs) noexcept;
    /// Lets the kernel have what waits for it. False, with errno: not all of it has gone.
    [[nodiscard]] bool flush(int socket) noexcept;
    [[nodiscard]] bool has_unsent() const noexcept { return sent_ != out_.size(); }

    /// Like recvmsg: fewer bytes than there is room for only if there are no more; 0: the end; -1, with
    /// errno: EAGAIN, EBADMSG: somebody has changed them, or the end.
    [[nodiscard]] ssize_t receive(int socket, std::span<const iovec> runs) noexcept;
    /// True if there are bytes for receive() that the kernel does not tell of.
    [[nodiscard]] bool has_rest() const noexcept { return !plain_.empty() || has_whole_record(); }

  private:
    using length = std::uint32_t;
    static constexpr std::size_t most_bytes = std::size_t{128} << 10; ///< in a record
    static constexpr std::size_t overhead = sizeof(length) + sizeof(aead::tag);

    [[nodiscard]] bool seal(std::span<const iovec> runs, std::size_t offset, std::size_t bytes) noexcept;
    [[nodiscard]] length next_length() const noexcept;
    [[nodiscard]] bool has_whole_record() const noexcept;
    [[nodiscard]] bool open_next() noexcept;
    [[nodiscard]] ssize_t fill(int socket) noexcept;

    const bool hides_;
    aead sealer_, opener_;
    std::vector<std::byte> out_; ///< a record
    std::size_t sent_ = 0;       ///< of it
    std::vector<std::byte> in_;  ///< room for some records
    std::size_t begin_ = 0, end_ = 0;
    std::span<const std::byte> plain_; ///< of the last record that was opened: not given out yet
};

} // namespace lisle::tcp
