// SPDX-License-Identifier: Apache-2.0
// co_await on every operation. A task is a coroutine; a scheduler runs tasks in the thread that calls it and
// waits in MPI for whatever their operations need, so a fiber rank gives its place to others meanwhile and a
// thread sleeps. A scheduler and its tasks belong to one thread.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/request/persistent.hpp"
#include "lisle/request/request_pool.hpp"

namespace lisle {

/// Runs tasks that wait for operations of MPI.
///
///     lisle::task<> talk(lisle::communicator comm, int other) {
///         co_await comm.isend(comm.rank(), other);
///         int got = co_await comm.ireceive<int>(other);
///     }
///     lisle::scheduler scheduler;
///     for (int other = 0; other < world.size(); ++other)
///         scheduler.spawn(talk(world, other));
///     scheduler.run();
class scheduler {
  public:
    scheduler() = default;
    scheduler(const scheduler &) = delete;
    scheduler &operator=(const scheduler &) = delete;
    ~scheduler();

    /// Adds a task. It starts in run(). One that gives a value leaves it in what spawn() returns.
    ///
    ///     lisle::spawned<int> sum = scheduler.spawn(add_up(world));
    ///     scheduler.run();
    ///     use(sum.get());
    template <class Task> auto spawn(Task work);
    /// Runs all tasks to their ends, then throws the first exception that left one of them.
    void run();

    /// A continuation: a coroutine, or an operation of execution.hpp.
    struct resumption {
        void (*go_on)(void *self);
        void *self;

        static resumption of(std::coroutine_handle<> waiting) noexcept {
            return {[](void *frame) { std::coroutine_handle<>::from_address(frame).resume(); },
                    waiting.address()};
        }
    };
    /// For awaiters: resumes `waiting` when `operation` is complete.
    void resume_after(request &operation, resumption waiting) {
        operations_.push_back(&operation);
        waiting_.push_back(waiting);
    }
    /// For awaiters: resumes `next` in the next turn.
    void resume_soon(resumption next) { ready_.push_back(next); }

  private:
    std::deque<resumption> ready_;
    std::vector<request *> operations_;
    std::vector<resumption> waiting_; ///< the continuation of each operation
    struct root_task;
    std::vector<root_task> tasks_;
};

namespace detail {

/// The base of the promises of all tasks.
struct promise_base {
    lisle::scheduler *scheduler = nullptr;
    std::coroutine_handle<> continuation; ///< awaits this task
    std::exception_ptr failure;

    std::suspend_always initial_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }
    auto final_suspend() noexcept {
        struct awaiter {
            std::coroutine_handle<> next;
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept {
                return next ? next : std::noop_coroutine();
            }
            void await_resume() noexcept {}
        };
        return awaiter{continuation};
    }
};

template <class T> struct promise : promise_base {
    std::optional<T> value;
    template <std::convertible_to<T> Value> void return_value(Value &&result) {
        value.emplace(std::forward<Value>(result));
    }
    auto get_return_object() { return std::coroutine_handle<promise>::from_promise(*this); }
    T result() {
        if (failure)
            std::rethrow_exception(failure);
        return std::move(*value);
    }
};
template <> struct promise<void> : promise_base {
    void return_void() noexcept {}
    auto get_return_object() { return std::coroutine_handle<promise>::from_promise(*this); }
    void result() const {
        if (failure)
            std::rethrow_exception(failure);
    }
};

} // namespace detail

namespace detail {

template <class T> struct task_awaiter {
    std::coroutine_handle<promise<T>> frame;
    bool await_ready() noexcept { return false; }
    template <std::derived_from<promise_base> Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> caller) noexcept {
        frame.promise().scheduler = caller.promise().scheduler;
        frame.promise().continuation = caller;
        return frame;
    }
    T await_resume() { return frame.promise().result(); }
};

} // namespace detail

