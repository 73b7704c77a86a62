// SPDX-License-Identifier: Apache-2.0
#include "task/wire/wire.hpp"

#include "task/language/program.hpp"

namespace lisle::tasks {

namespace {
enum class mark : std::uint8_t {
    nothing,
    boolean,
    integer,
    real,
    text,
    list,
    range,
    boxed,
    closure,
    failure,
    handle
};
constexpr int deepest = 1000; // lists in lists, from a peer
} // namespace

void value_writer::write(const value &given, encoder &out) {
    switch (given.kind()) {
    case value_kind::nothing:
        return out.number(mark::nothing);
    case value_kind::boolean:
        out.number(mark::boolean);
        return out.number<std::uint8_t>(given.boolean() ? 1 : 0);
    case value_kind::integer:
        out.number(mark::integer);
        return out.number(given.integer());
    case value_kind::real:
        out.number(mark::real);
        return out.number(given.real());
    case value_kind::object:
        return write_object(*given.shared(), out);
    }
}

void value_writer::write_object(object &given, encoder &out) {
    switch (given.kind()) {
    case object_kind::text: {
        const auto &content = static_cast<const text &>(given).content;
        if (content.size() > largest_) {
            return write_handle(given, 0, content.size(), out);
        }
        out.number(mark::text);
        return out.string(content);
    }
    case object_kind::list: {
        const auto &items = static_cast<const list &>(given).items;
        out.number(mark::list);
        out.number<std::uint64_t>(items.size());
        for (const value &item : items) {
            write(item, out);
        }
        return;
    }
    case object_kind::range:
        out.number(mark::range);
        out.number(static_cast<const range &>(given).first);
        return out.number(static_cast<const range &>(given).end);
    case object_kind::boxed: {
        const auto &box = static_cast<const boxed_object &>(given);
        const bool in_one_piece = box.type().bytes != nullptr;
        if (const std::size_t size = in_one_piece ? box.type().bytes(box).size() : box.type().size(box);
            size > largest_) {
            return write_handle(given, box.type().id, size, out);
        }
        out.number(mark::boxed);
        out.number(box.type().id);
        return box.type().encode(box, out);
    }
    case object_kind::closure: {
        const auto &function = static_cast<const closure &>(given);
        out.number(mark::closure);
        out.number(function.program->number);
        out.number(function.function);
        out.number<std::uint64_t>(function.captured.size());
        for (const value &each : function.captured) {
            write(each, out);
        }
        return;
    }
    case object_kind::failure: {
        const auto &reason = static_cast<const failure &>(given);
        out.number(mark::failure);
        out.string(reason.message);
        out.number(reason.where);
        out.string(reason.kernel);
        out.number(reason.tile);
        return out.number(reason.rank);
    }
    case object_kind::cell:
        return write_handle(given, static_cast<std::uint64_t>(static_cast<const cell &>(given).which()), 0,
                            out);
    case object_kind::remote: {
        const auto &other = static_cast<const remote_object &>(given);
        // A copy that is here is passed on as this rank's own; else the handle leads through this rank.
        return other.is_here() && other.content().is_object()
                   ? write_object(*other.content().shared(), out)
                   : write_handle(given, other.type, other.size, out);
    }
    }
}

void value_writer::write_handle(object &given, std::uint64_t type, std::uint64_t size, encoder &out) {
    const auto *const other =
        given.kind() == object_kind::remote ? static_cast<const remote_object *>(&given) : nullptr;
    const std::uint64_t id = keeper_.keep(given);
    out.number(mark::handle);
    out.number(other != nullptr ? other->what : given.kind());
    out.number(id);
    out.number(type);
    out.number(size);
    const object_address made = other != nullptr ? other->origin : object_address{keeper_.rank(), id};
    out.number(made.rank);
    out.number(made.id);
}

void value_writer::write_content(const value &given, encoder &out) {
    if (given.is(object_kind::text)) {
        out.number(mark::text);
        out.string(given.as<text>().content);
    } else {
        out.number(mark::boxed);
        out.number(given.as<boxed_object>().type().id);
        given.as<boxed_object>().type().encode(given.as<boxed_object>(), out);
    }
}

value value_reader::read(decoder &in, int depth) {
    if (depth > deepest) {
        throw std::runtime_error{"a value in a parcel is nested more than " + std::to_string(deepest) +
                                 " times"};
    }
    switch (in.number<mark>()) {
    case mark::nothing:
        return {};
    case mark::boolean:
        return in.number<std::uint8_t>() != 0;
    case mark::integer:
        return in.number<std::int64_t>();
    case mark::real:
        return in.number<double>();
    case mark::text:
        return in.string();
    case mark::list: {
        std::vector<value> items(in.count(1));
        for (value &item : items) {
            item = read(in, depth + 1);
        }
        return items;
    }
    case mark::range: {
        const auto first = in.number<std::int64_t>(), end = in.number<std::int64_t>();
        return make<range>(first, end);
    }
    case mark::boxed:
        return read_boxed(in);
    case mark::closure:
        return read_closure(in, depth);
    case mark::failure:
        return read_failure(in);
    case mark::handle:
        return read_handle(in);
    }
    throw std::runtime_error{"a value of unknown kind in a parcel"};
}

value value_reader::read_boxed(decoder &in) {
    const auto id = in.number<std::uint64_t>();
    const box_type *const type = kernels_.type(id);
    if (type == nullptr) {
        throw std::runtime_error{"a parcel has an object of a type that no registered kernel uses"};
    }
    return type->decode(in);
}

value value_reader::read_handle(decoder &in) {
    const auto what = in.number<object_kind>();
    const auto id = in.number<std::uint64_t>(), type = in.number<std::uint64_t>(),
               size = in.number<std::uint64_t>();
    if (what != object_kind::text && what != object_kind::boxed && what != object_kind::cell) {
        throw std::runtime_error{"a handle of an unknown kind in a parcel"};
    }
    object_address origin;
    origin.rank = in.number<int>();
    origin.id = in.number<std::uint64_t>();
    value other = keeper_.stand_in({from_, id}, what, type, size, origin);
    if (origin.rank != keeper_.rank()) {
        return other;
    }
    // It has come back. What other ranks refer to, down to the one that has sent it, keeps it here meanwhile.
    ref<object> own = keeper_.find(origin.id);
    if (!own) {
        throw std::runtime_error{"a parcel returns object " + std::to_string(origin.id) +
                                 ", which is not kept here"};
    }
    return own;
}

value value_reader::read_closure(decoder &in, int depth) {
    program_state &program = programs_(in.number<std::uint64_t>());
    const auto function = in.number<std::uint32_t>();
    if (function >= program.text.functions.size()) {
        throw std::runtime_error{"a parcel names function " + std::to_string(function) +
                                 " of a program that has " + std::to_string(program.text.functions.size())};
    }
    std::vector<value> captured(in.count(1));
    if (captured.size() != program.text.functions[function].captured) {
        throw std::runtime_error{"a function in a parcel has captured a wrong number of values"};
    }
    for (value &each : captured) {
        each = read(in, depth + 1);
    }
    return make<closure>(&program, function, std::move(captured));
}

value value_reader::read_failure(decoder &in) {
    std::string message = in.string();
    const auto where = in.number<tasks::place>();
    auto made = make<failure>(std::move(message), where);
    made->kernel = in.string();
    made->tile = in.number<int>();
    made->rank = in.number<int>();
    return made;
}

} // namespace lisle::tasks
