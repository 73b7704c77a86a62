// SPDX-License-Identifier: Apache-2.0
// The embedded form: expressions of C++ that build the same programs as text does.
//
//     auto x = tasks::par(sort(a), sort(b));           // sort: a method that registry::add returned
//     tasks::function<long(long)> fib{"fib"};
//     fib = [&](tasks::expression<long> n) { return tasks::if_(n < 2, n, fib(n - 1) + fib(n - 2)); };
//     machine.evaluate(tasks::program(fib(20), fib));
//
// Needs no MPI.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/task/box.hpp"
#include "lisle/task/datum.hpp"

namespace lisle::tasks {

/// An expression whose value will be a T; `value` if that is only known when it runs.
template <class T = value> class expression {
  public:
    using type = T;
    explicit expression(datum built) : built_{std::move(built)} {}
    [[nodiscard]] const datum &built() const noexcept { return built_; }

    /// The same on a certain tile: `sort(a).on_tile(3)`, as `(sort[3] a)`. @pre a call
    template <class Tile> expression on_tile(const Tile &tile) const;
    /// The same on a certain rank: `(sort@1 a)`. @pre a call
    template <class Rank> expression on_rank(const Rank &rank) const;
    /// Before other tasks that may run anywhere, or with a negative number after them: `(sort^3 a)`. @pre a
    /// call
    template <class Priority> expression with_priority(const Priority &priority) const;
    /// By a policy: "here", "round-robin", "least-loaded", "owner". @pre a call
    expression by_policy(std::string policy) const {
        auto placed = built_;
        placed.items.front().rank = {datum::of_symbol(std::move(policy), built_.where)};
        return expression{std::move(placed)};
    }

  private:
    datum built_;
};

namespace detail {

template <class T> inline constexpr bool is_expression = false;
template <class T> inline constexpr bool is_expression<expression<T>> = true;
template <class T>
concept an_expression = is_expression<std::remove_cvref_t<T>>;

template <class T> datum to_datum(T &&given) {
    if constexpr (an_expression<T>) {
        return given.built();
    } else {
        return datum::of_constant(to_value(std::forward<T>(given)));
    }
}
/// An argument for a parameter of type P: an expression of a fitting type, or a constant that becomes a P.
template <class P, class T> datum argument_datum(T &&given) {
    if constexpr (an_expression<T>) {
        using type = typename std::remove_cvref_t<T>::type;
        static_assert(std::is_same_v<type, value> || std::is_same_v<P, value> || std::is_same_v<type, P> ||
                          (std::is_arithmetic_v<type> && std::is_arithmetic_v<P>),
                      "the expression is of another type than the parameter");
        return given.built();
    } else {
        return datum::of_constant(to_value(P(std::forward<T>(given))));
    }
}
template <class... Items> datum form(std::string head, Items &&...items) {
    std::vector<datum> all;
    all.push_back(datum::of_symbol(std::move(head)));
    (all.push_back(std::forward<Items>(items)), ...);
    return datum::of_list(std::move(all));
}
/// A name that no other variable of the program has.
inline std::string fresh_name() {
    // Relaxed: only has to differ.
    static std::atomic<unsigned> last{0};
    return "%" + std::to_string(last.fetch_add(1, std::memory_order_relaxed));
}
template <class... T> struct last_of {
    using type = typename decltype((std::type_identity<T>{}, ...))::type;
};
template <class T> struct plain_type { using type = std::remove_cvref_t<T>; };
template <class T> struct plain_type<expression<T>> { using type = T; };
template <class T> using type_of = typename plain_type<std::remove_cvref_t<T>>::type;
/// The result type of arithmetic on two types.
template <class A, class B> struct common { using type = value; };
template <class A, class B>
requires(std::is_arithmetic_v<A> &&std::is_arithmetic_v<B>) struct common<A, B> {
    using type = decltype(A{} + B{});
};
template <class A, class B> using common_type = typename common<A, B>::type;

} // namespace detail

template <class T> template <class Tile> expression<T> expression<T>::on_tile(const Tile &tile) const {
    auto placed = built_;
    placed.items.front().tile = {detail::to_datum(tile)};
    return expression{std::move(placed)};
}
template <class T> template <class Rank> expression<T> expression<T>::on_rank(const Rank &rank) const {
    auto placed = built_;
    placed.items.front().rank = {detail::to_datum(rank)};
    return expression{std::move(placed)};
}

template <class T> template <class Priority>
expression<T> expression<T>::with_priority(const Priority &priority) const {
    auto placed = built_;
    placed.items.front().priority = {detail::to_datum(priority)};
    return expression{std::move(placed)};
}

/// Evaluates all in parallel; the value of the last.
template <class... Items> auto par(Items &&...items) {
    return expression<detail::type_of<typename detail::last_of<Items...>::type>>{
        detail::form("par", detail::to_datum(std::forward<Items>(items))...)};
}
/// Evaluates one after the other; the value of the last.
template <class... Items> auto seq(Items &&...items) {
    return expression<detail::type_of<typename detail::last_of<Items...>::type>>{
        detail::form("seq", detail::to_datum(std::forward<Items>(items))...)};
}
/// Evaluates all in parallel; the list of the values.
template <class... Items> expression<std::vector<value>> list_of(Items &&...items) {
    return expression<std::vector<value>>{
        detail::form("list", detail::to_datum(std::forward<Items>(items))...)};
}
/// Evaluates only the branch that is chosen.
template <class Condition, class Then, class Else>
auto if_(Condition &&condition, // NOLINT(readability-identifier-naming): `if` is a keyword
         Then &&then, Else &&otherwise) {
    return expression<detail::type_of<Then>>{detail::form(
        "if", detail::to_datum(std::forward<Condition>(condition)),
        detail::to_datum(std::forward<Then>(then)), detail::to_datum(std::forward<Else>(otherwise)))};
}
/// Evaluates `bound` once and gives it to `body` as a variable.
template <class Bound, class Body> auto let(Bound &&bound, Body &&body) {
    const auto name = datum::of_symbol(detail::fresh_name());
    const auto result = body(expression<detail::type_of<Bound>>{name});
    const auto binding =
        datum::of_list({datum::of_list({name, detail::to_datum(std::forward<Bound>(bound))})});
    return expression<detail::type_of<decltype(result)>>{detail::form("let", binding, result.built())};
}

namespace detail {
template <class... Parameters, class Body> datum lambda_datum(Body &&body) {
    std::vector<datum> names;
    ((static_cast<void>(sizeof(Parameters)), names.push_back(datum::of_symbol(fresh_name()))), ...);
    const auto result = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return to_datum(body(expression<Parameters>{names[I]}...));
    }
    (std::index_sequence_for<Parameters...>{});
    return form("lambda", datum::of_list(names), result);
}
} // namespace detail

