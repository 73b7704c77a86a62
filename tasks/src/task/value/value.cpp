// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/value.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "task/value/remote.hpp"
#include <lisle/task/box.hpp>

namespace lisle::tasks {

std::int64_t length_of(const value &sequence) {
    if (!sequence.is_object()) {
        return -1;
    }
    switch (sequence.shared()->kind()) {
    case object_kind::list:
        return static_cast<std::int64_t>(sequence.as<list>().items.size());
    case object_kind::range:
        return sequence.as<range>().end - sequence.as<range>().first;
    case object_kind::text:
        return static_cast<std::int64_t>(sequence.as<text>().content.size());
    case object_kind::boxed: {
        const auto &box = sequence.as<boxed_object>();
        return box.type().length != nullptr ? box.type().length(box) : -1;
    }
    default:
        return -1;
    }
}

value element_of(const value &sequence, std::int64_t index) {
    switch (sequence.shared()->kind()) {
    case object_kind::list:
        return here(sequence.as<list>().items[static_cast<std::size_t>(index)]);
    case object_kind::range:
        return sequence.as<range>().first + index;
    case object_kind::text:
        return std::string(1, sequence.as<text>().content[static_cast<std::size_t>(index)]);
    default: {
        const auto &box = sequence.as<boxed_object>();
        return box.type().element(box, index);
    }
    }
}

namespace {

std::string shown_real(double number) {
    char room[32];
    if (number == std::trunc(number) && std::abs(number) < 1e15) {
        std::snprintf(room, sizeof room, "%.1f", number);
        return room;
    }
    double back = 0;
    for (const int digits : {6, 9, 12, 15, 17}) { // as few as tell the number from all others
        std::snprintf(room, sizeof room, "%.*g", digits, number);
        back = std::strtod(room, nullptr);
        if (back == number) {
            break;
        }
    }
    std::string shown{room};
    if (shown.find_first_of(".en") == std::string::npos) {
        shown += ".0";
    }
    return shown;
}

std::string shown_sequence(const value &sequence) {
    std::string shown = "(";
    const std::int64_t length = length_of(sequence);
    for (std::int64_t i = 0; i < length; ++i) {
        shown += (i == 0 ? "" : " ") + to_string(element_of(sequence, i));
    }
    return shown + ")";
}

} // namespace

std::string to_string(const value &given) {
    const value shown = here(given);
    switch (shown.kind()) {
    case value_kind::nothing:
        return "()";
    case value_kind::boolean:
        return shown.boolean() ? "true" : "false";
    case value_kind::integer:
        return std::to_string(shown.integer());
    case value_kind::real:
        return shown_real(shown.real());
    default:
        break;
    }
    switch (shown.shared()->kind()) {
    case object_kind::text:
        return "\"" + shown.as<text>().content + "\"";
    case object_kind::failure:
        return "error: " + shown.as<failure>().message;
    default:
        return length_of(shown) >= 0 ? shown_sequence(shown) : "<" + kind_name(shown) + ">";
    }
}

std::string kind_name(const value &named) {
    switch (named.kind()) {
    case value_kind::nothing:
        return "nothing";
    case value_kind::boolean:
        return "a truth value";
    case value_kind::integer:
        return "an integer";
    case value_kind::real:
        return "a real number";
    default:
        break;
    }
    switch (named.shared()->kind()) {
    case object_kind::text:
        return "text";
    case object_kind::list:
        return "a list";
    case object_kind::range:
        return "a range";
    case object_kind::boxed:
        return named.as<boxed_object>().type().name;
    case object_kind::closure:
        return "a function";
    case object_kind::failure:
        return "an error";
    case object_kind::cell:
        return "a variable that is assigned once, or a buffer";
    case object_kind::remote:
        return "an object of another rank";
    }
    return "a value";
}

bool equal(const value &left, const value &right) {
    const auto is_number = [](const value &any) { return any.is_integer() || any.is_real(); };
    if (is_number(left) && is_number(right) && left.kind() != right.kind()) {
        const value &whole = left.is_integer() ? left : right;
        const value &real = left.is_integer() ? right : left;
        return static_cast<double>(whole.integer()) == real.real();
    }
    if (left.kind() != right.kind()) {
        return false;
    }
    switch (left.kind()) {
    case value_kind::nothing:
        return true;
    case value_kind::real:
        return left.real() == right.real();
    case value_kind::boolean:
    case value_kind::integer:
        return left.integer() == right.integer();
    case value_kind::object:
        break;
    }
    const value one = here(left), other = here(right);
    if (one.shared() == other.shared()) {
        return true;
    }
    if (one.is(object_kind::text) || other.is(object_kind::text)) {
        return one.is(object_kind::text) && other.is(object_kind::text) &&
               one.as<text>().content == other.as<text>().content;
    }
    const std::int64_t length = length_of(one);
    if (length >= 0 && length == length_of(other)) {
        for (std::int64_t i = 0; i < length; ++i) {
            if (!equal(element_of(one, i), element_of(other, i))) {
                return false;
            }
        }
        return true;
    }
    if (one.is(object_kind::boxed) && other.is(object_kind::boxed)) {
        const auto &box = one.as<boxed_object>(), &second = other.as<boxed_object>();
        return box.type().id == second.type().id && box.type().equal != nullptr &&
               box.type().equal(box, second);
    }
    return false;
}

std::string readable_name(const std::type_info &type) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> name{
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free};
    std::string readable = status == 0 ? name.get() : type.name();
    const std::string verbose =
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    for (auto at = readable.find(verbose); at != std::string::npos; at = readable.find(verbose)) {
        readable.replace(at, verbose.size(), "std::string");
    }
    return readable;
}

void refuse_value(const value &given, const std::string &wanted) {
    std::string shown = to_string(given);
    if (shown.size() > 60) {
        shown = shown.substr(0, 57) + "...";
    }
    throw std::invalid_argument{wanted + " is wanted, not " + kind_name(given) + " (" + shown + ")"};
}

} // namespace lisle::tasks
