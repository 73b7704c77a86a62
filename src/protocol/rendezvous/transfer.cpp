// SPDX-License-Identifier: Apache-2.0
// How the data of announced messages moves: by one copy within a process, by copies of the kernel's between
// processes (those of both sides: transfer_cooperatively.cpp), or as a stream of packets where the kernel
// does not allow that or the data lies in pieces on the sender's side.
#include <algorithm>
#include <mutex>
#include <sched.h>
#include <vector>

#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "execution/shared_task.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/engine.hpp"

namespace lisle::protocol {

namespace {

// Within a process both sides copy messages of at least so many bytes, in such pieces, measured with bench/.
constexpr MPI_Count least_shared_copy = MPI_Count{512} << 10;
constexpr MPI_Count shared_piece = MPI_Count{256} << 10;

} // namespace

void engine::transfer(receive_operation &receive) {
    const announced_message sender = receive.sender;
    const MPI_Count bytes = std::min(receive.buffer.bytes(), static_cast<MPI_Count>(sender.bytes));
    receive.result.bytes = bytes;
    receive.result.error = bytes < static_cast<MPI_Count>(sender.bytes) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (sender.elements != 0) [[unlikely]] {
        notes_->compare_kept(receive, sender.elements, &receive);
    }
    if (sender.here()) {
        copy_here(receive, bytes);
        counts_.add(counted::copied_bytes, static_cast<std::uint64_t>(bytes));
    } else if (bytes != 0) {
        const std::byte *const data = reach(sender, bytes);
        if ((data == nullptr && prefer_stream(receive, bytes)) ||
            ((data == nullptr || bytes >= least_shared_copy) && copy_jointly(receive, bytes))) {
            return; // the side that ends it goes on
        }
        if (data != nullptr) {
            copy({data, bytes, byte_type()}, receive.buffer, 0, bytes);
            counts_.add(counted::read_bytes, static_cast<std::uint64_t>(bytes));
        } else {
            if (!read_from_peer(receive, bytes)) {
                lock_.lock();
                ask_for_stream_locked(receive, bytes);
                unlock_and_follow_up();
            }
            return;
        }
    }
    finish_sender(sender);
    complete(receive);
}

void engine::copy_here(const receive_operation &receive, MPI_Count bytes) {
    const announced_message &sender = receive.sender;
    const typed_buffer data = sender.plain() ? typed_buffer{reinterpret_cast<const void *>(sender.sender),
                                                            static_cast<MPI_Count>(sender.bytes), byte_type()}
                                             : reinterpret_cast<send_operation *>(sender.address)->buffer;
    if (bytes < least_shared_copy || job_.oversubscribed()) {
        copy(data, receive.buffer, 0, bytes);
        return;
    }
    const bool receiver_copies = &this_rank() == &owner_;
    // Another rank that waits has no part in it and would answer its own peers later.
    const lisle::rank *const helper = receiver_copies ? job_.find(sender.peer) : &owner_;
    if (helper == nullptr) {
        copy(data, receive.buffer, 0, bytes);
        return;
    }
    struct task {
        const typed_buffer &from, &to;
        MPI_Count bytes;
    } whole{data, receive.buffer, bytes};
    share_task(
        *helper, (bytes + shared_piece - 1) / shared_piece,
        [](void *context, long piece) {
            const task &mine = *static_cast<task *>(context);
            const MPI_Count offset = piece * shared_piece;
            copy(mine.from, mine.to, offset, std::min(shared_piece, mine.bytes - offset));
        },
        &whole, [] { sched_yield(); });
}

void engine::finish_sender(const announced_message &sender) {
    if (sender.here()) {
        auto &sending = *reinterpret_cast<send_operation *>(sender.address);
        if (wildcards_ != nullptr) [[unlikely]] {
            sending.home->wildcards_->note(wildcards_->moment());
        }
        sending.home->finish(sending);
    } else {
        const std::scoped_lock guard{lock_};
        tell_done_locked(sender);
    }
}

void engine::finish(send_operation &send) {
    if (send.end_if_watched()) {
        return;
    }
    lock_.lock();
    if (send.id != 0) {
        sends_.erase(send.id);
    }
    complete_locked(send);
    unlock_and_follow_up();
}

const std::byte *engine::reach(const announced_message &sender, MPI_Count bytes) {
    fabric::shared_memory *const node = routes_.to(sender.peer).node;
    return sender.address == 0 || node == nullptr
               ? nullptr
               : node->reach(sender.peer, sender.address, static_cast<std::size_t>(bytes));
}

void engine::ask_for_stream_locked(receive_operation &receive, MPI_Count bytes) {
    counts_.add(counted::streamed_bytes, static_cast<std::uint64_t>(bytes));
    if (const int error = failures_.error_locked(receive.pattern.context, receive.sender.peer);
        error != MPI_SUCCESS) [[unlikely]] {
        failures_.fail_locked(receive, error);
        return;
    }
    receive.streamed = 0;
    receive.stream_end = bytes;
    receive.id = receives_.insert(receive);
    const clearance clear{receive.sender.sender, receive.id, static_cast<std::uint64_t>(bytes)};
    send_control_locked(receive.sender.peer,
                        {0, 0, 0, static_cast<std::uint8_t>(packet_kind::clear_to_send), 0, 0, 0}, &clear,
                        sizeof clear);
}

bool engine::prefer_stream(receive_operation &receive, MPI_Count bytes) {
    const fabric::route &way = routes_.to(receive.sender.peer);
    const auto total = static_cast<std::size_t>(bytes);
    if (receive.sender.address == 0 || way.node == nullptr || total < way.limits.least_read ||
        total >= way.limits.surely_read || way.node->cooperative_copy_of(number_) == nullptr) {
        return false;
    }
    const std::scoped_lock guard{lock_};
    if (choice_.next() != path_choice::stream) {
        return false;
    }
    choice_.begin(&receive, path_choice::stream, clock_.nanoseconds());
    ask_for_stream_locked(receive, bytes);
    return true;
}

} // namespace lisle::protocol