/// A function as a value: `lambda<long>([](auto x) { return x * x; })`.
template <class... Parameters, class Body> expression<> lambda(Body &&body) {
    return expression<>{detail::lambda_datum<Parameters...>(body)};
}
template <class... Arguments> expression<> apply(const expression<> &function, Arguments &&...arguments) {
    return expression<>{
        detail::form("apply", function.built(), detail::to_datum(std::forward<Arguments>(arguments))...)};
}
/// The integers from first to before end.
template <class First, class End> expression<> range_of(First &&first, End &&end) {
    return expression<>{detail::form("range", detail::to_datum(first), detail::to_datum(end))};
}
/// Applies the function to all elements in parallel: `map<long>(square, range_of(1, 1001))`.
template <class Element = value, class Body, class Sequence>
expression<> map(Body &&body, Sequence &&sequence) {
    return expression<>{detail::form("map", detail::lambda_datum<Element>(body), detail::to_datum(sequence))};
}
/// Combines all elements, in their order and in a tree: the function has to be associative.
template <class Element = value, class Body, class Sequence>
expression<Element> fold(Body &&body, Sequence &&sequence) {
    return expression<Element>{
        detail::form("fold", detail::lambda_datum<Element, Element>(body), detail::to_datum(sequence))};
}
/// Runs the body for each index from first to before end, in parallel.
template <class First, class End, class Body> expression<> par_for(First &&first, End &&end, Body &&body) {
    const auto index = datum::of_symbol(detail::fresh_name());
    return expression<>{detail::form("par-for", index, detail::to_datum(first), detail::to_datum(end),
                                     detail::to_datum(body(expression<std::int64_t>{index})))};
}
/// Runs the body for contiguous chunks: body(begin, end) for each of so many.
template <class First, class End, class Chunks, class Body>
expression<> par_for_chunks(First &&first, End &&end, Chunks &&chunks, Body &&body) {
    const auto begin = datum::of_symbol(detail::fresh_name()), stop = datum::of_symbol(detail::fresh_name());
    return expression<>{detail::form(
        "par-for-chunks", datum::of_list({begin, stop}), detail::to_datum(first), detail::to_datum(end),
        detail::to_datum(chunks),
        detail::to_datum(body(expression<std::int64_t>{begin}, expression<std::int64_t>{stop})))};
}
/// An expression that is text: `quoted("(fib 20)")`.
inline expression<> written(const std::string &text) {
    return expression<>{read(text, "embedded").forms.at(0)};
}

