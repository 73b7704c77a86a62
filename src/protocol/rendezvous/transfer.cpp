// SPDX-License-Identifier: Apache-2.0
// How the data of announced messages moves: by one copy within a process, by copies of the kernel's between
// processes (those of both sides: transfer_jointly.cpp), or as a stream of packets where the kernel does not
// allow that or the data lies in pieces on the sender's side.
#include <algorithm>
#include <mutex>
#include <sched.h>
#include <vector>

#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "execution/shared_task.hpp"

namespace lisle::protocol {

namespace {

// Pieces of a receive buffer that one system call fills.
constexpr std::size_t most_runs = 1024;
// Shorter ones, on average, cost the kernel more than a stream costs.
constexpr MPI_Count least_run = 4096;
// Packets that one round of progress may add to a stream: others want the lock, too.
constexpr int stream_batch = 4;
// Within a process both sides copy messages of at least so many bytes, in such pieces, measured with bench/.
constexpr MPI_Count least_shared_copy = MPI_Count{512} << 10;
constexpr MPI_Count shared_piece = MPI_Count{256} << 10;

} // namespace

void engine::transfer(receive_operation &receive) {
    const announcement sender = receive.sender;
    const MPI_Count bytes = std::min(receive.buffer.bytes(), static_cast<MPI_Count>(sender.bytes));
    receive.result.bytes = bytes;
    receive.result.error = bytes < static_cast<MPI_Count>(sender.bytes) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (lies_here(sender)) {
        copy_here(receive, bytes);
        counts_.add(counted::copied_bytes, static_cast<std::uint64_t>(bytes));
    } else if (bytes != 0) {
        const std::byte *const data = reach(sender, bytes);
        if ((data == nullptr && prefer_stream(receive, bytes)) ||
            ((data == nullptr || bytes >= least_shared_copy) && copy_jointly(receive, bytes))) {
            return; // whoever ends it goes on
        }
        if (data != nullptr) {
            copy({data, bytes, byte_type()}, receive.buffer, 0, bytes);
            counts_.add(counted::read_bytes, static_cast<std::uint64_t>(bytes));
        } else if (!read_from_peer(receive, bytes)) {
            const std::scoped_lock guard{lock_};
            ask_for_stream_locked(receive, bytes);
            return;
        }
    }
    finish_sender(sender);
    complete(receive);
}

void engine::copy_here(const receive_operation &receive, MPI_Count bytes) {
    const announcement &sender = receive.sender;
    const typed_buffer data = sender.plain != 0
                                  ? typed_buffer{reinterpret_cast<const void *>(sender.sender),
                                                 static_cast<MPI_Count>(sender.bytes), byte_type()}
                                  : reinterpret_cast<send_operation *>(sender.address)->buffer;
    const bool receiver_copies = &this_rank() == &owner_;
    // Whoever else waits has no part in it and would answer its own peers later.
    const lisle::rank *const helper = receiver_copies ? job_.find(sender.rank) : &owner_;
    if (bytes < least_shared_copy || job_.oversubscribed() || helper == nullptr) {
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

void engine::finish_sender(const announcement &sender) {
    if (lies_here(sender)) {
        auto &sending = *reinterpret_cast<send_operation *>(sender.address);
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

const std::byte *engine::reach(const announcement &sender, MPI_Count bytes) {
    return sender.address == 0
               ? nullptr
               : routes_.to(sender.rank).reach(sender.rank, sender.address, static_cast<std::size_t>(bytes));
}

bool engine::read_from_peer(receive_operation &receive, MPI_Count bytes) {
    const announcement &sender = receive.sender;
    auto &fabric = routes_.to(sender.rank);
    if (sender.address == 0 || static_cast<std::size_t>(bytes) < fabric.limits().least_read) {
        return false;
    }
    std::vector<iovec> pieces;
    for (MPI_Count offset = 0; offset < bytes;) {
        pieces.clear();
        const MPI_Count covered = runs(receive.buffer, offset, bytes - offset, most_runs, pieces);
        if (covered < static_cast<MPI_Count>(pieces.size()) * least_run ||
            !fabric.read(sender.rank, sender.address + static_cast<std::uint64_t>(offset), pieces)) {
            return false;
        }
        offset += covered;
    }
    counts_.add(counted::read_bytes, static_cast<std::uint64_t>(bytes));
    return true;
}

void engine::ask_for_stream_locked(receive_operation &receive, MPI_Count bytes) {
    counts_.add(counted::streamed_bytes, static_cast<std::uint64_t>(bytes));
    receive.streamed = 0;
    receive.stream_end = bytes;
    receive.id = receives_.insert(receive);
    const clearance clear{receive.sender.sender, receive.id, static_cast<std::uint64_t>(bytes)};
    send_control_locked(receive.sender.rank,
                        {0, 0, 0, static_cast<std::uint8_t>(packet_kind::clear_to_send), 0, 0, 0}, &clear,
                        sizeof clear);
}

bool engine::prefer_stream(receive_operation &receive, MPI_Count bytes) {
    auto &fabric = routes_.to(receive.sender.rank);
    const auto total = static_cast<std::size_t>(bytes);
    if (receive.sender.address == 0 || total < fabric.limits().least_read ||
        total >= fabric.limits().surely_read || fabric.cooperative_copy_of(number_) == nullptr) {
        return false;
    }
    const std::scoped_lock guard{lock_};
    if (choice_.next() != path_choice::stream) {
        return false;
    }
    choice_.begin(&receive, path_choice::stream);
    ask_for_stream_locked(receive, bytes);
    return true;
}

std::optional<std::size_t> engine::try_stream(send_operation &send, const typed_buffer &from,
                                              MPI_Count offset, std::size_t most) {
    auto &fabric = routes_.to(send.dest);
    const std::size_t bytes = std::min(most, fabric.limits().largest_payload);
    fabric::packet_slot slot{};
    if (fabric.try_claim(send.dest, bytes, true, slot) != fabric::claim_result::claimed) {
        return std::nullopt;
    }
    *slot.header = {send.receiver_id,
                    0,
                    0,
                    static_cast<std::uint8_t>(packet_kind::data),
                    0,
                    0,
                    static_cast<std::uint32_t>(bytes)};
    if (from.type->contiguous()) {
        fabric.fill(send.dest, slot, static_cast<const std::byte *>(from.address) + offset, bytes);
    } else {
        pack(from, offset, {slot.payload, bytes});
    }
    fabric.publish(send.dest, slot);
    send.streamed += static_cast<MPI_Count>(bytes);
    return bytes;
}

void engine::end_stream_locked(send_operation &send) {
    sends_.erase(send.id);
    complete_locked(send);
}

bool engine::push_streams_locked() {
    bool any = false;
    for (std::size_t i = 0; i < streams_.size();) {
        send_operation &send = *streams_[i];
        bool room = true;
        for (int packets = 0; packets < stream_batch && room && send.streamed < send.stream_end; ++packets) {
            const auto left = static_cast<std::size_t>(send.stream_end - send.streamed);
            room = try_stream(send, send.buffer, send.streamed, left).has_value();
            any |= room;
        }
        if (send.streamed == send.stream_end) {
            streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
            count_waiting_locked();
            end_stream_locked(send);
        } else {
            ++i;
        }
    }
    return any;
}

} // namespace lisle::protocol
