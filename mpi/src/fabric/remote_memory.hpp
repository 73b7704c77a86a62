// SPDX-License-Identifier: Apache-2.0
// Copies between the memory of this process and that of a peer, without the peer's help: what a fabric may
// have besides packets. The owner of memory registers it and tells the key to its peers; they start copies,
// which end at once or later, while the endpoint is polled. The engine reads a message so if both directions
// between two ranks go over one fabric, or one of the two has no remote memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/uio.h>

namespace lisle::fabric {

/// Names registered memory to those who copy from or to it, along with its address.
using memory_key = std::uint64_t;

/// Memory of a peer.
struct remote_place {
    int peer;              ///< number in the job
    std::uint64_t address; ///< in the peer's own terms
    memory_key key;        ///< as the peer has told it
};

enum class copy_start : std::uint8_t {
    done,      ///< the bytes have been copied; the completion hears nothing
    under_way, ///< the completion hears of the end, and may have already
    full,      ///< no room now: nothing has happened, try again after some progress
    refused,   ///< not possible: nothing has happened, find another way for this place
};

/// Hears of the end of copies. Told from poll() of the endpoint that has started them, under its rules.
class copy_completion {
  public:
    /// @param moved false: the copy failed, and the bytes at its target mean nothing
    virtual void copied(bool moved) = 0;

  protected:
    ~copy_completion() = default;
};

/// Thread-safe, like claiming and publishing packets.
class remote_memory {
  public:
    /// Lets the peers that the fabric reaches copy from and to these bytes until withdraw(). Nothing: not
    /// possible. Registering the same memory again and again is to be cheap: a fabric for which it is not
    /// keeps a cache.
    [[nodiscard]] virtual std::optional<memory_key> expose(const void *memory,
                                                           std::size_t bytes) noexcept = 0;
    /// @pre no copy that uses the key is under way
    virtual void withdraw(memory_key key) noexcept = 0;

    /// Copies from one run of a peer's memory into `to`.
    /// @param self the endpoint whose poll() ends it @param to may go when the call returns
    [[nodiscard]] virtual copy_start start_read(int self, const remote_place &from, std::span<const iovec> to,
                                                copy_completion &end) noexcept = 0;
    /// Copies to one run of a peer's memory.
    [[nodiscard]] virtual copy_start start_write(int self, const remote_place &to,
                                                 std::span<const iovec> from,
                                                 copy_completion &end) noexcept = 0;

  protected:
    ~remote_memory() = default;
};

} // namespace lisle::fabric