/// A function with a name, which may call itself. Give it its body before the program is made.
template <class Signature> class function;
template <class Result, class... Parameters> class function<Result(Parameters...)> {
  public:
    explicit function(std::string name) : name_{std::move(name)} {}
    function(const function &) = delete;
    template <class Body> function &operator=(Body &&body) {
        const datum made = detail::lambda_datum<Parameters...>(body);
        auto head = made.items[1];
        head.items.insert(head.items.begin(), datum::of_symbol(name_));
        definition_ = detail::form("define", head, made.items[2]);
        return *this;
    }
    template <class... Arguments>
    requires(sizeof...(Arguments) == sizeof...(Parameters)) expression<Result>
    operator()(Arguments &&...arguments) const {
        return expression<Result>{
            detail::form(name_, detail::argument_datum<Parameters>(std::forward<Arguments>(arguments))...)};
    }
    [[nodiscard]] const datum &definition() const noexcept { return definition_; }

  private:
    std::string name_;
    datum definition_;
};

/// A program of an expression and the functions that it calls.
template <class T, class... Functions>
source program(const expression<T> &main, const Functions &...functions) {
    source made{"embedded", {}};
    (made.forms.push_back(functions.definition()), ...);
    made.forms.push_back(main.built());
    return made;
}

// Operators on expressions: computed when the program runs.
template <class A, class B>
concept one_expression = detail::an_expression<A> || detail::an_expression<B>;

namespace detail {
template <class A, class B> auto arithmetic(const char *name, const A &a, const B &b) {
    return expression<common_type<type_of<A>, type_of<B>>>{form(name, to_datum(a), to_datum(b))};
}
template <class A, class B> expression<bool> comparison(const char *name, const A &a, const B &b) {
    return expression<bool>{form(name, to_datum(a), to_datum(b))};
}
} // namespace detail

template <class A, class B>
requires one_expression<A, B>
auto operator+(const A &a, const B &b) {
    return detail::arithmetic("+", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator-(const A &a, const B &b) {
    return detail::arithmetic("-", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator*(const A &a, const B &b) {
    return detail::arithmetic("*", a, b);
}
/// Of integers the whole part, as in C++.
template <class A, class B>
requires one_expression<A, B>
auto operator/(const A &a, const B &b) {
    constexpr bool whole = std::is_integral_v<detail::type_of<A>> && std::is_integral_v<detail::type_of<B>>;
    return detail::arithmetic(whole ? "div" : "/", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator%(const A &a, const B &b) {
    return detail::arithmetic("mod", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator<(const A &a, const B &b) {
    return detail::comparison("<", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator<=(const A &a, const B &b) {
    return detail::comparison("<=", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator>(const A &a, const B &b) {
    return detail::comparison(">", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator>=(const A &a, const B &b) {
    return detail::comparison(">=", a, b);
}
template <class A, class B>
requires one_expression<A, B>
auto operator==(const A &a, const B &b) {
    return detail::comparison("=", a, b);
}

} // namespace lisle::tasks
