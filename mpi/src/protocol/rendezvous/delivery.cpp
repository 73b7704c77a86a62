// SPDX-License-Identifier: Apache-2.0
// A long message to another process whose rank computes: the sender claims the receive that is posted for it
// (fabric/local/published_receives.hpp), copies, and tells the receiver, which hears of it at its next call.
// What an order of messages asks for is seen in the receiver's mailbox: the announcement must lie there, and
// no message for the same receive before it. See mpi/docs/design/published-receives.md.
#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/copy_bytes.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/message/read_payload.hpp"
#include "protocol/rendezvous/announced_sends.hpp"

namespace lisle::protocol {

namespace {

// A shorter message moves faster in other ways, or has gone along with its announcement.
constexpr MPI_Count least_bytes = MPI_Count{64} << 10;
// Packets that wait in the receiver's mailbox and are looked through for an announcement.
constexpr std::uint32_t most_packets = 64;
// A receiver that says that it has seen more packets disturbs a claim.
constexpr int most_tries = 4;

fabric::published_receive receive_for(const send_operation &send) noexcept {
    fabric::published_receive wanted{};
    wanted.context = send.context;
    wanted.source = send.source;
    wanted.tag = send.tag;
    return wanted;
}

/// What a packet says. Its cell may be written anew meanwhile, which finds_since() notices.
struct seen_packet {
    fabric::packet_header header;
    announcement said;

    [[gnu::no_sanitize_thread]] static seen_packet of(const fabric::cell &packet) noexcept {
        announcement said;
        __builtin_memcpy(&said, packet.inline_payload, sizeof said);
        return {packet.header, said};
    }
};

/// True if the packet is a message: one that came whole, or an announcement.
bool is_message(std::uint8_t kind) noexcept {
    constexpr packet_kind kinds[] = {packet_kind::eager, packet_kind::strict_eager, packet_kind::announcement,
                                     packet_kind::described_eager, packet_kind::described_announcement};
    return std::ranges::any_of(kinds,
                               [kind](packet_kind each) { return static_cast<std::uint8_t>(each) == kind; });
}

} // namespace

/// A claimed receive: the copy to it, and what the receiver is told afterwards.
class announced_sends::delivery final : public pending_call {
  public:
    delivery(announced_sends &table, int receiver)
        : pending_call{&tell_again}, table_{table}, receiver_{receiver} {}

    fabric::published_receives::found receive{};
    fabric::pinned_memory place; ///< of its buffer; nowhere: the kernel copies

    [[nodiscard]] std::size_t bytes_of(const send_operation &send) const noexcept {
        return std::min(receive.what.bytes, static_cast<std::uint64_t>(send.buffer.bytes()));
    }
    /// False: not possible after all.
    [[nodiscard]] bool copy_from(const send_operation &send) noexcept {
        const std::size_t bytes = bytes_of(send);
        if (place.address() != nullptr) {
            copy_bytes(place.address(), send.buffer.address, bytes);
            place = {};
            return true;
        }
        const iovec from{send.buffer.address, bytes};
        return table_.core_.self.routes.to(receiver_).node->write(receiver_, receive.what.address,
                                                                  {&from, 1});
    }
    /// Tells the receiver, now or later. Gives the object away.
    static void report_locked(std::unique_ptr<delivery> ended, std::uint64_t message, bool copied) {
        ended->said_ = {message, ended->receive.slot, copied ? 1U : 0U};
        try {
            ended->tell_locked();
        } catch (const std::bad_alloc &) {
            ended->table_.out_.do_later_locked(*ended.release());
        }
    }

  private:
    void tell_locked() {
        table_.out_.send_control_locked(receiver_,
                                        {0, 0, 0, static_cast<std::uint8_t>(packet_kind::delivered), 0, 0, 0},
                                        &said_, sizeof said_);
    }
    static void tell_again(engine &, pending_call &self) {
        auto &mine = static_cast<delivery &>(self);
        const std::scoped_lock guard{mine.table_.core_};
        try {
            mine.tell_locked();
        } catch (const std::bad_alloc &) {
            mine.table_.out_.do_later_locked(mine);
            return;
        }
        delete &mine;
    }

    announced_sends &table_;
    const int receiver_; ///< number in the job
    delivery_report said_{};
};

bool announced_sends::is_next_for(const fabric::published_receives::found &receive,
                                  const send_operation &send) const {
    bool is_its_own = false;
    const bool found = out_.mailbox_of(send.dest)->finds_since(
        receive.what.since, most_packets, [&](const fabric::cell &packet) {
            const auto [header, said] = seen_packet::of(packet);
            if (header.context != send.context || header.source != send.source || header.tag != send.tag ||
                !is_message(header.kind)) {
                return false;
            }
            if (header.kind == static_cast<std::uint8_t>(packet_kind::announcement) &&
                header.payload_bytes == sizeof said) {
                const send_operation *const announced = out_.announced().find(said.sender);
                if (announced == nullptr || announced->delivering) {
                    return false; // it has a receive already
                }
                is_its_own = announced == &send;
            }
            return true;
        });
    return found && is_its_own;
}

std::unique_ptr<announced_sends::delivery> announced_sends::claim_receive(send_operation &send,
                                                                          unsigned looks) {
    fabric::shared_memory &node = *core_.self.routes.to(send.dest).node;
    fabric::published_receives theirs = node.receives_of(send.dest);
    // The announcement has been stored. Either the receiver finds it in its look after it has published the
    // receive, or has slept, or this finds the receive, and nobody asleep: all sequentially consistent.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    auto found = theirs.oldest(receive_for(send));
    if (!found || theirs.attended()) {
        return nullptr;
    }
    // A receiver that is there is faster, and helps.
    for (unsigned look = 0; look < looks && theirs.is_still(*found); ++look) {
    }
    auto made = std::make_unique<delivery>(*this, send.dest); // now: what follows must not fail
    const std::scoped_lock guard{core_};
    if (send.receiver_id != 0 || send.complete.load(std::memory_order_relaxed) ||
        out_.waiting().has_packets_for(send.dest)) {
        return nullptr;
    }
    for (int tries = 0; tries < most_tries; ++tries) {
        found = theirs.oldest(receive_for(send));
        if (!found || !is_next_for(*found, send)) {
            return nullptr;
        }
        made->receive = *found;
        made->place = node.pin(send.dest, found->what.address, made->bytes_of(send));
        if (made->place.address() == nullptr && node.cooperative_copy_of(send.dest) == nullptr) {
            return nullptr; // nor does the kernel reach it
        }
        if (theirs.claim(*found, send.id)) {
            send.delivering = true;
            return made;
        }
    }
    return nullptr;
}

bool announced_sends::deliver(send_operation &send, unsigned looks) {
    if (send.dest < 0 || core_.observer != nullptr || send.in_pieces || !send.buffer.type->contiguous() ||
        send.buffer.bytes() < least_bytes || out_.mailbox_of(send.dest) == nullptr ||
        send.complete.load(std::memory_order_relaxed)) {
        return false;
    }
    const fabric::route &way = core_.self.routes.to(send.dest);
    if (way.node == nullptr || way.same_address_space) {
        return false;
    }
    std::unique_ptr<delivery> claimed = claim_receive(send, looks);
    if (claimed == nullptr) {
        return false;
    }
    const bool copied = claimed->copy_from(send);
    const std::scoped_lock guard{core_};
    send.delivering = false;
    delivery::report_locked(std::move(claimed), send.id, copied);
    if (copied) {
        end_locked(send);
    } else if (failed_.any()) {
        end_failed_locked();
    }
    return copied;
}

} // namespace lisle::protocol