/// A coroutine that gives a T. Runs when it is awaited or spawned; owns its frame.
template <class T = void> class [[nodiscard]] task {
  public:
    using promise_type = detail::promise<T>;

    task(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame} {}
    task(task &&other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
    task &operator=(task &&other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~task() {
        if (frame_)
            frame_.destroy();
    }

    [[nodiscard]] std::coroutine_handle<promise_type> frame() const noexcept { return frame_; }

    detail::task_awaiter<T> operator co_await() &&noexcept { return {frame_}; }

  private:
    std::coroutine_handle<promise_type> frame_;
};

struct scheduler::root_task {
    task<void> work;
};

/// The value of a task that was spawned.
template <class T> class spawned {
  public:
    /// The value: once, after scheduler::run(). Throws an error of class MPI_ERR_REQUEST if there is none:
    /// the task has not ended, an exception has left it, which run() has thrown, or the value was taken.
    T get() {
        if (!value_->has_value()) [[unlikely]]
            detail::raise(MPI_ERR_REQUEST, "lisle::spawned", {},
                          "there is no value: the task has not ended, or has failed, or the value was taken");
        T taken = std::move(**value_);
        value_->reset();
        return taken;
    }

  private:
    friend scheduler;
    std::shared_ptr<std::optional<T>> value_ = std::make_shared<std::optional<T>>();
};

inline scheduler::~scheduler() = default;

template <class Task> auto scheduler::spawn(Task work) {
    using value = decltype(work.frame().promise().result());
    if constexpr (std::is_void_v<value>) {
        work.frame().promise().scheduler = this;
        ready_.push_back(resumption::of(work.frame()));
        tasks_.push_back({std::move(work)});
    } else {
        const spawned<value> place;
        spawn([](Task inner, std::shared_ptr<std::optional<value>> into) -> task<> {
            into->emplace(co_await std::move(inner));
        }(std::move(work), place.value_));
        return place;
    }
}

inline void scheduler::run() {
    for (;;) {
        while (!ready_.empty()) {
            const resumption next = ready_.front();
            ready_.pop_front();
            next.go_on(next.self);
        }
        if (operations_.empty())
            break;
        const std::size_t done = detail::complete_any(operations_, true).value();
        ready_.push_back(waiting_[done]);
        operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(done));
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(done));
    }
    const auto finished = std::exchange(tasks_, {});
    for (const root_task &each : finished)
        each.work.frame().promise().result();
}

/// Runs one task to its end and returns what it gives: `int sum = lisle::run_task(compute(world));`
template <class T> T run_task(task<T> work) {
    lisle::scheduler scheduler;
    if constexpr (std::is_void_v<T>) {
        scheduler.spawn(std::move(work));
        scheduler.run();
    } else {
        spawned<T> value = scheduler.spawn(std::move(work));
        scheduler.run();
        return value.get();
    }
}

namespace detail {

template <class T> struct future_awaiter {
    future<T> operation;
    bool await_ready() { return operation.ready(); }
    template <std::derived_from<promise_base> Promise>
    void await_suspend(std::coroutine_handle<Promise> waiting) {
        waiting.promise().scheduler->resume_after(operation, lisle::scheduler::resumption::of(waiting));
    }
    T await_resume() { return operation.take(); }
};

} // namespace detail

/// `auto values = co_await world.ireceive<std::vector<int>>(0);`
template <class T> detail::future_awaiter<T> operator co_await(future<T> &&operation) {
    return {std::move(operation)};
}

namespace detail {

struct persistent_awaiter {
    request round; ///< a view: this round's end does not free the operation
    bool await_ready() { return round.ready(); }
    template <std::derived_from<promise_base> Promise>
    void await_suspend(std::coroutine_handle<Promise> waiting) {
        waiting.promise().scheduler->resume_after(round, lisle::scheduler::resumption::of(waiting));
    }
    status await_resume() { return round.status(); }
};

} // namespace detail

/// Waits for the round of a persistent or partitioned operation: `halo.start(); co_await halo;`
inline detail::persistent_awaiter operator co_await(persistent &operation) {
    return {operation.round()};
}

} // namespace lisle
