// SPDX-License-Identifier: Apache-2.0
#include "protocol/send_buffer.hpp"

#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "runtime/error.hpp"
#include "runtime/rank_local.hpp"

namespace lisle::protocol {

namespace {

struct attached_buffer {
    std::unique_ptr<send_buffer> buffer;
};
const rank_local<attached_buffer> attached;

} // namespace

std::unique_ptr<send_buffer> &rank_send_buffer() {
    return attached->buffer;
}

void send_buffer::forget_sent() {
    // Acquire: as in wait(), see request.cpp.
    messages_.remove_if(
        [](const kept_message &kept) { return kept.operation->complete.load(std::memory_order_acquire); });
}

std::list<send_buffer::kept_message>::iterator send_buffer::find_room(MPI_Count wanted, MPI_Count &offset) {
    offset = 0;
    auto place = messages_.begin();
    for (; place != messages_.end() && place->offset - offset < wanted; ++place) {
        offset = place->offset + place->bytes;
    }
    if (place == messages_.end() && bytes_ - offset < wanted) {
        fail(MPI_ERR_BUFFER, "a message of ", wanted, " bytes does not fit into the attached buffer of ",
             bytes_, " bytes, in which ", messages_.size(), " messages wait for their receivers");
    }
    return place;
}

void send_buffer::send(const typed_buffer &buffer, const channel &channel, int dest, int tag) {
    if (dest == MPI_PROC_NULL) {
        return;
    }
    rank &self = this_rank();
    engine &mine = self.engine();
    const int number = channel.peers->member(dest);
    const MPI_Count bytes = buffer.bytes();
    const std::scoped_lock guard{mutex_};
    if (static_cast<std::size_t>(bytes) <= mine.eager_limit(number) &&
        mine.try_send_eager(buffer, {channel.context_at(dest), channel.self, tag}, number,
                            static_cast<std::size_t>(bytes)) == fabric::claim_result::claimed) {
        return;
    }
    forget_sent();
    kept_message kept{};
    kept.bytes = bytes;
    auto place = messages_.end();
    std::byte *memory = nullptr;
    if (base_ == nullptr) {
        kept.own_memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
        memory = kept.own_memory.get();
    } else {
        place = find_room(bytes, kept.offset);
        memory = base_ + kept.offset;
    }
    pack(buffer, 0, {memory, static_cast<std::size_t>(bytes)});
    kept.operation = std::make_unique<send_operation>(
        self, typed_buffer{memory, bytes, *find_datatype(MPI_BYTE)}, channel, dest, tag, send_mode::standard);
    send_operation &sending = *messages_.insert(place, std::move(kept))->operation;
    mine.announce(sending);
    mine.help(sending.dest);
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

} // namespace lisle::protocol
