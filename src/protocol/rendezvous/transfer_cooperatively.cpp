// SPDX-License-Identifier: Apache-2.0
// How the data of a long message between two processes moves where the kernel lets each of them reach the
// other's memory and both buffers lie in one piece: the receiver offers to share the work, begins to read,
// and a sender that is in the library writes at the same time (fabric/local/cooperative_copy.hpp). The side
// that moves the last piece tells the receiver, which completes both sides. If the kernel refused a piece,
// the message comes as a stream after all.
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/thread_sanitizer.hpp"
#include "datatype/copy.hpp"
#include "fabric/local/cooperative_copy.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/engine.hpp"
#include "protocol/handlers.hpp"
#include "protocol/refuse.hpp"

namespace lisle::protocol {

/// A sender's part in a copy. It holds nothing of the sender's operation, which is gone when the receiver
/// has done everything alone before this begins: then there is no piece left to take.
struct engine::joining final : pending_call {
    joining(const offer &said, int receiver, std::uint64_t receiver_id, const void *data)
        : pending_call{&run_and_end}, said{said}, receiver{receiver}, receiver_id{receiver_id}, data{data} {}
    static void run_and_end(engine &home, pending_call &self) {
        const std::unique_ptr<joining> mine{static_cast<joining *>(&self)};
        home.join(*mine);
    }
    offer said;
    int receiver; ///< number in the job
    std::uint64_t receiver_id;
    const void *data;
};

namespace {

/// Moves pieces as long as there are any. @return true if the last one to end was among them
template <class Move>
bool take_part(fabric::cooperative_copy &copy, std::uint64_t turn, std::uint64_t bytes, Move move) {
    bool last = false;
    for (auto piece = copy.take(turn, bytes); piece.bytes != 0; piece = copy.take(turn, bytes)) {
        const bool moved = move(piece);
        note_release_by_peer(
            &copy); // any thread of the process may be here, and the end may come from a peer
        last = copy.end(piece, moved);
    }
    return last;
}

iovec part_of(const void *data, const fabric::cooperative_copy::piece &piece) {
    return {const_cast<std::byte *>(static_cast<const std::byte *>(data)) + piece.offset, piece.bytes};
}

} // namespace

bool engine::copy_jointly(receive_operation &receive, MPI_Count bytes) {
    const announced_message sender = receive.sender;
    const fabric::route &way = routes_.to(sender.peer);
    if (way.node == nullptr || sender.address == 0) {
        return false;
    }
    fabric::shared_memory &node = *way.node;
    fabric::cooperative_copy *const copy = node.cooperative_copy_of(number_);
    const auto total = static_cast<std::uint64_t>(bytes);
    std::vector<iovec> whole;
    if (copy == nullptr || total < way.limits.least_read || total > fabric::cooperative_copy::most_bytes ||
        runs(receive.buffer, 0, bytes, 1, whole) != bytes) {
        return false;
    }
    const void *const data = whole.front().iov_base;
    std::uint64_t turn = 0;
    {
        const std::scoped_lock guard{lock_};
        if (copying_ != nullptr) {
            return false; // another receive of this rank is at it
        }
        copying_ = copy;
        turn = copy->begin(total);
        if (total < way.limits.surely_read) {
            choice_.begin(&receive, path_choice::joint, clock_.nanoseconds());
        }
        receive.id = receives_.insert(receive);
        receive.streamed = receive.stream_end = 0; // so that a stray packet of data is noticed
        const offer said{sender.sender, reinterpret_cast<std::uint64_t>(data), total, turn};
        send_control_locked(sender.peer,
                            {receive.id, 0, 0, static_cast<std::uint8_t>(packet_kind::offer), 0, 0, 0}, &said,
                            sizeof said);
        counts_.add(counted::read_bytes, total);
    }
    const bool last = take_part(*copy, turn, total, [&](const auto &piece) {
        const iovec part = part_of(data, piece);
        return node.read(sender.peer, sender.address + piece.offset, {&part, 1});
    });
    if (last) { // otherwise the receive may be complete already
        lock_.lock();
        end_joint_copy_locked(receive);
        unlock_and_follow_up();
    }
    return true;
}

void engine::end_joint_copy_locked(receive_operation &receive) {
    const announced_message sender = receive.sender;
    receives_.erase(receive.id);
    note_acquire_by_peer([this] { return copying_; });
    if (std::exchange(copying_, nullptr)->refused()) {
        ask_for_stream_locked(receive, receive.result.bytes);
        return;
    }
    choice_.end(&receive, static_cast<std::uint64_t>(receive.result.bytes), clock_);
    tell_done_locked(sender);
    complete_locked(receive);
}

void engine::handlers::on_offer(engine &home, const arrival &packet) {
    offer said{};
    if (packet.payload.size() >= sizeof said) {
        std::memcpy(&said, packet.payload.data(), sizeof said);
    }
    const send_operation &send =
        named_send(home, packet, said.sender, "offers to copy a message that was not sent to it");
    if (said.bytes > static_cast<std::uint64_t>(send.buffer.bytes())) {
        refuse(packet.peer, "offers to copy more than was sent", said.bytes);
    }
    std::vector<iovec> whole;
    if (runs(send.buffer, 0, static_cast<MPI_Count>(said.bytes), 1, whole) !=
        static_cast<MPI_Count>(said.bytes)) {
        refuse(packet.peer, "offers to share the copy of a message that lies in pieces", said.bytes);
    }
    home.do_unlocked(*new joining{said, packet.peer, packet.what.context, whole.front().iov_base});
}

void engine::join(const joining &part) {
    fabric::shared_memory *const node = routes_.to(part.receiver).node;
    fabric::cooperative_copy *const copy =
        node != nullptr ? node->cooperative_copy_of(part.receiver) : nullptr;
    if (copy == nullptr) {
        return; // the receiver copies alone
    }
    if (take_part(*copy, part.said.turn, part.said.bytes, [&](const auto &piece) {
            const iovec data = part_of(part.data, piece);
            return node->write(part.receiver, part.said.address + piece.offset, {&data, 1});
        })) {
        const std::scoped_lock guard{lock_};
        send_control_locked(
            part.receiver, {part.receiver_id, 0, 0, static_cast<std::uint8_t>(packet_kind::written), 0, 0, 0},
            nullptr, 0);
    }
}

void engine::handlers::on_written(engine &home, const arrival &packet) {
    receive_operation *const receive = home.receives_.find(packet.what.context);
    if (receive == nullptr || home.copying_ == nullptr || receive->sender.peer != packet.peer) {
        refuse(packet.peer, "reports the end of a copy that nobody waits for", packet.what.context);
    }
    home.end_joint_copy_locked(*receive);
}

} // namespace lisle::protocol
