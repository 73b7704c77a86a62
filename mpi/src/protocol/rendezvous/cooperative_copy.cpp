// SPDX-License-Identifier: Apache-2.0
// How the data of a long message between two processes moves where the kernel lets each of them reach the
// other's memory and both buffers lie in one piece: the receiver offers to share the work, begins to read,
// and a sender that is in the library writes at the same time (fabric/local/cooperative_copy.hpp). The side
// that moves the last piece tells the receiver, which completes both sides. If the kernel refused a piece,
// the message comes as a stream after all.
#include "fabric/local/cooperative_copy.hpp"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/thread_sanitizer.hpp"
#include "datatype/copy.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/message/read_payload.hpp"
#include "protocol/rendezvous/announced_receives.hpp"
#include "protocol/rendezvous/announced_sends.hpp"

namespace lisle::protocol {

/// A sender's part in a copy. It holds nothing of the sender's operation, which is gone when the receiver
/// has done everything alone before this begins: then there is no piece left to take.
class announced_sends::shared_copy final : public pending_call {
  public:
    shared_copy(announced_sends &table, const offer &said, const arrival &packet, const void *data)
        : pending_call{&run_and_end}, said{said}, receiver{packet.peer},
          receiver_id{packet.what.context}, data{data}, table_{table} {}

    const offer said;
    const int receiver; ///< number in the job
    const std::uint64_t receiver_id;
    const void *const data;

  private:
    static void run_and_end(engine &, pending_call &self) {
        auto &mine = static_cast<shared_copy &>(self);
        mine.has_ended_ = mine.has_ended_ || mine.table_.take_part(mine);
        if (!mine.has_ended_ || mine.table_.report_end(mine)) {
            delete &mine;
        }
    }
    announced_sends &table_;
    bool has_ended_ = false; ///< with the last piece, which the receiver is to hear
};

namespace {

/// Moves pieces as long as there are any. @return true if the last one to end was among them
template <class Move>
bool move_pieces(fabric::cooperative_copy &copy, std::uint64_t turn, std::uint64_t bytes, Move move) {
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

/// Where so many bytes of a buffer lie; null: not in one piece.
const void *in_one_run(const typed_buffer &buffer, MPI_Count bytes) {
    std::vector<iovec> whole;
    return runs(buffer, 0, bytes, 1, whole) == bytes ? whole.front().iov_base : nullptr;
}

} // namespace

bool announced_receives::copy_cooperatively(receive_operation &receive, MPI_Count bytes) {
    const announced_message sender = receive.sender;
    const fabric::route &way = core_.self.routes.to(sender.peer);
    if (way.node == nullptr || sender.address == 0) {
        return false;
    }
    fabric::shared_memory &node = *way.node;
    fabric::cooperative_copy *const copy = node.cooperative_copy_of(core_.self.number);
    const auto total = static_cast<std::uint64_t>(bytes);
    if (copy == nullptr || total < way.limits.least_read || total > fabric::cooperative_copy::most_bytes) {
        return false;
    }
    const void *const data = in_one_run(receive.buffer, bytes);
    if (data == nullptr) {
        return false;
    }
    std::uint64_t turn = 0;
    {
        const std::scoped_lock guard{core_};
        if (copying_ != nullptr) {
            return false; // another receive of this rank is at it
        }
        turn = copy->begin(total);
        receive.streamed = receive.stream_end = 0; // so that a stray packet of data is noticed
        const offer said{sender.sender, reinterpret_cast<std::uint64_t>(data), total, turn};
        tell_number_locked(receive, [&] {
            out_.send_control_locked(
                sender.peer, {receive.id, 0, 0, static_cast<std::uint8_t>(packet_kind::offer), 0, 0, 0},
                &said, sizeof said);
        });
        copying_ = copy;
        if (total < way.limits.surely_read) {
            choice_.begin(&receive, path_choice::cooperative, core_.self.job.clock().nanoseconds());
        }
        core_.counts.add(counted::read_bytes, total);
    }
    const bool last = move_pieces(*copy, turn, total, [&](const auto &piece) {
        const iovec part = part_of(data, piece);
        return node.read(sender.peer, sender.address + piece.offset, {&part, 1});
    });
    if (last) { // otherwise the receive may be complete already
        const std::scoped_lock guard{core_};
        end_cooperative_copy_locked(receive);
    }
    return true;
}

void announced_receives::end_cooperative_copy_locked(receive_operation &receive) {
    streaming_.erase(receive.id);
    note_acquire_by_peer([this] { return copying_; });
    if (std::exchange(copying_, nullptr)->refused()) {
        ask_for_stream_locked(receive, receive.result.bytes);
        return;
    }
    choice_.end(&receive, static_cast<std::uint64_t>(receive.result.bytes), core_.self.job.clock());
    end_locked(receive);
}

void announced_sends::on_offer(const arrival &packet) {
    const auto said = read_payload<offer>(packet);
    const send_operation *const send =
        named(packet, said.sender, "offers to copy a message that was not sent to it");
    if (send == nullptr) {
        return;
    }
    if (said.bytes > static_cast<std::uint64_t>(send->buffer.bytes())) {
        refuse(packet.peer, "offers to copy more than was sent", said.bytes);
    }
    const void *const data = in_one_run(send->buffer, static_cast<MPI_Count>(said.bytes));
    if (data == nullptr) {
        refuse(packet.peer, "offers to share the copy of a message that lies in pieces", said.bytes);
    }
    core_.do_unlocked(*new shared_copy{*this, said, packet, data});
}

bool announced_sends::take_part(const shared_copy &part) {
    fabric::shared_memory *const node = core_.self.routes.to(part.receiver).node;
    fabric::cooperative_copy *const copy =
        node != nullptr ? node->cooperative_copy_of(part.receiver) : nullptr;
    if (copy == nullptr) {
        return false; // the receiver copies alone
    }
    return move_pieces(*copy, part.said.turn, part.said.bytes, [&](const auto &piece) {
        const iovec data = part_of(part.data, piece);
        return node->write(part.receiver, part.said.address + piece.offset, {&data, 1});
    });
}

bool announced_sends::report_end(shared_copy &part) {
    const std::scoped_lock guard{core_};
    try {
        out_.send_control_locked(part.receiver, {part.receiver_id, 0, 0,
                                                 static_cast<std::uint8_t>(packet_kind::written), 0, 0, 0});
        return true;
    } catch (const std::bad_alloc &) {
        out_.do_later_locked(part);
        return false;
    }
}

void announced_receives::on_written(const arrival &packet) {
    receive_operation *const receive = streaming_.find(packet.what.context);
    if (receive == nullptr || copying_ == nullptr || receive->sender.peer != packet.peer) {
        refuse(packet.peer, "reports the end of a copy that nobody waits for", packet.what.context);
    }
    end_cooperative_copy_locked(*receive);
}

} // namespace lisle::protocol
