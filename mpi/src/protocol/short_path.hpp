// SPDX-License-Identifier: Apache-2.0
// The fast path of a message that fits a packet's own cell, from the sender's call to the receiver's buffer:
// the operations of point_to_point.hpp, inlined into the entry points of the most frequent calls. A message
// that is long, or that cannot leave at once, takes the general path.
#pragma once

#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"

namespace lisle::protocol {

inline bool engine::try_send_short(const typed_buffer &buffer, const envelope &what, int dest,
                                   std::size_t bytes) noexcept {
    const std::uint32_t mark = buffer.type->plain_mark();
    if (!out_.is_short(mark, bytes)) {
        return false;
    }
    if (fibers_.serves_one_worker()) {
        rank *const receiver = core_.self.job.find(dest);
        if (receiver != nullptr &&
            receiver->engine().fibers_.store(static_cast<const std::byte *>(buffer.address), bytes, what,
                                             type_mark{mark}, out_.mailbox_of(dest)->claimed())) {
            return true;
        }
    }
    return out_.try_send_short(buffer, mark, what, dest, bytes);
}

template <comparison With> bool engine::try_receive_short(const typed_buffer &buffer, const envelope &pattern,
                                                          const group &peers, MPI_Status *status) {
    const bool usable =
        With == comparison::none ? buffer.type->plain_and_usual() : buffer.type->plain_mark() != 0;
    if ((!in_.is_alone() && !in_.brings_all_of(peer_named(peers, pattern.source))) || !usable ||
        waits_.has_progressors() || !core_.bare_lock().try_lock()) [[unlikely]] {
        return false;
    }
    auto *const to = static_cast<std::byte *>(buffer.address);
    const type_mark mark = With == comparison::none ? type_mark{} : buffer.type->mark();
    const wanted_elements elements{mark, With};
    const take_result result =
        take_if_idle(receives_, in_, out_, waits_, to, buffer.bytes(), pattern, status, elements);
    core_.bare_lock().unlock();
    if (result == take_result::taken) [[likely]] {
        return true;
    }
    if constexpr (With == comparison::none) {
        return result == take_result::too_early && fibers_.receive(to, buffer.bytes(), pattern, status);
    }
    short_receive wanted{to, buffer.bytes(), pattern, status, elements};
    return result == take_result::too_early && fibers_.receive(wanted);
}

void send_in_general(const typed_buffer &buffer, const channel &channel, int dest, int tag, send_mode mode);
[[nodiscard]] request *start_send_in_general(const typed_buffer &buffer, const channel &channel, int dest,
                                             int tag, send_mode mode);
/// @param posting see receive_operation
[[nodiscard]] outcome receive_in_general(const typed_buffer &buffer, const channel &channel, int source,
                                         int tag, std::uint32_t posting = 0);

/// True if the message has left.
[[nodiscard, gnu::always_inline]] inline bool try_send_short(const typed_buffer &buffer,
                                                             const channel &channel, int dest, int tag) {
    // Threads that are ranks have contexts of their own, which the general way knows.
    return dest >= 0 && channel.lanes == nullptr &&
           channel.home->try_send_short(buffer, {channel.context, channel.self, tag},
                                        channel.peers->member(dest),
                                        static_cast<std::size_t>(buffer.bytes()));
}

/// send() in the mode standard.
[[gnu::always_inline]] inline void send_quickly(const typed_buffer &buffer, const channel &channel, int dest,
                                                int tag) {
    if (!try_send_short(buffer, channel, dest, tag)) [[unlikely]] {
        send_in_general(buffer, channel, dest, tag, send_mode::standard);
    }
}

/// start_send() in the mode standard.
[[nodiscard, gnu::always_inline]] inline request *
start_send_quickly(const typed_buffer &buffer, const channel &channel, int dest, int tag) {
    if (try_send_short(buffer, channel, dest, tag)) [[likely]] {
        return channel.home->completed_send();
    }
    return start_send_in_general(buffer, channel, dest, tag, send_mode::standard);
}

/// receive() of a type that is not strict, with its outcome in `status`, which may be MPI_STATUS_IGNORE.
/// False: nothing has happened.
[[nodiscard, gnu::always_inline]] inline bool try_receive_short(const typed_buffer &buffer,
                                                                const channel &channel, int source, int tag,
                                                                MPI_Status *status) {
    return source != MPI_PROC_NULL && channel.home->try_receive_short<comparison::none>(
                                          buffer, {channel.context, source, tag}, *channel.peers, status);
}

/// start_receive()
[[nodiscard, gnu::always_inline]] inline request *
start_receive_quickly(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    engine &mine = *channel.home;
    auto *const operation = receive_operation::make(mine, buffer, {channel.context, source, tag});
    operation->keep(*buffer.type);
    if (source == MPI_PROC_NULL) [[unlikely]] {
        operation->start();
    } else {
        try {
            mine.start(*operation, *channel.peers);
        } catch (...) {
            delete operation;
            throw;
        }
    }
    return operation;
}

} // namespace lisle::protocol
