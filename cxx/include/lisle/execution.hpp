// SPDX-License-Identifier: Apache-2.0
// Work on senders, in the manner of std::execution: then, let_value, upon_error, when_all, sync_wait, and
// co_await in tasks. No thread of its own: a scheduler drives everything in the thread that runs it, and
// waits in MPI.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lisle/sender.hpp"

namespace lisle {

namespace detail {

// ---- lists of values ----

template <class F, class List> struct result_with;
template <class F, class... Values> struct result_with<F, type_list<Values...>>
    : std::invoke_result<F &, Values...> {};
template <class F, class List> struct result_with_references;
template <class F, class... Values> struct result_with_references<F, type_list<Values...>>
    : std::invoke_result<F &, Values &...> {};
template <class List> struct values_tuple;
template <class... Values> struct values_tuple<type_list<Values...>> { using type = std::tuple<Values...>; };
template <class List> using tuple_of = typename values_tuple<List>::type;
template <class... Lists> struct joined_lists { using type = type_list<>; };
template <class... A, class... B, class... Others>
struct joined_lists<type_list<A...>, type_list<B...>, Others...>
    : joined_lists<type_list<A..., B...>, Others...> {};
template <class... A> struct joined_lists<type_list<A...>> { using type = type_list<A...>; };

/// A list of types as a single one: void, the only type, or a tuple.
template <class List> struct single { using type = tuple_of<List>; };
template <> struct single<type_list<>> { using type = void; };
template <class T> struct single<type_list<T>> { using type = T; };
template <class S> using result_of_sender = typename single<values_of<S>>::type;

// ---- then, upon_error ----

/// Calls a function and gives its result to a receiver, or what it throws.
template <class Receiver, class Call> void give_result(Receiver &receiver, Call call) noexcept {
    using result = std::invoke_result_t<Call &>;
    std::optional<std::conditional_t<std::is_void_v<result>, nothing, result>> value;
    try {
        if constexpr (std::is_void_v<result>)
            call();
        else
            value.emplace(call());
    } catch (...) {
        return receiver.set_error(std::current_exception());
    }
    if constexpr (std::is_void_v<result>)
        receiver.set_value();
    else
        receiver.set_value(std::move(*value));
}

template <class Receiver, class F> struct then_receiver {
    Receiver next;
    F function;
    template <class... Values> void set_value(Values &&...values) noexcept {
        give_result(next, [&]() -> decltype(auto) { return function(std::forward<Values>(values)...); });
    }
    void set_error(std::exception_ptr failure) noexcept { next.set_error(std::move(failure)); }
    void set_stopped() noexcept { next.set_stopped(); }
    [[nodiscard]] sender_environment environment() const noexcept { return next.environment(); }
};
template <class Receiver, class F> struct upon_error_receiver {
    Receiver next;
    F function;
    template <class... Values> void set_value(Values &&...values) noexcept {
        next.set_value(std::forward<Values>(values)...);
    }
    void set_error(std::exception_ptr failure) noexcept {
        give_result(next, [&]() -> decltype(auto) { return function(std::move(failure)); });
    }
    void set_stopped() noexcept { next.set_stopped(); }
    [[nodiscard]] sender_environment environment() const noexcept { return next.environment(); }
};

/// A sender whose receiver is put before another.
template <class S, class F, template <class, class> class Before, class Values> class adapted_sender {
  public:
    using sender_concept = sender_tag;
    using values = Values;
    adapted_sender(S &&before, F function) : before_{std::move(before)}, function_{std::move(function)} {}
    template <class Receiver> auto connect(Receiver receiver) && {
        return std::move(before_).connect(Before<Receiver, F>{std::move(receiver), std::move(function_)});
    }

  private:
    S before_;
    F function_;
};

// ---- let_value ----

template <class S, class F> class let_sender {
    using next_sender = sender_of<typename result_with_references<F, values_of<S>>::type>;

  public:
    using sender_concept = sender_tag;
    using values = typename next_sender::values;
    let_sender(S &&before, F function) : before_{std::move(before)}, function_{std::move(function)} {}

    template <class Receiver> class operation {
        struct first_receiver {
            operation *owner;
            template <class... Values> void set_value(Values &&...came) noexcept {
                owner->go_on(std::forward<Values>(came)...);
            }
            void set_error(std::exception_ptr failure) noexcept {
                owner->receiver_.set_error(std::move(failure));
            }
            void set_stopped() noexcept { owner->receiver_.set_stopped(); }
            [[nodiscard]] sender_environment environment() const noexcept {
                return owner->receiver_.environment();
            }
        };
        struct second_receiver {
            operation *owner;
            template <class... Values> void set_value(Values &&...came) noexcept {
                owner->receiver_.set_value(std::forward<Values>(came)...);
            }
            void set_error(std::exception_ptr failure) noexcept {
                owner->receiver_.set_error(std::move(failure));
            }
            void set_stopped() noexcept { owner->receiver_.set_stopped(); }
            [[nodiscard]] sender_environment environment() const noexcept {
                return owner->receiver_.environment();
            }
        };

      public:
        operation(S &&before, F &&function, Receiver receiver)
            : function_{std::move(function)}, receiver_{std::move(receiver)},
              first_(std::move(before).connect(first_receiver{this})) {}
        operation(const operation &) = delete;
        operation &operator=(const operation &) = delete;
        void start() noexcept { first_.start(); }

      private:
        using second_operation = operation_of<next_sender, second_receiver>;

        template <class... Values> void go_on(Values &&...came) noexcept {
            try {
                kept_.emplace(std::forward<Values>(came)...);
                second_.reset(new second_operation(
                    as_sender(std::apply(function_, *kept_)).connect(second_receiver{this})));
            } catch (...) {
                return receiver_.set_error(std::current_exception());
            }
            second_->start();
        }

        F function_;
        Receiver receiver_;
        std::optional<tuple_of<values_of<S>>> kept_; ///< what came first, until the end
        operation_of<S, first_receiver> first_;
        std::unique_ptr<second_operation> second_;
    };
    template <class Receiver> operation<Receiver> connect(Receiver receiver) && {
        return {std::move(before_), std::move(function_), std::move(receiver)};
    }

  private:
    S before_;
    F function_;
};

// ---- when_all ----

/// One of several operations that lie beside each other, constructed in place.
template <std::size_t, class Operation> struct part { Operation operation; };
template <class Indices, class... Operations> struct parts;
template <std::size_t... I, class... Operations> struct parts<std::index_sequence<I...>, Operations...>
    : part<I, Operations>... {
    void start() noexcept { (static_cast<part<I, Operations> &>(*this).operation.start(), ...); }
};

template <class... S> class all_sender {
  public:
    using sender_concept = sender_tag;
    using values = typename joined_lists<type_list<>, values_of<S>...>::type;
    explicit all_sender(S &&...each) : each_{std::move(each)...} {}

    template <class Receiver> class operation final : stoppable {
        template <std::size_t I> struct part_receiver {
            operation *owner;
            template <class... Values> void set_value(Values &&...came) noexcept {
                try {
                    std::get<I>(owner->came_).emplace(std::forward<Values>(came)...);
                } catch (...) {
                    return owner->fail(std::current_exception());
                }
                owner->one_less();
            }
            void set_error(std::exception_ptr failure) noexcept { owner->fail(std::move(failure)); }
            void set_stopped() noexcept {
                owner->stopped_ = true;
                owner->end_others();
                owner->one_less();
            }
            [[nodiscard]] sender_environment environment() const noexcept {
                return {owner->receiver_.environment().scheduler, &owner->ending_};
            }
        };
        using indices = std::index_sequence_for<S...>;
        template <std::size_t... I>
        static parts<indices, operation_of<S, part_receiver<I>>...> type_of_parts(std::index_sequence<I...>);

      public:
        operation(std::tuple<S...> &&each, Receiver receiver)
            : operation{std::move(each), std::move(receiver), indices{}} {}
        operation(const operation &) = delete;
        operation &operator=(const operation &) = delete;
        void start() noexcept {
            outside_.begin(receiver_.environment().stop, *this);
            parts_.start();
            one_less(); // the start itself: nothing is complete before all have begun
        }

      private:
        template <std::size_t... I>
        operation(std::tuple<S...> &&each, Receiver &&receiver, std::index_sequence<I...>)
            : receiver_{std::move(receiver)},
              parts_{{std::move(std::get<I>(each)).connect(part_receiver<I>{this})}...} {}

        void stop() noexcept override { end_others(); }
        void fail(std::exception_ptr failure) noexcept {
            if (!failure_)
                failure_ = std::move(failure);
            end_others();
            one_less();
        }
        void end_others() noexcept {
            if (!ending_.stopped())
                ending_.stop();
        }
        void one_less() noexcept {
            if (--left_ != 0)
                return;
            outside_.end();
            if (failure_)
                return receiver_.set_error(std::move(failure_));
            if (stopped_)
                return receiver_.set_stopped();
            std::apply(
                [this](auto &...each) {
                    std::apply([this](auto &&...value) { receiver_.set_value(std::move(value)...); },
                               std::tuple_cat(std::move(*each)...));
                },
                came_);
        }

        Receiver receiver_;
        stop_source ending_;
        stop_registration outside_;
        std::tuple<std::optional<tuple_of<values_of<S>>>...> came_;
        std::size_t left_ = sizeof...(S) + 1;
        std::exception_ptr failure_;
        bool stopped_ = false;
        decltype(type_of_parts(indices{})) parts_;
    };
    template <class Receiver> operation<Receiver> connect(Receiver receiver) && {
        return {std::move(each_), std::move(receiver)};
    }

  private:
    std::tuple<S...> each_;
};

// ---- the end of a chain ----

/// The outcome of a chain of senders.
template <class List> struct chain_outcome {
    std::optional<tuple_of<List>> values;
    std::exception_ptr failure;

    auto take() {
        if (failure)
            std::rethrow_exception(failure);
        if (!values.has_value())
            raise(MPI_ERR_REQUEST, "lisle::sender", {},
                  "the operation was stopped, or its scheduler never ran it");
        using result = typename single<List>::type;
        if constexpr (std::is_same_v<result, tuple_of<List>>)
            return std::move(*values);
        else if constexpr (!std::is_void_v<result>)
            return std::move(std::get<0>(*values));
    }
};

/// Keeps the chain_outcome, and lets a coroutine go on.
template <class List> struct last_receiver {
    chain_outcome<List> *into;
    scheduler *driver;
    std::coroutine_handle<> waiting; ///< or null

    template <class... Values> void set_value(Values &&...came) noexcept {
        try {
            into->values.emplace(std::forward<Values>(came)...);
        } catch (...) {
            into->failure = std::current_exception();
        }
        go_on();
    }
    void set_error(std::exception_ptr failure) noexcept {
        into->failure = std::move(failure);
        go_on();
    }
    void set_stopped() noexcept { go_on(); }
    [[nodiscard]] sender_environment environment() const noexcept { return {driver, nullptr}; }

  private:
    void go_on() noexcept {
        if (waiting)
            driver->resume_soon(scheduler::resumption::of(waiting));
    }
};

template <class S> struct sender_awaiter {
    using values = typename S::values;
    S work;
    chain_outcome<values> result;
    std::unique_ptr<operation_of<S, last_receiver<values>>> operation;

    bool await_ready() noexcept { return false; }
    template <std::derived_from<promise_base> Promise>
    void await_suspend(std::coroutine_handle<Promise> waiting) {
        using type = operation_of<S, last_receiver<values>>;
        operation.reset(new type(
            std::move(work).connect(last_receiver<values>{&result, waiting.promise().scheduler, waiting})));
        operation->start();
    }
    auto await_resume() { return result.take(); }
};

/// In tasks: `int sum = co_await lisle::then(...);` Futures and tasks have their own.
template <says_sender S> auto operator co_await(S &&work) {
    using type = std::remove_cvref_t<S>;
    return sender_awaiter<type>{std::forward<S>(work), {}, {}};
}

/// A function of senders whose last argument is given before the sender: `sender | then(f)`.
template <class Call> struct sender_closure {
    Call call;
    template <sender S> friend auto operator|(S &&before, sender_closure closure) {
        return closure.call(std::forward<S>(before));
    }
};

} // namespace detail

/// Gives the result of `function` for the values, or its exception.
///
///     auto doubled = lisle::then(world.ireceive<int>(0), [](int value) { return 2 * value; });
template <sender S, class F> [[nodiscard]] auto then(S &&before, F function) {
    using values =
        typename detail::values_as_list<typename detail::result_with<F, detail::values_of<S>>::type>::type;
    return detail::adapted_sender<detail::sender_of<S>, F, detail::then_receiver, values>{
        detail::as_sender(std::forward<S>(before)), std::move(function)};
}
/// Gives what `function` makes of an error, a std::exception_ptr, instead of the error. It returns what the
/// sender gives.
template <sender S, class F> [[nodiscard]] auto upon_error(S &&before, F function) {
    return detail::adapted_sender<detail::sender_of<S>, F, detail::upon_error_receiver, detail::values_of<S>>{
        detail::as_sender(std::forward<S>(before)), std::move(function)};
}
/// Goes on with the sender that `function` returns for the values, which stay where they are until it is
/// complete.
///
///     auto answer = world.ireceive<int>(left) | lisle::let_value([&](int &got) { return world.isend(got + 1,
///     right); });
template <sender S, class F> [[nodiscard]] auto let_value(S &&before, F function) {
    return detail::let_sender<detail::sender_of<S>, F>{detail::as_sender(std::forward<S>(before)),
                                                       std::move(function)};
}
/// Gives the values of all of them, in their order. If one fails the others are asked to end, and the first
/// error is given once all have.
template <sender... S> [[nodiscard]] auto when_all(S &&...each) {
    return detail::all_sender<detail::sender_of<S>...>{
        detail::sender_of<S>(detail::as_sender(std::forward<S>(each)))...};
}

/// `sender | lisle::then(function)`
template <class F>
requires(!sender<F>) [[nodiscard]] auto then(F function) {
    return detail::sender_closure{[function = std::move(function)](auto &&before) mutable {
        return then(std::forward<decltype(before)>(before), std::move(function));
    }};
}
template <class F>
requires(!sender<F>) [[nodiscard]] auto upon_error(F function) {
    return detail::sender_closure{[function = std::move(function)](auto &&before) mutable {
        return upon_error(std::forward<decltype(before)>(before), std::move(function));
    }};
}
template <class F>
requires(!sender<F>) [[nodiscard]] auto let_value(F function) {
    return detail::sender_closure{[function = std::move(function)](auto &&before) mutable {
        return let_value(std::forward<decltype(before)>(before), std::move(function));
    }};
}

/// Starts a sender, runs `driver` until it has nothing left to do, and returns what the sender has given:
/// nothing, a value, or a tuple. Throws its error; one of class MPI_ERR_REQUEST if it was stopped.
template <sender S> auto sync_wait(scheduler &driver, S &&work) {
    using values = detail::values_of<S>;
    detail::chain_outcome<values> result;
    auto operation = detail::as_sender(std::forward<S>(work))
                         .connect(detail::last_receiver<values>{&result, &driver, nullptr});
    operation.start();
    driver.run();
    return result.take();
}
/// The same with a scheduler of its own.
///
///     auto [left, right] = lisle::sync_wait(lisle::when_all(world.ireceive<int>(1),
///     world.ireceive<int>(2)));
template <sender S> auto sync_wait(S &&work) {
    scheduler driver;
    return sync_wait(driver, std::forward<S>(work));
}

} // namespace lisle
