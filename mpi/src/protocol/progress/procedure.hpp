// SPDX-License-Identifier: Apache-2.0
// An operation of several stages, written as one coroutine. Between two stages it awaits an operation that
// others take part in, or a condition. So blocking calls, which wait between stages, and non-blocking ones,
// which are asked now and then (progressed_request), run the same code.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "protocol/message/request.hpp"

namespace lisle::protocol {

/// Gives an operation back, complete or not.
struct give_back_request {
    void operator()(request *started) const { started->free(); }
};
using started_request = std::unique_ptr<request, give_back_request>;

/// The coroutine's return type. In it, `co_await` takes
/// - a request, which it gives back when it is complete, and throws what that ended with; null: nothing;
/// - `until{condition}`, which is asked again and again.
/// A procedure that is destroyed before its end gives back what it awaits.
class [[nodiscard]] procedure {
    /// What the procedure awaits: lies in the coroutine's frame.
    class suspension {
      public:
        virtual ~suspension() = default;
        [[nodiscard]] virtual bool over() const = 0;
    };

  public:
    struct promise_type;

    /// `co_await until{condition}`
    template <class Condition> struct until { Condition condition; };

    procedure(procedure &&other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
    procedure &operator=(procedure &&other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~procedure();

    /// False: it would only be asked in vain to advance.
    [[nodiscard]] bool may_go_on() const;
    /// Does what can be done without waiting. True when all is done. Throws what the coroutine has thrown.
    [[nodiscard]] bool advance();

  private:
    using frame = std::coroutine_handle<promise_type>;
    explicit procedure(frame of) noexcept : frame_{of} {}

    class awaiting : public suspension {
      public:
        [[nodiscard]] bool await_ready() const { return over(); }
        void await_suspend(frame by) noexcept;
    };
    class awaited_request final : public awaiting {
      public:
        explicit awaited_request(request *started) noexcept : started_{started} {}
        [[nodiscard]] bool over() const override {
            // Acquire: pairs with the release store of the thread that completed the operation.
            return started_ == nullptr || started_->complete.load(std::memory_order_acquire);
        }
        void await_resume() const {
            if (started_ != nullptr && started_->result.error != MPI_SUCCESS) {
                throw mpi_error{started_->result.error, started_->failure()};
            }
        }

      private:
        started_request started_;
    };
    template <class Condition> class awaited_condition final : public awaiting {
      public:
        explicit awaited_condition(Condition condition) : condition_{std::move(condition)} {}
        [[nodiscard]] bool over() const override { return condition_(); }
        void await_resume() const noexcept {}

      private:
        Condition condition_;
    };

    frame frame_;
};

struct procedure::promise_type {
    const suspension *awaited = nullptr;
    std::exception_ptr failure;

    procedure get_return_object() { return procedure{frame::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { failure = std::current_exception(); }
    awaited_request await_transform(request *started) noexcept { return awaited_request{started}; }
    template <class Condition> awaited_condition<Condition> await_transform(until<Condition> wanted) {
        return awaited_condition<Condition>{std::move(wanted.condition)};
    }
};

inline procedure::~procedure() {
    if (frame_) {
        frame_.destroy();
    }
}

inline bool procedure::may_go_on() const {
    const suspension *const awaited = frame_.promise().awaited;
    return awaited == nullptr || awaited->over();
}

inline bool procedure::advance() {
    while (!frame_.done() && may_go_on()) {
        frame_.promise().awaited = nullptr;
        frame_.resume();
        if (const std::exception_ptr failure = std::exchange(frame_.promise().failure, nullptr)) {
            std::rethrow_exception(failure);
        }
    }
    return frame_.done();
}

inline void procedure::awaiting::await_suspend(frame by) noexcept {
    by.promise().awaited = this;
}

} // namespace lisle::protocol
