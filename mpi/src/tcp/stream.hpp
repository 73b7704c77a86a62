// SPDX-License-Identifier: Apache-2.0
// A connection on which both ends have greeted, as LISLE_NETWORK_SECURITY wants it: plain, or sealed.
#pragma once

#include <cerrno>
#include <memory>
#include <span>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include "base/owned_descriptor.hpp"
#include "tcp/greeting.hpp"
#include "tcp/sealing.hpp"

namespace lisle::tcp {

/// What LISLE_NETWORK_SECURITY asks for. Throws mpi_error (MPI_ERR_OTHER) if the system has not what it
/// needs.
[[nodiscard]] protection wanted_protection();

/// Nothing here waits. Not thread-safe.
class stream {
  public:
    stream() = default;
    explicit stream(owned_descriptor socket) noexcept : socket_{std::move(socket)} {}

    /// From now on nothing goes over it but sealed, if that is wanted. Throws std::bad_alloc.
    /// @param is the side of this end @pre greeted.is_proven()
    void protect(greeting::side is, const greeting &greeted, protection what) {
        if (what != protection::none) {
            sealing_ = std::make_unique<sealing>(is, greeted, what);
        }
    }

    [[nodiscard]] int get() const noexcept { return socket_.get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
    void reset() noexcept {
        socket_.reset();
        sealing_.reset();
    }

    /// Like sendmsg. What it has taken may go, though some of it may still wait here, see flush().
    [[nodiscard]] ssize_t send(std::span<iovec> runs) noexcept {
        const msghdr plain = message_of(runs);
        return sealing_ ? sealing_->send(get(), runs) : sendmsg(get(), &plain, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    [[nodiscard]] bool has_unsent() const noexcept { return sealing_ && sealing_->has_unsent(); }
    /// Lets the kernel have what waits. False, with errno: not all of it has gone.
    [[nodiscard]] bool flush() noexcept { return !sealing_ || sealing_->flush(get()); }

    /// Like recvmsg; fails with EBADMSG if somebody has changed what the other end has sent.
    [[nodiscard]] ssize_t receive(std::span<iovec> runs) noexcept {
        msghdr plain = message_of(runs);
        return sealing_ ? sealing_->receive(get(), runs) : recvmsg(get(), &plain, MSG_DONTWAIT);
    }
    /// True if there are bytes for receive() that the kernel does not tell of.
    [[nodiscard]] bool has_rest() const noexcept { return sealing_ && sealing_->has_rest(); }

  private:
    [[nodiscard]] static msghdr message_of(std::span<iovec> runs) noexcept {
        return {nullptr, 0, runs.data(), runs.size(), nullptr, 0, 0};
    }

    owned_descriptor socket_;
    std::unique_ptr<sealing> sealing_;
};

} // namespace lisle::tcp
