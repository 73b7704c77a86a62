// SPDX-License-Identifier: Apache-2.0
// Blocks of data that tasks read and write, in the order in which the program says so:
//
//     auto program = tasks::let(tasks::block(factor(a)), [&](auto lu) {
//         return tasks::seq(tasks::update(row, solve, lu), tasks::update(lu, scale, 2.0),
//         tasks::read_block(row));
//     });
//
// An update returns at once and runs when those before it have left the values that it reads. Needs no MPI.
#pragma once

#include "lisle/task/expression.hpp"

namespace lisle::tasks {

/// The type of an expression whose value is a block of T.
template <class T> struct block_of {};

namespace detail {
template <class T> struct in_block { using type = T; };
template <class T> struct in_block<block_of<T>> { using type = T; };
/// What an update's function gets for an argument: of a block its value.
template <class T> using value_in = typename in_block<type_of<T>>::type;

template <class Body, class... Contents> datum updating(Body &&body) {
    std::vector<datum> names;
    ((static_cast<void>(sizeof(expression<Contents>)), names.push_back(datum::of_symbol(fresh_name()))), ...);
    const auto result = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return to_datum(body(expression<Contents>{names[I]}...));
    }
    (std::index_sequence_for<Contents...>{});
    return form("lambda", datum::of_list(names), result);
}
} // namespace detail

/// A block with its first value.
template <class T> auto block(T &&first) {
    return expression<block_of<detail::type_of<T>>>{
        detail::form("block", detail::to_datum(std::forward<T>(first)))};
}
/// The block's next value: that of `body`, called with the present one and with the arguments, of which
/// blocks are read. The order of updates of the same blocks is that in which the program meets them.
template <class T, class Body, class... Arguments>
auto update(const expression<block_of<T>> &written, Body &&body, const Arguments &...arguments) {
    return expression<block_of<T>>{
        detail::form("update", written.built(),
                     detail::updating<Body, T, detail::value_in<Arguments>...>(std::forward<Body>(body)),
                     detail::to_datum(arguments)...)};
}
/// The value that the updates met before leave.
template <class T> expression<T> read_block(const expression<block_of<T>> &read) {
    return expression<T>{detail::form("read", read.built())};
}
/// Runs the body for each index from first to before end, one after the other.
template <class First, class End, class Body>
expression<> for_(First &&first, // NOLINT(readability-identifier-naming): `for` is a keyword
                  End &&end, Body &&body) {
    const auto index = datum::of_symbol(detail::fresh_name());
    return expression<>{detail::form("for", index, detail::to_datum(first), detail::to_datum(end),
                                     detail::to_datum(body(expression<std::int64_t>{index})))};
}

} // namespace lisle::tasks
