// SPDX-License-Identifier: Apache-2.0
// What arrives: each parcel is checked and turned into a task, a value in its place, or an answer. Runs on
// the rank's own thread and evaluates nothing itself.
#include <algorithm>

#include "task/machine/receiver.hpp"
#include "task/machine/results.hpp"

namespace lisle::tasks {

namespace {

void write_datum(const datum &given, encoder &out, value_writer &values) {
    out.number(given.is);
    out.number(given.where);
    out.string(given.symbol);
    values.write(given.constant, out);
    for (const auto *part : {&given.items, &given.tile, &given.rank, &given.priority}) {
        out.number<std::uint64_t>(part->size());
        for (const datum &item : *part) {
            write_datum(item, out, values);
        }
    }
}

datum read_datum(decoder &in, value_reader &values, int depth = 0) {
    if (depth > 10000) {
        throw std::runtime_error{"a program in a parcel is nested more than 10000 times"};
    }
    datum made;
    made.is = in.number<datum::kind>();
    made.where = in.number<place>();
    made.symbol = in.string();
    made.constant = values.read(in);
    for (auto *part : {&made.items, &made.tile, &made.rank, &made.priority}) {
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

void write_source(const source &program, encoder &out, value_writer &values) {
    out.string(program.file);
    out.number<std::uint64_t>(program.forms.size());
    for (const datum &form : program.forms) {
        write_datum(form, out, values);
    }
}

value_reader receiver::reader_of(int from) {
    return {*own_.objects, own_.kernels,
            [this](std::uint64_t number) -> program_state & { return own_.programs.find(number); }, from};
}

void receiver::receive(int from, std::span<const std::byte> bytes) {
    if (own_.lost.has(from)) {
        return; // others count on what it has sent no longer
    }
    decoder in{bytes};
    const parcel header = read_header(in);
    ++own_.parcels_received;
    if (is_counted(header)) {
        own_.end.has_received(from);
    }
    switch (header.type) {
    case parcel_type::code:
        return receive_code(from, header, in);
    case parcel_type::subtask:
        own_.requests.answered(from);
        return receive_task(from, header, in);
    case parcel_type::reference:
        return receive_task(from, header, in);
    case parcel_type::data:
        return header.control == static_cast<std::uint8_t>(parcel_data::trace)
                   ? receive_trace(from, in)
                   : receive_result(from, header, in);
    case parcel_type::request:
        return receive_request(from, header, in);
    case parcel_type::acknowledge:
        return receive_acknowledgement(from, header);
    case parcel_type::finish:
        return receive_finish(from, header, in);
    case parcel_type::error:
        refuse(from, in.string());
    }
}

void receiver::receive_code(int from, const parcel &header, decoder &in) {
    source written;
    written.file = in.string();
    value_reader values = reader_of(from);
    for (std::size_t left = in.count(1); left > 0; --left) {
        written.forms.push_back(read_datum(in, values));
    }
    if (own_.programs.load(header.program, written).text.hash != header.count) {
        encoder out;
        out.string("program " + std::to_string(header.program) +
                   " has become other code here than on its gateway");
        return own_.out.send(from, {parcel_type::error}, out.take());
    }
    // Before the acknowledgement, so that the gateway knows it when the program begins.
    if (std::ranges::all_of(own_.tiles, [](const auto &each) { return each->waiting() == 0; })) {
        sender_.ask_for_work(from);
    }
    parcel answer{parcel_type::acknowledge, static_cast<std::uint8_t>(parcel_acknowledge::code)};
    answer.program = header.program;
    own_.out.send(from, answer);
}

void receiver::receive_task(int from, const parcel &header, decoder &in) {
    program_state &owner = own_.programs.find(header.program);
    const code &text = owner.text;
    if (header.expression >= text.nodes.size()) {
        refuse(from, "a task is expression " + std::to_string(header.expression) + " of a program that has " +
                         std::to_string(text.nodes.size()));
    }
    const int target = own_.own_tile(static_cast<int>(header.to_tile));
    if (target < 0 || target >= own_.tiles.size()) {
        refuse(from, "a task is for tile " + std::to_string(header.to_tile) + ", which is not on this rank");
    }
    const node &expression = text.nodes[header.expression];
    const bool is_sequence =
        expression.what == op::map || expression.what == op::each || expression.what == op::fold;
    value_reader values = reader_of(from);
    record *to = record::make(own_.pool, 1, 1);
    to->kind = record_kind::answer;
    to->program = &owner;
    to->answer = header.address;
    to->answer_rank = from;
    task made{&expression, nullptr, to, 0};
    if (header.end == 0) {
        made.variables = activation::make(own_.pool, text.functions[expression.function].slots, &owner);
        for (const std::uint32_t slot : text.slots_of(expression)) {
            made.variables->values()[slot] = values.read(in);
        }
    } else {
        made.variables = activation::make(own_.pool, 2, &owner);
        made.variables->values()[0] = values.read(in);
        made.variables->values()[1] = values.read(in);
        if (!is_sequence || !made.variables->values()[0].is(object_kind::closure) ||
            length_of(made.variables->values()[1]) != header.end) {
            refuse(from, "a task over a sequence has no function or a wrong number of elements");
        }
        made.end = header.end;
        if (expression.what != op::fold) {
            record *const parts =
                record::make(own_.pool, expression.what == op::map ? made.end : 1, made.end);
            parts->kind = expression.what == op::map ? record_kind::expression : record_kind::discard;
            parts->expression = &expression;
            parts->program = &owner;
            parts->to = to;
            made.to = parts;
        }
    }
    if (header.type == parcel_type::reference) {
        made.is_placed = 2 + static_cast<std::uint32_t>(from); // take_post() gives the credit back
        own_.tiles[target].post(made);
    } else {
        own_.tiles.least_loaded().post(made);
    }
}

void receiver::receive_result(int from, const parcel &header, decoder &in) {
    const auto expected = own_.owed.take(header.address, from);
    if (!expected) {
        refuse(from,
               "a result for address " + std::to_string(header.address) + ", where none is awaited from it");
    }
    put_result(own_, *expected, reader_of(from).read(in));
}

void receiver::receive_request(int from, const parcel &header, decoder &in) {
    switch (static_cast<parcel_request>(header.control)) {
    case parcel_request::work:
        own_.requests.add(from);
        sender_.feed_hungry();
        return;
    case parcel_request::content:
        return send_content(from, header);
    default:
        return receive_cell_request(from, header, in);
    }
}

void receiver::send_content(int to, const parcel &request) {
    const ref<object> kept = own_.objects->find(request.address);
    if (!kept) {
        refuse(to, "a request for object " + std::to_string(request.address) + ", which is not kept here");
    }
    const auto answer = [this, to, request](const value &known) {
        if (request.first == 0) {
            parcel header{parcel_type::data, static_cast<std::uint8_t>(parcel_data::content)};
            header.address = request.count;
            encoder out;
            if (known.is(object_kind::failure)) {
                value_writer{*own_.objects, ~std::size_t{0}}.write(known, out);
            } else {
                value_writer::write_content(known, out);
            }
            return own_.out.send(to, header, out.take());
        }
        const auto &box = known.as<boxed_object>();
        own_.end.has_sent(to);
        own_.between.send_from(to, static_cast<int>(request.end), box.type().bytes(box),
                               ref<object>{known.shared()});
    };
    const value known{kept};
    if (has_to_be_fetched(known)) { // it came from a third rank
        auto &other = known.as<remote_object>();
        other.when_here(
            [this, answer, known] { own_.out.do_later([answer, known] { answer(here(known)); }); });
    } else {
        answer(here(known));
    }
}

void receiver::receive_cell_request(int from, const parcel &header, decoder &in) {
    const ref<object> kept = own_.objects->find(header.address);
    if (!kept) {
        refuse(from, "a request for object " + std::to_string(header.address) + ", which is not kept here");
    }
    use_(static_cast<parcel_request>(header.control), value{kept}, reader_of(from).read(in),
         [this, from, address = header.count](value found) { sender_.send_result(from, address, found); });
}

void receiver::receive_acknowledgement(int from, const parcel &header) {
    switch (static_cast<parcel_acknowledge>(header.control)) {
    case parcel_acknowledge::code:
        own_.programs.find(header.program).loading.erase(from);
        return;
    case parcel_acknowledge::released:
        if (!own_.objects->give_back(header.address, header.count)) {
            refuse(from, "references to object " + std::to_string(header.address) +
                             " are given back that it had not");
        }
        return;
    case parcel_acknowledge::credit:
        if (!own_.credits.come_back(from, header.count)) {
            refuse(from, "credit for " + std::to_string(header.count) + " tasks, where " +
                             std::to_string(own_.credits.under_way(from)) + " are under way");
        }
        return sender_.refill(from);
    }
}

void receiver::receive_finish(int, const parcel &header, decoder &in) {
    switch (static_cast<parcel_finish>(header.control)) {
    case parcel_finish::program:
        if (header.count != 0) { // the sender knows of losses
            own_.programs.keep_ended();
        }
        return own_.programs.remove(header.program);
    case parcel_finish::cancel:
        return own_.programs.cancel(header.program);
    case parcel_finish::token: {
        token arrived;
        arrived.under_way = in.number<std::int64_t>();
        arrived.is_black = in.number<std::uint8_t>() != 0;
        arrived.all_finish = in.number<std::uint8_t>() != 0;
        arrived.is_full = in.number<std::uint8_t>() != 0;
        return receive_token(arrived, in);
    }
    case parcel_finish::stuck:
    case parcel_finish::full:
    case parcel_finish::end:
        return obey(static_cast<parcel_finish>(header.control));
    }
}

// A token that has begun its round before all losses were known that are known here is void.
void receiver::receive_token(const token &arrived, decoder &in) {
    const auto lost = codec<std::vector<std::int32_t>>::read(in);
    for (const std::int32_t rank : lost) {
        if (rank < 0 || rank >= own_.ranks()) {
            throw std::runtime_error{"the token names rank " + std::to_string(rank) + ", of " +
                                     std::to_string(own_.ranks())};
        }
        losses_.lose(rank);
    }
    if (lost.size() == own_.lost.all().size()) {
        own_.end.take(arrived);
    }
}

// What the first rank has found out about all ranks, which are idle.
void receiver::obey(parcel_finish verdict) {
    switch (verdict) {
    case parcel_finish::end:
        if (own_.options.repeats && !own_.state.has_ended) { // the first may have died before it had told all
            sender_.tell_others({parcel_type::finish, static_cast<std::uint8_t>(verdict)});
        }
        own_.state.has_ended = true;
        return;
    case parcel_finish::full: // each waits for room at another
        for (const auto &each : own_.tiles) {
            each->begin_withheld();
        }
        return;
    default: // nothing is under way any more, and some tasks still wait for variables or buffers
        return own_.reads.fail_all();
    }
}

void receiver::receive_trace(int from, decoder &in) {
    own_.trace.arrived.insert(from);
    std::ranges::move(codec<std::vector<trace_event>>::read(in), std::back_inserter(own_.trace.events));
}

} // namespace lisle::tasks
