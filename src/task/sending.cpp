// SPDX-License-Identifier: Apache-2.0
// What leaves the rank: packets, tasks, results, requests. Tiles put all of it into the outbox, which the
// rank's own thread empties.
#include <algorithm>

#include "task/engine.hpp"

namespace lisle::tasks {

namespace {
// Of the termination detection itself, which must not keep itself going, and what follows it.
bool is_counted(const packet &header) noexcept {
    return header.type != packet_type::finish ||
           header.control == static_cast<std::uint8_t>(packet_finish::program);
}
} // namespace

void engine::send(int to, const packet &header, std::vector<std::byte> payload) {
    encoder out;
    write_header(header, out);
    out.bytes(payload.data(), payload.size());
    {
        const std::scoped_lock guard{outbox_mutex_};
        outbox_.push_back({to, out.take(), {}});
        has_outgoing_.store(true, std::memory_order_seq_cst);
    }
    if (std::this_thread::get_id() != own_thread_) {
        transport_.wake();
    }
}

void engine::do_later(std::function<void()> action) {
    {
        const std::scoped_lock guard{outbox_mutex_};
        outbox_.push_back({-1, {}, std::move(action)});
        has_outgoing_.store(true, std::memory_order_seq_cst);
    }
    if (std::this_thread::get_id() != own_thread_) {
        transport_.wake();
    }
}

void engine::flush() {
    while (has_outgoing_.load(std::memory_order_seq_cst)) {
        std::vector<outgoing> leaving;
        {
            const std::scoped_lock guard{outbox_mutex_};
            leaving.swap(outbox_);
            has_outgoing_.store(false, std::memory_order_seq_cst);
        }
        for (outgoing &each : leaving) {
            if (each.action) {
                each.action();
                continue;
            }
            decoder in{each.bytes};
            if (is_counted(read_header(in))) {
                termination_.has_sent();
            }
            ++counts_.packets_sent;
            transport_.send(each.to, std::move(each.bytes));
        }
    }
}

std::uint64_t engine::await(awaited result) {
    const std::scoped_lock guard{mutex_};
    awaited_.emplace(++last_address_, std::move(result));
    return last_address_;
}

// The expression, the variables that it uses, or the part of the sequence that it is for.
void engine::write_task(const task &shipped, packet &header, encoder &out) {
    const program_state &program = *shipped.variables->program;
    header.program = program.number;
    header.expression = static_cast<std::uint32_t>(shipped.expression - program.text.nodes.data());
    value_writer values{*keeper_, options_.largest_inline};
    if (!shipped.is_range()) {
        for (const std::uint32_t slot : program.text.slots_of(*shipped.expression)) {
            values.write(shipped.variables->values()[slot], out);
        }
        return;
    }
    header.first = 0;
    header.end = shipped.end - shipped.first;
    const value &function = shipped.variables->values()[0], &sequence = shipped.variables->values()[1];
    values.write(function, out);
    if (sequence.is(object_kind::range)) {
        const std::int64_t first = sequence.as<range>().first;
        values.write(make<range>(first + shipped.first, first + shipped.end), out);
        return;
    }
    std::vector<value> part;
    for (std::uint32_t i = shipped.first; i < shipped.end; ++i) {
        part.push_back(element_of(sequence, i));
    }
    values.write(value{std::move(part)}, out);
}

void engine::send_task(task &shipped, int rank, packet header) {
    encoder out;
    write_task(shipped, header, out);
    awaited result{rank, shipped.to, shipped.slot, 1, {}};
    if (shipped.is_range() && shipped.expression->what != op::fold) {
        result.is_list = shipped.expression->what == op::map;
        result.slot = result.is_list ? shipped.first : 0;
        result.count = shipped.end - shipped.first;
    }
    header.address = await(std::move(result));
    send(rank, header, out.take());
}

void engine::dispatch(tile &from, task &placed, int target) {
    const int rank = map_.rank_of(target);
    if (rank == transport_.rank()) {
        return post(target - map_.first_of(rank), placed);
    }
    {
        const std::scoped_lock guard{mutex_};
        const auto index = static_cast<std::size_t>(rank);
        if (under_way_[index] >= options_.credits || !waiting_for_credit_[index].empty()) {
            waiting_for_credit_[index].push_back({placed, target});
            most_waiting_ = std::max<std::uint64_t>(most_waiting_, waiting_for_credit_[index].size());
            throttled_.store(true, std::memory_order_relaxed);
            return;
        }
        ++under_way_[index];
    }
    packet header{packet_type::reference};
    header.from_tile = static_cast<std::uint32_t>(from.place().tile);
    header.to_tile = static_cast<std::uint32_t>(target);
    send_task(placed, rank, header);
    placed.variables->drop(from.pool());
    placed.variables = nullptr;
}

// There is room at a rank again.
void engine::refill(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    for (;;) {
        to_be_sent next;
        {
            const std::scoped_lock guard{mutex_};
            if (waiting_for_credit_[index].empty() || under_way_[index] >= options_.credits) {
                break;
            }
            next = waiting_for_credit_[index].front();
            waiting_for_credit_[index].pop_front();
            ++under_way_[index];
        }
        packet header{packet_type::reference};
        header.to_tile = static_cast<std::uint32_t>(next.target);
        send_task(next.placed, rank, header);
        next.placed.variables->drop(pool_);
    }
    const std::scoped_lock guard{mutex_};
    if (is_throttled() &&
        std::ranges::all_of(waiting_for_credit_, [](const auto &queue) { return queue.empty(); })) {
        throttled_.store(false, std::memory_order_relaxed);
        for (const auto &each : tiles_) {
            each->wake_if_asleep();
        }
    }
}

void engine::credit(int rank, bool now) {
    packet header{packet_type::acknowledge, static_cast<std::uint8_t>(packet_acknowledge::credit)};
    {
        const std::scoped_lock guard{mutex_};
        unsigned &owed = credit_owed_[static_cast<std::size_t>(rank)];
        ++owed;
        if (!now && owed < options_.credits / 4) {
            return;
        }
        header.count = std::exchange(owed, 0);
    }
    send(rank, header);
}

void engine::send_answer(record &answered) {
    send_result(answered.answer_rank, answered.answer, answered.values()[0]);
}

void engine::send_result(int to, std::uint64_t address, const value &result) {
    packet header{packet_type::data, static_cast<std::uint8_t>(packet_data::result)};
    header.address = address;
    encoder out;
    value_writer{*keeper_, options_.largest_inline}.write(result, out);
    send(to, header, out.take());
}

// Asks for an object's content. If it is bytes in one piece they come straight into the new object.
void engine::fetch(const ref<remote_object> &wanted) {
    packet header{packet_type::request, static_cast<std::uint8_t>(packet_request::content)};
    header.address = wanted->id;
    const box_type *const type = wanted->what == object_kind::boxed ? kernels_.type(wanted->type) : nullptr;
    if (type == nullptr || type->with_room == nullptr) {
        header.count = await(
            {wanted->owner, nullptr, 0, 1, [wanted](value content) { wanted->arrive(std::move(content)); }});
        return send(wanted->owner, header);
    }
    std::span<std::byte> room;
    ref<object> fresh = type->with_room(wanted->size, room);
    const int channel = transport_.expect(wanted->owner, room, [this, wanted, fresh] {
        termination_.has_received();
        wanted->arrive(fresh);
    });
    header.first = 1;
    header.end = static_cast<std::uint32_t>(channel);
    send(wanted->owner, header);
}

// Work for idle ranks

void engine::ask_for_work(int rank) {
    if (rank < 0 || rank >= transport_.ranks() || rank == transport_.rank() ||
        has_asked_[static_cast<std::size_t>(rank)] || options_.where != spread::steal) {
        return;
    }
    has_asked_[static_cast<std::size_t>(rank)] = true;
    send(rank, {packet_type::request, static_cast<std::uint8_t>(packet_request::work)});
}

bool engine::steal_any(task &stolen) {
    for (const auto &each : tiles_) {
        if (each->ready().steal(stolen)) {
            return true;
        }
    }
    return false;
}

bool engine::feed_hungry() {
    bool has_fed = false;
    task stolen;
    if (options_.tiles == 1 && !hungry_.empty()) { // this thread is the tile, which shares what it has
        tiles_[0]->ready().share_all();
    }
    while (!hungry_.empty() && steal_any(stolen)) {
        const int rank = hungry_.back();
        hungry_.pop_back();
        hungry_count_.store(static_cast<int>(hungry_.size()), std::memory_order_seq_cst);
        packet header{packet_type::subtask};
        header.to_tile = static_cast<std::uint32_t>(map_.first_of(rank));
        send_task(stolen, rank, header);
        stolen.variables->drop(pool_);
        ++counts_.tasks_given;
        has_fed = true;
    }
    return has_fed;
}

} // namespace lisle::tasks
