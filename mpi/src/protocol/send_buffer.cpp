// SPDX-License-Identifier: Apache-2.0
#include "protocol/send_buffer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"
#include "protocol/engine.hpp"
#include "protocol/wait.hpp"

namespace lisle::protocol {

namespace {

struct attached_buffer {
    std::unique_ptr<send_buffer> buffer;
};
const rank_local<attached_buffer> attached;

// How often in vain a full buffer looks for news before that is an error: messages may have been received
// without the rank knowing yet, and another of its threads may be at finding out.
constexpr unsigned looks_for_room = 1000;

} // namespace

std::unique_ptr<send_buffer> &rank_send_buffer() {
    return attached->buffer;
}

void send_buffer::forget_sent() {
    // Acquire: as in wait(), see request.cpp.
    messages_.remove_if(
        [](const kept_message &kept) { return kept.operation->complete.load(std::memory_order_acquire); });
}

bool send_buffer::find_room(MPI_Count wanted, MPI_Count &offset, std::list<kept_message>::iterator &place) {
    forget_sent();
    offset = 0;
    place = messages_.begin();
    for (; place != messages_.end() && place->offset - offset < wanted; ++place) {
        offset = place->offset + place->bytes;
    }
    return place != messages_.end() || bytes_ - offset >= wanted;
}

void send_buffer::send(const typed_buffer &buffer, const channel &channel, int dest, int tag) {
    if (dest == MPI_PROC_NULL) {
        return;
    }
    engine &mine = *channel.home;
    const int number = channel.peers->member(dest);
    const MPI_Count bytes = buffer.bytes();
    // Also where the message could leave at once: whether a program is right must not depend on that.
    if (!automatic_ && bytes > bytes_) {
        fail(MPI_ERR_BUFFER, "a message of ", bytes, " bytes is larger than the attached buffer of ", bytes_,
             " bytes");
    }
    std::unique_lock lock{mutex_};
    if (mine.out().goes_unasked(mine.routes().to(number), buffer, static_cast<std::size_t>(bytes)) &&
        mine.out().try_send_eager(buffer, {channel.context_at(dest), channel.self, tag}, number,
                                  static_cast<std::size_t>(bytes)) == fabric::claim_result::claimed) {
        return;
    }
    kept_message kept{};
    kept.bytes = bytes;
    auto place = messages_.end();
    std::byte *memory = nullptr;
    if (automatic_) {
        forget_sent();
        kept.own_memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
        memory = kept.own_memory.get();
    } else {
        for (unsigned looks = 0; !find_room(bytes, kept.offset, place);) {
            const std::size_t waiting = messages_.size();
            lock.unlock();
            if (mine.progress()) {
                looks = 0;
            } else {
                ++looks;
                mine.found_nothing(); // where time is simulated, looks alone let none pass
            }
            lock.lock();
            if (looks == looks_for_room) {
                fail(MPI_ERR_BUFFER, "a message of ", bytes,
                     " bytes does not fit into the attached buffer of ", bytes_, " bytes, in which ", waiting,
                     " messages wait for their receivers");
            }
        }
        memory = base_ + kept.offset;
    }
    pack(buffer, 0, {memory, static_cast<std::size_t>(bytes)});
    kept.operation = std::make_unique<send_operation>(typed_buffer{memory, bytes, *find_datatype(MPI_BYTE)},
                                                      channel, dest, tag, send_mode::standard);
    send_operation &sending = *messages_.insert(place, std::move(kept))->operation;
    mine.announce_and_help(sending);
}

void send_buffer::flush() {
    if (!empty()) {
        wait_until(this_rank(), [this] { return empty(); });
    }
}

bool send_buffer::empty() {
    const std::scoped_lock guard{mutex_};
    forget_sent();
    return messages_.empty();
}

bool send_buffer::empty(std::uint64_t context) {
    const std::scoped_lock guard{mutex_};
    forget_sent();
    return std::ranges::none_of(
        messages_, [context](const kept_message &kept) { return kept.operation->context == context; });
}

} // namespace lisle::protocol
