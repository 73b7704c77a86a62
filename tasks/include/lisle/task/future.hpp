// SPDX-License-Identifier: Apache-2.0
// Programs that run while their rank goes on: futures, and coroutines that wait for them.
//
//     tasks::routine<double> simulate(tasks::machine &machine) {
//         auto left = machine.submit(solve(a)), right = machine.submit(solve(b));   // both at once
//         co_return co_await left + co_await right;
//     }
//     double sum = machine.run(simulate(machine));
//
// All of it belongs to the thread of the machine's rank. Needs no MPI.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

#include "lisle/task/machine.hpp"

namespace lisle::tasks {

/// The value that a program will have. Its machine has to outlive it.
template <class T> class future {
  public:
    future(machine &of, std::uint64_t program) noexcept : machine_{&of}, program_{program} {}
    future(future &&other) noexcept
        : machine_{std::exchange(other.machine_, nullptr)}, program_{other.program_} {}
    future &operator=(future &&other) noexcept {
        machine_ = std::exchange(other.machine_, nullptr);
        program_ = other.program_;
        return *this;
    }
    /// Whether get() would not wait. Throws std::logic_error if the value has been taken.
    [[nodiscard]] bool is_ready() const { return asked().is_complete(program_); }
    /// Works until the value is there, and takes it. Throws as machine::evaluate, and std::logic_error if it
    /// has been taken.
    T get() {
        machine &from = asked();
        machine_ = nullptr;
        result taken = from.wait(program_);
        if constexpr (std::is_same_v<T, result>) {
            return taken;
        } else if constexpr (std::is_same_v<T, value>) {
            return taken.get();
        } else {
            return taken.template as<T>();
        }
    }
    /// Ends the program: nothing of it begins any more, and get() throws a task_error that says so.
    void cancel() { asked().cancel(program_); }

    // For co_await.
    [[nodiscard]] bool await_ready() const { return is_ready(); }
    void await_suspend(std::coroutine_handle<> waiting) { asked().resume_after(program_, waiting); }
    T await_resume() { return get(); }

  private:
    [[nodiscard]] machine &asked() const {
        if (machine_ == nullptr) {
            throw std::logic_error{"a future whose value has been taken"};
        }
        return *machine_;
    }
    machine *machine_;
    std::uint64_t program_;
};

namespace detail {

/// What a coroutine leaves to the one that waits for it.
class routine_state {
  public:
    static std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
        struct to_waiting {
            std::coroutine_handle<> waiting;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
                return waiting ? waiting : std::noop_coroutine();
            }
            void await_resume() const noexcept {}
        };
        return to_waiting{waiting_};
    }
    void wait(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }

  private:
    std::coroutine_handle<> waiting_;
};

template <class T> class routine_promise : public routine_state {
  public:
    auto get_return_object() noexcept { return std::coroutine_handle<routine_promise>::from_promise(*this); }
    void unhandled_exception() { result_.template emplace<2>(std::current_exception()); }
    template <class Given> void return_value(Given &&given) {
        result_.template emplace<1>(std::forward<Given>(given));
    }
    T take() {
        if (result_.index() == 2) {
            std::rethrow_exception(std::get<2>(result_));
        }
        return std::move(std::get<1>(result_));
    }

  private:
    std::variant<std::monostate, T, std::exception_ptr> result_;
};
template <> class routine_promise<void> : public routine_state {
  public:
    auto get_return_object() noexcept { return std::coroutine_handle<routine_promise>::from_promise(*this); }
    void unhandled_exception() { failed_ = std::current_exception(); }
    void return_void() const noexcept {}
    void take() const {
        if (failed_) {
            std::rethrow_exception(failed_);
        }
    }

  private:
    std::exception_ptr failed_;
};

} // namespace detail

/// A coroutine that waits for futures and other routines. It begins when it is called and goes on in
/// machine::run(), where all that wait have their turn.
template <class T = void> class [[nodiscard]] routine {
  public:
    using promise_type = detail::routine_promise<T>;
    routine(std::coroutine_handle<promise_type> begun) noexcept : begun_{begun} {}
    routine(routine &&other) noexcept : begun_{std::exchange(other.begun_, {})} {}
    routine &operator=(routine &&) = delete;
    /// @pre it has ended, or nothing that it waits for will end
    ~routine() {
        if (begun_) {
            begun_.destroy();
        }
    }
    [[nodiscard]] bool has_ended() const noexcept { return begun_.done(); }
    /// Its result, or the exception that has ended it. @pre has_ended()
    T take() { return begun_.promise().take(); }

    // For co_await.
    [[nodiscard]] bool await_ready() const noexcept { return has_ended(); }
    void await_suspend(std::coroutine_handle<> waiting) noexcept { begun_.promise().wait(waiting); }
    T await_resume() { return take(); }

  private:
    std::coroutine_handle<promise_type> begun_;
};

template <class T> future<T> machine::submit(const expression<T> &main) {
    return {*this, start(tasks::program(main))};
}
inline future<result> machine::submit(const source &program) {
    return {*this, start(program)};
}
template <class T> T machine::run(routine<T> begun) {
    run_until([&begun] { return begun.has_ended(); });
    return begun.take();
}

} // namespace lisle::tasks
