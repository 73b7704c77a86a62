// SPDX-License-Identifier: Apache-2.0
#include "collective/executor.hpp"

#include "collective/shown.hpp"
#include "datatype/copy.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "runtime/error.hpp"
#include "runtime/rank.hpp"

namespace lisle::collective {

executor::executor(schedule plan, int tag)
    : plan_{std::move(plan)}, tag_{tag}, requests_(plan_.steps().size(), nullptr) {
    if (plan_.on_board() != nullptr) {
        number_ = plan_.on_board()->begin();
    }
}

executor::~executor() {
    for (auto *const request : requests_) {
        if (request != nullptr) {
            protocol::wait(*request);
            request->free();
        }
    }
}

void executor::restart() noexcept {
    next_ = 0;
    settled_ = 0;
    error_ = MPI_SUCCESS;
}

bool executor::advance() {
    const auto steps = plan_.steps();
    waiting_for_ = none;
    while (next_ < steps.size()) {
        if (!std::visit([this](const auto &step) { return take(step); }, steps[next_])) {
            return false;
        }
        ++next_;
    }
    return settle_all();
}

void executor::run() {
    while (!advance()) {
        if (waiting_for_ != none) {
            protocol::wait(*requests_[waiting_for_]);
        } else {
            protocol::wait_until(this_rank(), [this] { return advance() || waiting_for_ != none; });
        }
    }
}

bool executor::take(const send_step &send) {
    requests_[next_] = protocol::start_send(send.buffer, *send.channel, send.peer, tag_);
    return true;
}

bool executor::take(const receive_step &receive) {
    requests_[next_] = protocol::start_receive(receive.buffer, *receive.channel, receive.peer, tag_);
    return true;
}

bool executor::take(const copy_step &copied) {
    lisle::copy(copied.from, copied.to, 0, copied.from.bytes());
    return true;
}

bool executor::take(const reduce_step &reduced) {
    reduced.operation->apply(reduced.in.address, reduced.inout.address, reduced.inout.count,
                             *reduced.inout.type);
    return true;
}

bool executor::take(const await_step &await) {
    return settle(await.awaited);
}

bool executor::take(const await_all_step &) {
    return settle_all();
}

bool executor::take(const enter_step &) {
    return plan_.on_board()->may_enter(number_);
}

bool executor::take(const post_step &post) {
    plan_.on_board()->post(number_, post.data);
    return true;
}

bool executor::take(const show_step &show) {
    plan_.on_board()->post(number_, show.shown);
    return true;
}

template <class Predicate> bool executor::all_of(int first, int last, Predicate there) {
    for (; first + seen_ < last; ++seen_) {
        if (!there(first + seen_)) {
            return false;
        }
    }
    seen_ = 0;
    return true;
}

bool executor::take(const await_posts_step &await) {
    board &where = *plan_.on_board();
    if (!all_of(await.first, await.last, [&](int member) { return where.posted(number_, member); })) {
        return false;
    }
    if (await.first == 0 && await.last == where.members()) {
        where.note_all_posted(number_);
    }
    return true;
}

bool executor::take(const take_step &taken) {
    const auto data = plan_.on_board()->data(number_, taken.peer);
    if (data.size() != taken.expected) {
        note_error(MPI_ERR_TRUNCATE, taken.peer);
    } else {
        unpack(taken.to, 0, data.subspan(taken.offset, static_cast<std::size_t>(taken.to.bytes())));
    }
    return true;
}

bool executor::take(const reduce_posts_step &reduced) {
    board &where = *plan_.on_board();
    for (int member = reduced.first; member < reduced.last; ++member) {
        if (where.data(number_, member).size() != reduced.expected) {
            note_error(MPI_ERR_TRUNCATE, member);
            return true;
        }
    }
    reduce_posts(where, number_, reduced);
    return true;
}

bool executor::take(const finish_step &finish) {
    plan_.on_board()->finish(number_, finish.awaited);
    return true;
}

bool executor::take(const await_finished_step &await) {
    const board &where = *plan_.on_board();
    return all_of(await.first, await.last, [&](int member) { return where.finished(number_, member); });
}

namespace {

/// The part of a peer's card that a step means, seen by member `self`.
const typed_buffer &part_of(const typed_buffer &whole, const card &shown, card_part what, int self) {
    return what == card_part::whole ? whole : shown.blocks[self];
}

} // namespace

bool executor::take(const read_step &read) {
    const board &where = *plan_.on_board();
    const card shown = where.card_of(number_, read.peer);
    const typed_buffer &from = part_of(shown.give, shown, read.what, where.self());
    // The buffers of both sides have the same size, but for errors of the user's.
    if (from.bytes() != read.to.bytes()) {
        note_error(MPI_ERR_TRUNCATE, read.peer);
    } else {
        lisle::copy(from, read.to, read.offset, read.length);
    }
    return true;
}

bool executor::take(const write_step &write) {
    const board &where = *plan_.on_board();
    const card shown = where.card_of(number_, write.peer);
    const typed_buffer &to = part_of(shown.take, shown, write.what, where.self());
    if (to.bytes() != write.from.bytes()) {
        note_error(MPI_ERR_TRUNCATE, write.peer);
    } else {
        lisle::copy(write.from, to, write.offset, write.length);
    }
    return true;
}

bool executor::take(const reduce_shown_step &reduced) {
    const board &where = *plan_.on_board();
    const int short_one = reduce_shown(where, number_, reduced, where.members());
    if (short_one >= 0) {
        note_error(MPI_ERR_TRUNCATE, short_one);
    }
    return true;
}

void executor::note_error(int error, int peer) noexcept {
    if (error_ == MPI_SUCCESS) {
        error_ = error;
        failed_ = next_;
        failed_peer_ = peer;
    }
}

std::string executor::describe() const {
    const step &failed = plan_.steps()[failed_];
    if (const auto *const receive = std::get_if<receive_step>(&failed)) {
        return error_ == MPI_ERR_TRUNCATE
                   ? sentence("rank ", receive->peer, " sent more than the ", receive->buffer.bytes(),
                              " bytes that this rank expects from it: counts or types differ among the ranks")
                   : sentence("receiving from rank ", receive->peer, " failed with error class ", error_);
    }
    if (const auto *const send = std::get_if<send_step>(&failed)) {
        return sentence("sending to rank ", send->peer, " failed with error class ", error_);
    }
    return sentence("rank ", failed_peer_,
                    " gives or takes another number of bytes than this rank expects of it: counts or types "
                    "differ among the ranks");
}

int executor::failed_peer() const {
    const step &failed = plan_.steps()[failed_];
    if (const auto *const receive = std::get_if<receive_step>(&failed)) {
        return receive->peer;
    }
    const auto *const send = std::get_if<send_step>(&failed);
    return send != nullptr ? send->peer : failed_peer_;
}

bool executor::settle(step_index index) {
    auto *&request = requests_[index];
    if (request == nullptr) {
        return true;
    }
    // Pairs with the release store of whoever completes the request.
    if (!request->complete.load(std::memory_order_acquire)) {
        waiting_for_ = index;
        return false;
    }
    if (error_ == MPI_SUCCESS && request->result.error != MPI_SUCCESS) {
        error_ = request->result.error;
        failed_ = index;
    }
    request->free();
    request = nullptr;
    return true;
}

bool executor::settle_all() {
    while (settled_ < next_) {
        if (!settle(settled_)) {
            return false;
        }
        ++settled_;
    }
    return true;
}

} // namespace lisle::collective
