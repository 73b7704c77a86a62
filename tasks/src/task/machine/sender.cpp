// SPDX-License-Identifier: Apache-2.0
#include "task/machine/sender.hpp"

#include <algorithm>

#include "task/machine/results.hpp"

namespace lisle::tasks {

namespace {

/// The elements of a sequence that a task is for.
value part_of(const value &sequence, const task &shipped) {
    if (sequence.is(object_kind::range)) {
        const std::int64_t first = sequence.as<range>().first;
        return make<range>(first + shipped.first, first + shipped.end);
    }
    std::vector<value> part;
    for (std::uint32_t i = shipped.first; i < shipped.end; ++i) {
        part.push_back(element_of(sequence, i));
    }
    return value{std::move(part)};
}

} // namespace

// The expression, the variables that it uses, or the part of the sequence that it is for.
void sender::write_task(const task &shipped, parcel &header, encoder &out) {
    const program_state &program = *shipped.variables->program;
    header.program = program.number;
    header.expression = static_cast<std::uint32_t>(shipped.expression - program.text.nodes.data());
    value_writer values{*own_.objects, own_.options.largest_inline};
    const value *const variables = shipped.variables->values();
    if (!shipped.is_range()) {
        for (const std::uint32_t slot : program.text.slots_of(*shipped.expression)) {
            values.write(variables[slot], out);
        }
        return;
    }
    header.first = 0;
    header.end = shipped.end - shipped.first;
    values.write(variables[function_slot], out);
    values.write(part_of(variables[sequence_slot], shipped), out);
}

// Takes over the task's activation: it is kept until the result comes, if the task may have to be done again.
void sender::send_task(const task &shipped, int rank, parcel header, block_pool &pool) {
    encoder out;
    write_task(shipped, header, out);
    awaited result = result_of(shipped, rank);
    if (own_.options.repeats) {
        result.kept = shipped;
    } else {
        shipped.variables->drop(pool);
    }
    header.address = expect(std::move(result));
    own_.out.send(rank, header, out.take());
}

// @return where the rank that owes it has to send it. If that has died meanwhile, others may have looked
// already at what it owes.
std::uint64_t sender::expect(awaited result) {
    const int from = result.from;
    const std::uint64_t address = own_.owed.add(std::move(result));
    if (own_.lost.has(from)) {
        own_.out.do_later([this, from] { settle(from); });
    }
    return address;
}

void sender::settle(int rank) {
    for (const placed_task &each : own_.credits.lose(rank)) {
        awaited owed = result_of(each.what, rank);
        owed.kept = each.what;
        make_good(own_, owed);
    }
    for (const awaited &owed : own_.owed.take_all(rank)) {
        make_good(own_, owed);
    }
    if (own_.credits.end_throttling()) {
        own_.tiles.wake_all();
    }
}

void sender::tell_others(const parcel &header, const std::vector<std::byte> &payload) {
    for (int rank = 0; rank < own_.ranks(); ++rank) {
        if (rank != own_.rank()) {
            own_.out.send(rank, header, payload);
        }
    }
}

void sender::dispatch(tile &from, task &placed, int target) {
    const int rank = own_.map.rank_of(target);
    if (!own_.credits.take_or_keep(rank, {placed, target})) {
        if (own_.lost.has(rank)) {
            own_.out.do_later([this, rank] { settle(rank); });
        }
        return;
    }
    parcel header{parcel_type::reference};
    header.from_tile = static_cast<std::uint32_t>(from.place().tile);
    header.to_tile = static_cast<std::uint32_t>(target);
    send_task(placed, rank, header, from.pool());
    placed.variables = nullptr;
}

void sender::refill(int rank) {
    for (placed_task next; own_.credits.take_next(rank, next);) {
        parcel header{parcel_type::reference};
        header.to_tile = static_cast<std::uint32_t>(next.tile);
        send_task(next.what, rank, header, own_.pool);
    }
    if (own_.credits.end_throttling()) {
        own_.tiles.wake_all();
    }
}

void sender::credit(int rank, bool now) {
    parcel header{parcel_type::acknowledge, static_cast<std::uint8_t>(parcel_acknowledge::credit)};
    header.count = own_.credits.owe(rank, now);
    if (header.count != 0) {
        own_.out.send(rank, header);
    }
}

void sender::send_result(int to, std::uint64_t address, const value &result) {
    parcel header{parcel_type::data, static_cast<std::uint8_t>(parcel_data::result)};
    header.address = address;
    encoder out;
    // Whole, if this rank's death is to lose nothing that another has already.
    const std::size_t most = own_.options.repeats ? ~std::size_t{0} : own_.options.largest_inline;
    value_writer{*own_.objects, most}.write(result, out);
    own_.out.send(to, header, out.take());
}

void sender::request_cell(parcel_request what, const remote_object &away, const value &given,
                          continuation then) {
    parcel header{parcel_type::request, static_cast<std::uint8_t>(what)};
    header.address = away.id;
    header.count = expect({away.owner, nullptr, 0, 1, std::move(then)});
    encoder out;
    value_writer{*own_.objects, own_.options.largest_inline}.write(given, out);
    own_.out.send(away.owner, header, out.take());
}

// Asks for an object's content. If it is bytes in one piece they come straight into the new object.
void sender::fetch(const ref<remote_object> &wanted) {
    parcel header{parcel_type::request, static_cast<std::uint8_t>(parcel_request::content)};
    header.address = wanted->id;
    const box_type *const type =
        wanted->what == object_kind::boxed ? own_.kernels.type(wanted->type) : nullptr;
    const auto arrive = [wanted](value content) { wanted->arrive(std::move(content)); };
    if (type == nullptr || type->with_room == nullptr) {
        header.count = expect({wanted->owner, nullptr, 0, 1, arrive});
        return own_.out.send(wanted->owner, header);
    }
    std::span<std::byte> room;
    ref<object> fresh = type->with_room(wanted->size, room);
    // As for other results, so that it fails if the owner dies.
    const std::uint64_t address = expect({wanted->owner, nullptr, 0, 1, arrive});
    const int channel = own_.between.expect(wanted->owner, room, [this, wanted, fresh, address] {
        own_.end.has_received(wanted->owner);
        if (own_.owed.take(address, wanted->owner)) {
            wanted->arrive(fresh);
        }
    });
    header.first = 1;
    header.end = static_cast<std::uint32_t>(channel);
    own_.out.send(wanted->owner, header);
}

void sender::ask_for_work(int rank) {
    if (own_.options.where == spread::steal && rank >= 0 && rank < own_.ranks() && rank != own_.rank() &&
        own_.requests.begin_asking(rank)) {
        own_.out.send(rank, {parcel_type::request, static_cast<std::uint8_t>(parcel_request::work)});
    }
}

bool sender::take_for_others(task &taken) {
    if (own_.tiles.shared().take(taken, shared_tasks::least::any)) {
        if (taken.expression == nullptr) {
            taken = body_of_update(*taken.to, own_.pool);
        }
        taken.is_placed = 0;
        return true;
    }
    unsigned first = 0;
    return own_.tiles.steal(nullptr, taken, first);
}

bool sender::feed_hungry() {
    bool has_fed = false;
    if (own_.tiles.size() == 1 && own_.requests.any()) { // this thread is the tile, which shares what it has
        own_.tiles[0].ready().share_all();
    }
    task stolen;
    while (own_.requests.any() && take_for_others(stolen)) {
        const int rank = own_.requests.take();
        parcel header{parcel_type::subtask};
        header.to_tile = static_cast<std::uint32_t>(own_.map.first_of(rank));
        send_task(stolen, rank, header, own_.pool);
        ++own_.tasks_given;
        has_fed = true;
    }
    return has_fed;
}

} // namespace lisle::tasks
