// SPDX-License-Identifier: Apache-2.0
#include "task/language/builtin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "task/value/remote.hpp"

namespace lisle::tasks {

namespace {

using arguments = std::span<const value>;

double real_of(const value &given) {
    if (given.is_integer()) {
        return static_cast<double>(given.integer());
    }
    if (!given.is_real()) {
        refuse_value(given, "a number");
    }
    return given.real();
}
std::int64_t whole_of(const value &given) {
    if (!given.is_integer()) {
        refuse_value(given, "an integer");
    }
    return given.integer();
}
bool truth_of(const value &given) {
    if (!given.is_boolean()) {
        refuse_value(given, "true or false");
    }
    return given.boolean();
}
const std::string &text_of(const value &given) {
    if (!given.is(object_kind::text)) {
        refuse_value(given, "text");
    }
    return given.as<text>().content;
}
std::int64_t sequence_length(const value &given) {
    const std::int64_t length = length_of(given);
    if (length < 0) {
        refuse_value(given, "a list");
    }
    return length;
}

[[noreturn]] void overflow(const char *name, std::int64_t a, std::int64_t b) {
    throw std::domain_error{"(" + std::string{name} + " " + std::to_string(a) + " " + std::to_string(b) +
                            ") is beyond what an integer holds"};
}

// Folds numbers from the left: whole numbers stay whole and are checked, and one real makes the rest real.
template <class Whole, class Real> value fold_numbers(arguments given, Whole whole, Real real) {
    value sum = given[0];
    static_cast<void>(real_of(sum));
    for (const value &next : given.subspan(1)) {
        if (sum.is_integer() && next.is_integer()) {
            sum = whole(sum.integer(), next.integer());
        } else {
            sum = real(real_of(sum), real_of(next));
        }
    }
    return sum;
}

value add(arguments given, const tile_place &) {
    return fold_numbers(
        given,
        [](std::int64_t a, std::int64_t b) {
            std::int64_t sum = 0;
            return __builtin_add_overflow(a, b, &sum) ? (overflow("+", a, b), 0) : sum;
        },
        [](double a, double b) { return a + b; });
}
value multiply(arguments given, const tile_place &) {
    return fold_numbers(
        given,
        [](std::int64_t a, std::int64_t b) {
            std::int64_t product = 0;
            return __builtin_mul_overflow(a, b, &product) ? (overflow("*", a, b), 0) : product;
        },
        [](double a, double b) { return a * b; });
}
value subtract(arguments given, const tile_place &where) {
    if (given.size() == 1) {
        const std::array<value, 2> from_zero{value{0}, given[0]};
        return subtract(from_zero, where);
    }
    return fold_numbers(
        given,
        [](std::int64_t a, std::int64_t b) {
            std::int64_t rest = 0;
            return __builtin_sub_overflow(a, b, &rest) ? (overflow("-", a, b), 0) : rest;
        },
        [](double a, double b) { return a - b; });
}
value divide(arguments given, const tile_place &) {
    double quotient = real_of(given[0]);
    for (const value &next : given.subspan(1)) {
        if (real_of(next) == 0) {
            throw std::domain_error{"division by zero"};
        }
        quotient /= real_of(next);
    }
    return quotient;
}
void check_divisor(const char *name, std::int64_t a, std::int64_t b) {
    if (b == 0) {
        throw std::domain_error{"division by zero"};
    }
    if (b == -1 && a == std::numeric_limits<std::int64_t>::min()) {
        overflow(name, a, b);
    }
}
value whole_quotient(arguments given, const tile_place &) {
    const std::int64_t a = whole_of(given[0]), b = whole_of(given[1]);
    check_divisor("div", a, b);
    return a / b;
}
// The remainder that has the divisor's sign, so that (mod -1 4) is a tile.
value remainder(arguments given, const tile_place &) {
    const std::int64_t a = whole_of(given[0]), b = whole_of(given[1]);
    check_divisor("mod", a, b);
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
// -1, 0, 1; 2 for numbers that have no order.
int order_of(const value &left, const value &right) {
    if (left.is_integer() && right.is_integer()) {
        return (left.integer() > right.integer()) - (left.integer() < right.integer());
    }
    if (left.is(object_kind::text) && right.is(object_kind::text)) {
        const int order = text_of(left).compare(text_of(right));
        return (order > 0) - (order < 0);
    }
    const double a = real_of(left), b = real_of(right);
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}
value extreme(arguments given, int wanted) {
    value best = given[0];
    static_cast<void>(real_of(best));
    for (const value &next : given.subspan(1)) {
        if (order_of(next, best) == wanted) {
            best = next;
        }
    }
    return best;
}
value minimum(arguments given, const tile_place &) {
    return extreme(given, -1);
}
value maximum(arguments given, const tile_place &) {
    return extreme(given, 1);
}
template <class Holds> value chain(arguments given, Holds holds) {
    for (std::size_t i = 0; i + 1 < given.size(); ++i) {
        if (!holds(order_of(given[i], given[i + 1]))) {
            return false;
        }
    }
    return true;
}
value less(arguments given, const tile_place &) {
    return chain(given, [](int order) { return order == -1; });
}
value less_equal(arguments given, const tile_place &) {
    return chain(given, [](int order) { return order == -1 || order == 0; });
}
value greater(arguments given, const tile_place &) {
    return chain(given, [](int order) { return order == 1; });
}
value greater_equal(arguments given, const tile_place &) {
    return chain(given, [](int order) { return order == 0 || order == 1; });
}
value same(arguments given, const tile_place &) {
    for (std::size_t i = 0; i + 1 < given.size(); ++i) {
        if (!equal(given[i], given[i + 1])) {
            return false;
        }
    }
    return true;
}
value negate(arguments given, const tile_place &) {
    return !truth_of(given[0]);
}

value make_range(arguments given, const tile_place &) {
    return given.size() == 1 ? value{make<range>(0, whole_of(given[0]))}
                             : value{make<range>(whole_of(given[0]), whole_of(given[1]))};
}
value length(arguments given, const tile_place &) {
    return sequence_length(given[0]);
}
value element(arguments given, const tile_place &) {
    const std::int64_t length = sequence_length(given[0]), index = whole_of(given[1]);
    if (index < 0 || index >= length) {
        throw std::out_of_range{"element " + std::to_string(index) + " of " + std::to_string(length) +
                                " elements: the first is 0"};
    }
    return element_of(given[0], index);
}
value slice(arguments given, const tile_place &) {
    const std::int64_t length = sequence_length(given[0]);
    const std::int64_t first = whole_of(given[1]), end = given.size() == 3 ? whole_of(given[2]) : length;
    if (first < 0 || end < first || end > length) {
        throw std::out_of_range{"elements " + std::to_string(first) + " to before " + std::to_string(end) +
                                " of " + std::to_string(length) + " elements"};
    }
    if (given[0].is(object_kind::text)) {
        return text_of(given[0]).substr(static_cast<std::size_t>(first),
                                        static_cast<std::size_t>(end - first));
    }
    if (given[0].is(object_kind::range)) {
        const std::int64_t from = given[0].as<range>().first;
        return make<range>(from + first, from + end);
    }
    std::vector<value> items;
    for (std::int64_t i = first; i < end; ++i) {
        items.push_back(element_of(given[0], i));
    }
    return items;
}
value append(arguments given, const tile_place &) {
    std::vector<value> items;
    for (const value &part : given) {
        const std::int64_t length = sequence_length(part);
        for (std::int64_t i = 0; i < length; ++i) {
            items.push_back(element_of(part, i));
        }
    }
    return items;
}
// A list of objects keeps those of other ranks where they are; so does everything that only passes them on.
value make_list(arguments given, const tile_place &) {
    return std::vector<value>(given.begin(), given.end());
}
value reversed(arguments given, const tile_place &) {
    std::vector<value> items;
    for (std::int64_t i = sequence_length(given[0]) - 1; i >= 0; --i) {
        items.push_back(element_of(given[0], i));
    }
    return items;
}
value concatenate(arguments given, const tile_place &) {
    std::string all;
    for (const value &part : given) {
        all += part.is(object_kind::text) ? text_of(part) : to_string(part);
    }
    return all;
}
value is_end(arguments given, const tile_place &) {
    return given[0].is_nothing();
}
template <double (*Function)(double)> value real_function(arguments given, const tile_place &) {
    return Function(real_of(given[0]));
}
value to_real(arguments given, const tile_place &) {
    return real_of(given[0]);
}
value to_whole(arguments given, const tile_place &) {
    const double real = std::trunc(real_of(given[0]));
    if (!(real >= -0x1p63 && real < 0x1p63)) {
        throw std::domain_error{to_string(given[0]) + " is beyond what an integer holds"};
    }
    return given[0].is_integer() ? given[0] : value{static_cast<std::int64_t>(real)};
}
value tile_here(arguments, const tile_place &where) {
    return where.tile;
}
value tiles(arguments, const tile_place &where) {
    return where.tiles;
}
value rank_here(arguments, const tile_place &where) {
    return where.rank;
}
value ranks(arguments, const tile_place &where) {
    return where.ranks;
}

constexpr std::array table{
    builtin{"+", 1, any_number, short_cut::add, add, "sum"},
    builtin{"-", 1, any_number, short_cut::subtract, subtract, "difference"},
    builtin{"*", 1, any_number, short_cut::multiply, multiply, "product"},
    builtin{"/", 2, any_number, short_cut::none, divide, "quotient, a real number"},
    builtin{"div", 2, 2, short_cut::none, whole_quotient, "whole quotient of integers"},
    builtin{"mod", 2, 2, short_cut::none, remainder, "remainder, with the divisor's sign"},
    builtin{"min", 1, any_number, short_cut::none, minimum, "least of numbers"},
    builtin{"max", 1, any_number, short_cut::none, maximum, "largest of numbers"},
    builtin{"<", 2, any_number, short_cut::less, less, "less, of numbers or texts"},
    builtin{"<=", 2, any_number, short_cut::less_equal, less_equal, "less or equal"},
    builtin{">", 2, any_number, short_cut::greater, greater, "greater"},
    builtin{">=", 2, any_number, short_cut::greater_equal, greater_equal, "greater or equal"},
    builtin{"=", 2, any_number, short_cut::equal, same, "equal"},
    builtin{"not", 1, 1, short_cut::none, negate, "negation"},
    builtin{"sqrt", 1, 1, short_cut::none, real_function<std::sqrt>, "square root"},
    builtin{"real", 1, 1, short_cut::none, to_real, "a number as a real one"},
    builtin{"integer", 1, 1, short_cut::none, to_whole, "a number without its fraction"},
    builtin{"list", 0, any_number, short_cut::none, make_list, "list of values"},
    builtin{"range", 1, 2, short_cut::none, make_range, "(range n), (range first end): integers"},
    builtin{"length", 1, 1, short_cut::none, length, "number of elements"},
    builtin{"nth", 2, 2, short_cut::none, element, "(nth list index), from 0"},
    builtin{"slice", 2, 3, short_cut::none, slice, "(slice list first end): some elements"},
    builtin{"append", 1, any_number, short_cut::none, append, "one list of several"},
    builtin{"reverse", 1, 1, short_cut::none, reversed, "the elements from the last to the first"},
    builtin{"text", 1, any_number, short_cut::none, concatenate, "values written one after the other"},
    builtin{"end?", 1, 1, short_cut::none, is_end, "whether a stream has ended"},
    builtin{"tile", 0, 0, short_cut::none, tile_here, "number of the tile that evaluates this"},
    builtin{"tiles", 0, 0, short_cut::none, tiles, "number of tiles"},
    builtin{"rank", 0, 0, short_cut::none, rank_here, "rank of the tile"},
    builtin{"ranks", 0, 0, short_cut::none, ranks, "number of ranks"},
};

} // namespace

std::span<const builtin> builtins() {
    return table;
}

int find_builtin(std::string_view name) {
    const auto found = std::ranges::find(table, name, &builtin::name);
    return found == table.end() ? -1 : static_cast<int>(found - table.begin());
}

} // namespace lisle::tasks
