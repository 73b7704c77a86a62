// SPDX-License-Identifier: Apache-2.0
// What arrives: each packet is checked and turned into a task, a value in its place, or an answer. Runs on
// the rank's own thread and evaluates nothing itself.
#include <algorithm>

#include "task/engine.hpp"

namespace lisle::tasks {

namespace {

void write_datum(const datum &given, encoder &out, value_writer &values) {
    out.number(given.is);
    out.number(given.where);
    out.string(given.symbol);
    values.write(given.constant, out);
    for (const auto *part : {&given.items, &given.tile, &given.rank}) {
        out.number<std::uint64_t>(part->size());
        for (const datum &item : *part) {
            write_datum(item, out, values);
        }
    }
}

datum read_datum(decoder &in, value_reader &values, int depth = 0) {
    if (depth > 10000) {
        throw std::runtime_error{"a program in a packet is nested more than 10000 times"};
    }
    datum made;
    made.is = in.number<datum::kind>();
    made.where = in.number<place>();
    made.symbol = in.string();
    made.constant = values.read(in);
    for (auto *part : {&made.items, &made.tile, &made.rank}) {
        const std::size_t count = in.count(1);
        for (std::size_t i = 0; i < count; ++i) {
            part->push_back(read_datum(in, values, depth + 1));
        }
    }
    return made;
}

[[noreturn]] void refuse(int from, const std::string &why) {
    throw std::runtime_error{"from rank " + std::to_string(from) + ": " + why};
}

} // namespace

void engine::write_source(const source &program, encoder &out, value_writer &values) {
    out.string(program.file);
    out.number<std::uint64_t>(program.forms.size());
    for (const datum &form : program.forms) {
        write_datum(form, out, values);
    }
}

value_reader engine::reader_of(int from) {
    return {*keeper_, kernels_, [this](std::uint64_t number) -> program_state & { return program(number); },
            from};
}

void engine::receive(int from, std::span<const std::byte> bytes) {
    decoder in{bytes};
    const packet header = read_header(in);
    ++counts_.packets_received;
    if (header.type != packet_type::finish ||
        header.control == static_cast<std::uint8_t>(packet_finish::program)) {
        termination_.has_received();
    }
    switch (header.type) {
    case packet_type::code:
        return receive_code(from, header, in);
    case packet_type::subtask:
        has_asked_[static_cast<std::size_t>(from)] = false;
        return receive_task(from, header, in);
    case packet_type::reference:
        return receive_task(from, header, in);
    case packet_type::data:
        switch (static_cast<packet_data>(header.control)) {
        case packet_data::result:
            return receive_result(from, header, in);
        case packet_data::content:
            return receive_content(from, header, in);
        case packet_data::trace:
            return receive_trace(in);
        }
        return;
    case packet_type::request:
        return receive_request(from, header, in);
    case packet_type::acknowledge:
        return receive_acknowledgement(from, header);
    case packet_type::finish:
        return receive_finish(from, header, in);
    case packet_type::error:
        refuse(from, in.string());
    }
}

void engine::receive_code(int from, const packet &header, decoder &in) {
    source written;
    written.file = in.string();
    value_reader values = reader_of(from);
    for (std::size_t left = in.count(1); left > 0; --left) {
        written.forms.push_back(read_datum(in, values));
    }
    if (load(header.program, written).text.hash != header.count) {
        encoder out;
        out.string("program " + std::to_string(header.program) +
                   " has become other code here than on its gateway");
        return send(from, {packet_type::error}, out.take());
    }
    // Before the acknowledgement, so that the gateway knows it when the program begins.
    if (std::ranges::all_of(tiles_, [](const auto &each) { return each->waiting() == 0; })) {
        ask_for_work(from);
    }
    packet answer{packet_type::acknowledge, static_cast<std::uint8_t>(packet_acknowledge::code)};
    answer.program = header.program;
    send(from, answer);
}

void engine::receive_task(int from, const packet &header, decoder &in) {
    program_state &owner = program(header.program);
    const code &text = owner.text;
    if (header.expression >= text.nodes.size()) {
        refuse(from, "a task is expression " + std::to_string(header.expression) + " of a program that has " +
                         std::to_string(text.nodes.size()));
    }
    const int first = map_.first_of(transport_.rank());
    const int target = static_cast<int>(header.to_tile) - first;
    if (target < 0 || target >= options_.tiles) {
        refuse(from, "a task is for tile " + std::to_string(header.to_tile) + ", which is not on this rank");
    }
    const node &expression = text.nodes[header.expression];
    const bool is_sequence =
        expression.what == op::map || expression.what == op::each || expression.what == op::fold;
    value_reader values = reader_of(from);
    record *to = record::make(pool_, 1, 1);
    to->kind = record_kind::answer;
    to->program = &owner;
    to->answer = header.address;
    to->answer_rank = from;
    task made{&expression, nullptr, to, 0};
    if (header.end == 0) {
        made.variables = frame::make(pool_, text.functions[expression.function].frame, &owner);
        for (const std::uint32_t slot : text.slots_of(expression)) {
            made.variables->values()[slot] = values.read(in);
        }
    } else {
        made.variables = frame::make(pool_, 2, &owner);
        made.variables->values()[0] = values.read(in);
        made.variables->values()[1] = values.read(in);
        if (!is_sequence || !made.variables->values()[0].is(object_kind::closure) ||
            length_of(made.variables->values()[1]) != header.end) {
            refuse(from, "a task over a sequence has no function or a wrong number of elements");
        }
        made.end = header.end;
        if (expression.what != op::fold) {
            record *const parts = record::make(pool_, expression.what == op::map ? made.end : 1, made.end);
            parts->kind = expression.what == op::map ? record_kind::expression : record_kind::discard;
            parts->expression = &expression;
            parts->program = &owner;
            parts->to = to;
            made.to = parts;
        }
    }
    if (header.type == packet_type::reference) {
        made.is_placed = 2 + static_cast<std::uint32_t>(from); // take_post() gives the credit back
        tiles_[static_cast<std::size_t>(target)]->post(made);
    } else {
        post_anywhere(made);
    }
}

void engine::receive_result(int from, const packet &header, decoder &in) {
    awaited expected{};
    {
        const std::scoped_lock guard{mutex_};
        const auto found = awaited_.find(header.address);
        if (found == awaited_.end() || found->second.from != from) {
            refuse(from, "a result for address " + std::to_string(header.address) +
                             ", where none is awaited from it");
        }
        expected = std::move(found->second);
        awaited_.erase(found);
    }
    fill(expected, reader_of(from).read(in));
}

void engine::receive_content(int from, const packet &header, decoder &in) {
    receive_result(from, header, in);
}

// Puts what another rank has computed where it is awaited.
void engine::fill(const awaited &expected, value result) {
    if (expected.then) {
        return expected.then(std::move(result));
    }
    record &waiting = *expected.to;
    const bool has_failed = result.is(object_kind::failure);
    if (waiting.kind == record_kind::discard) {
        if (has_failed && std::atomic_ref{waiting.step}.exchange(1, std::memory_order_relaxed) == 0) {
            waiting.values()[0] = std::move(result);
        }
    } else if (expected.is_list && !has_failed) {
        if (length_of(result) != expected.count) {
            throw std::runtime_error{"a part of a map has come back with a wrong number of results"};
        }
        for (std::uint32_t i = 0; i < expected.count; ++i) {
            waiting.values()[expected.slot + i] = result.as<list>().items[i];
        }
    } else {
        waiting.values()[expected.slot] = std::move(result);
    }
    // As in tile::deliver.
    if (waiting.missing.fetch_sub(expected.count, std::memory_order_acq_rel) == expected.count) {
        const task complete{nullptr, nullptr, &waiting};
        if (waiting.home >= 0) {
            post(waiting.home, complete);
        } else {
            post_anywhere(complete);
        }
    }
}

void engine::receive_request(int from, const packet &header, decoder &in) {
    switch (static_cast<packet_request>(header.control)) {
    case packet_request::work:
        hungry_.push_back(from);
        hungry_count_.store(static_cast<int>(hungry_.size()), std::memory_order_seq_cst);
        feed_hungry();
        return;
    case packet_request::content:
        return send_content(from, header);
    default:
        return receive_cell_request(from, header, in);
    }
}

void engine::send_content(int to, const packet &request) {
    const ref<object> kept = keeper_->find(request.address);
    if (!kept) {
        refuse(to, "a request for object " + std::to_string(request.address) + ", which is not kept here");
    }
    const auto answer = [this, to, request](const value &known) {
        if (request.first == 0) {
            packet header{packet_type::data, static_cast<std::uint8_t>(packet_data::content)};
            header.address = request.count;
            encoder out;
            if (known.is(object_kind::failure)) {
                value_writer{*keeper_, ~std::size_t{0}}.write(known, out);
            } else {
                value_writer::write_content(known, out);
            }
            return send(to, header, out.take());
        }
        const auto &box = known.as<boxed_object>();
        termination_.has_sent();
        transport_.send_from(to, static_cast<int>(request.end), box.type().bytes(box),
                             ref<object>{known.shared()});
    };
    const value known{kept};
    if (has_to_be_fetched(known)) { // it came from a third rank
        auto &other = known.as<remote_object>();
        other.when_here([this, answer, known] { do_later([answer, known] { answer(here(known)); }); });
    } else {
        answer(here(known));
    }
}

void engine::receive_cell_request(int from, const packet &header, decoder &in) {
    const ref<object> kept = keeper_->find(header.address);
    if (!kept) {
        refuse(from, "a request for object " + std::to_string(header.address) + ", which is not kept here");
    }
    use_cell(static_cast<packet_request>(header.control), value{kept}, reader_of(from).read(in),
             [this, from, address = header.count](value found) { send_result(from, address, found); });
}

void engine::receive_acknowledgement(int from, const packet &header) {
    switch (static_cast<packet_acknowledge>(header.control)) {
    case packet_acknowledge::code:
        ++program(header.program).acknowledged;
        return;
    case packet_acknowledge::released:
        if (!keeper_->give_back(header.address, header.count)) {
            refuse(from, "references to object " + std::to_string(header.address) +
                             " are given back that it had not");
        }
        return;
    case packet_acknowledge::credit: {
        {
            const std::scoped_lock guard{mutex_};
            unsigned &under_way = under_way_[static_cast<std::size_t>(from)];
            if (header.count > under_way) {
                refuse(from, "credit for " + std::to_string(header.count) + " tasks, where " +
                                 std::to_string(under_way) + " are under way");
            }
            under_way -= static_cast<unsigned>(header.count);
        }
        return refill(from);
    }
    }
}

void engine::receive_finish(int, const packet &header, decoder &in) {
    switch (static_cast<packet_finish>(header.control)) {
    case packet_finish::program: {
        std::unique_ptr<program_state> ended; // destroyed without the lock
        const std::scoped_lock guard{mutex_};
        if (const auto found = programs_.find(header.program); found != programs_.end()) {
            ended = std::move(found->second);
            programs_.erase(found);
        }
        return;
    }
    case packet_finish::token: {
        token arrived;
        arrived.under_way = in.number<std::int64_t>();
        arrived.is_black = in.number<std::uint8_t>() != 0;
        arrived.all_finish = in.number<std::uint8_t>() != 0;
        arrived.is_full = in.number<std::uint8_t>() != 0;
        return termination_.take(arrived);
    }
    case packet_finish::stuck:
    case packet_finish::full:
    case packet_finish::end:
        return act_on(static_cast<packet_finish>(header.control));
    }
}

// After the end, when no tile runs any more: rank 0 gets everybody's events.
void engine::gather_trace() {
    for (const auto &each : tiles_) {
        std::ranges::move(each->events(), std::back_inserter(trace_));
    }
    if (!options_.traces || transport_.ranks() == 1) {
        return;
    }
    if (transport_.rank() != 0) {
        encoder out;
        codec<std::vector<trace_event>>::write(trace_, out);
        send(0, {packet_type::data, static_cast<std::uint8_t>(packet_data::trace)}, out.take());
        return flush();
    }
    while (traces_missing_ < transport_.ranks() - 1) {
        transport_.wait([this](int from, std::span<const std::byte> bytes) { receive(from, bytes); });
    }
}

void engine::receive_trace(decoder &in) {
    ++traces_missing_;
    std::ranges::move(codec<std::vector<trace_event>>::read(in), std::back_inserter(trace_));
}

} // namespace lisle::tasks
