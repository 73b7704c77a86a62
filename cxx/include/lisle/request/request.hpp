// SPDX-License-Identifier: Apache-2.0
// Operations under way. A future knows what its operation will give: the object that was received, the
// container that was moved in to be sent. It owns what the operation needs, or borrows it where the program
// said so, and waits in its destructor: nothing is freed that MPI still uses.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "lisle/detail/error.hpp"
#include "lisle/request/status.hpp"
#include "lisle/request/unposted.hpp"

namespace lisle {

namespace detail {

/// What an operation owns. Lives at one address until the operation is complete.
class operation {
  public:
    operation() = default;
    operation(const operation &) = delete;
    operation &operator=(const operation &) = delete;
    virtual ~operation() = default;
    /// Starts what could not be started at once (without Lisle's extensions), or completes what consists of
    /// several requests of MPI's and leaves none. False: not yet.
    virtual bool prepare(MPI_Request &, bool /*wait*/) { return true; }
    /// Gives up an operation that could not be started yet. False: it has been.
    virtual bool withdraw() { return false; }
};

/// What a persistent operation owns; and its rounds, if it is not a request of MPI's.
class persistent_owner : public operation {
  public:
    virtual void start() {}
    /// True if no round is under way, after waiting if it is asked to.
    virtual bool finish(bool /*wait*/) { return true; }
};

/// An operation that gives a T when it is complete.
template <class T> class result_of : public operation {
  public:
    virtual T take(const status &ended) = 0;
};

/// What a function returns for the result of an operation, which may be none.
template <class Function, class T> struct call_with : std::invoke_result<Function &, T> {};
template <class Function> struct call_with<Function, void> : std::invoke_result<Function &> {};

template <class T, class Function, class Result> class continuation;

/// Why a future has no result to give.
template <class Status = status>
LISLE_NORETURN [[gnu::cold, gnu::noinline]] void raise_no_result(bool complete, bool cancelled) {
    raise(MPI_ERR_REQUEST, "lisle::future", {},
          !complete   ? "the operation is not complete: call wait(), or test() until it gives the result"
          : cancelled ? "the operation was cancelled and has no result"
                      : "there is no result: wait(), test() or take() has given it, or the future was moved "
                        "from, or it never had an operation");
}

} // namespace detail

/// Any operation under way: the base of all futures. Movable; its destructor waits.
class [[nodiscard]] request {
  public:
    request() noexcept = default;
    /// Takes a request that was started by C.
    explicit request(MPI_Request handle) noexcept : handle_{handle} {}
    request(MPI_Request handle, std::unique_ptr<detail::operation> owner) noexcept
        : handle_{handle}, operation_{std::move(owner)} {}
    request(request &&other) noexcept
        : handle_{std::exchange(other.handle_, MPI_REQUEST_NULL)}, operation_{std::move(other.operation_)},
          status_{other.status_}, unwinding_{other.unwinding_}, code_{other.code_},
          complete_{std::exchange(other.complete_, true)}, asked_to_end_{other.asked_to_end_} {}
    request &operator=(request &&other) noexcept {
        if (this != &other) {
            settle();
            handle_ = std::exchange(other.handle_, MPI_REQUEST_NULL);
            operation_ = std::move(other.operation_);
            status_ = other.status_;
            unwinding_ = other.unwinding_;
            code_ = other.code_;
            complete_ = std::exchange(other.complete_, true);
            asked_to_end_ = other.asked_to_end_;
        }
        return *this;
    }
    ~request() { settle(); }

    /// Waits until the operation is complete; its result stays where it is. Throws what it failed with.
    void wait_complete() {
        if (!complete_) {
            if (operation_ != nullptr)
                operation_->prepare(handle_, true);
            note(detail::wait_and_match(&handle_, status_.native()));
        }
        detail::check(code_, "MPI_Wait");
    }
    /// True once the operation is complete. Never waits. Throws what it failed with.
    bool ready() {
        if (!complete_) {
            if (operation_ != nullptr && !operation_->prepare(handle_, false))
                return false;
            int flag = 0;
            const int code = MPI_Test(&handle_, &flag, status_.native());
            if (flag != 0 || code != MPI_SUCCESS)
                note(code);
        }
        detail::check(code_, "MPI_Test");
        return complete_;
    }
    /// Cancels an operation that has not been matched yet; then wait, and look at status().cancelled().
    void cancel() {
        if (complete_)
            return;
        asked_to_end_ = true;
        if (handle_ != MPI_REQUEST_NULL) {
            detail::check(MPI_Cancel(&handle_), "MPI_Cancel");
        } else if (operation_ != nullptr && operation_->withdraw()) {
            MPI_Status_set_cancelled(status_.native(), 1);
            complete_ = true;
        }
    }
    /// Of a complete operation.
    [[nodiscard]] const lisle::status &status() const noexcept { return status_; }

    /// The handle, for calls of C.
    [[nodiscard]] MPI_Request native() const noexcept { return handle_; }
    /// Gives a request without buffers of its own back to C.
    [[nodiscard]] MPI_Request release() noexcept {
        complete_ = true;
        return std::exchange(handle_, MPI_REQUEST_NULL);
    }

  protected:
    friend class request_access;
    /// What a completed call of MPI says of this request.
    void note(int code) noexcept {
        complete_ = true;
        code_ = code;
    }
    /// For destructors and assignments. While an exception passes, operations that may never be matched are
    /// cancelled.
    void settle() noexcept {
        if (complete_ || (handle_ == MPI_REQUEST_NULL && operation_ == nullptr))
            return;
        complete_ = true;
        static_cast<void>(detail::caught([this] { // there is no way to tell
            const bool unwinding = std::uncaught_exceptions() > unwinding_;
            if (handle_ == MPI_REQUEST_NULL && unwinding && operation_->withdraw())
                return;
            if (operation_ != nullptr)
                operation_->prepare(handle_, true);
            if (unwinding && handle_ != MPI_REQUEST_NULL)
                MPI_Cancel(&handle_);
            detail::wait_and_match(&handle_, MPI_STATUS_IGNORE);
        }));
    }

    MPI_Request handle_ = MPI_REQUEST_NULL;
    std::unique_ptr<detail::operation> operation_;
    lisle::status status_;
    int unwinding_ = std::uncaught_exceptions();
    int code_ = MPI_SUCCESS;
    bool complete_ = false;
    bool asked_to_end_ = false; ///< cancel() was called, which may have come too late
};

/// An operation that will give a T. `future<void>` gives nothing but the news that it is over.
///
/// The result is given once: a second wait(), one on a future that was moved from or made without an
/// operation, a take() before the operation is complete and a wait() for a cancelled receive throw an error
/// of class MPI_ERR_REQUEST. Futures that give no object of their own (future<>, future<status>) may be
/// waited for again.
///
///     lisle::future<std::vector<int>> values = world.ireceive<std::vector<int>>(0);
///     compute();
///     use(values.wait());
template <class T = void> class [[nodiscard]] future : public request {
  public:
    using value_type = T;

    future() noexcept { complete_ = true; }
    /// The completion of another operation, without its result.
    template <class Other>
    requires(std::is_void_v<T> && !std::is_void_v<Other>) future(future<Other> &&other)
    noexcept : request{std::move(other)} {}
    explicit future(MPI_Request handle, std::unique_ptr<detail::operation> owner = nullptr) noexcept
        requires(std::is_void_v<T> || std::is_same_v<T, lisle::status>)
        : request{handle, std::move(owner)} {}
    future(MPI_Request handle, std::unique_ptr<detail::result_of<T>> owner) noexcept
        requires(!std::is_void_v<T> && !std::is_same_v<T, lisle::status>)
        : request{handle, std::move(owner)} {}

    /// Waits for the operation and returns its result: once.
    T wait() {
        wait_complete();
        return take();
    }
    /// The result if the operation is complete, otherwise nothing (false, if there is no result). Never
    /// waits.
    auto test() {
        if constexpr (std::is_void_v<T>)
            return ready();
        else
            return ready() ? std::optional<T>{take()} : std::optional<T>{};
    }
    /// What comes after the operation: a future of what `function` makes of the result. The function runs
    /// once, in the rank that waits or tests until the operation is complete, also if the new future is
    /// dropped; not if the operation fails, whose error the new future throws.
    ///
    ///     lisle::future<double> mean = world.ireceive<std::vector<double>>(0).then(mean_of);
    template <class Function> auto then(Function function) && {
        using result = typename detail::call_with<Function, T>::type;
        return future<result>{MPI_REQUEST_NULL, std::make_unique<detail::continuation<T, Function, result>>(
                                                    std::move(*this), std::move(function))};
    }
    /// The result of an operation that is known to be complete.
    T take() {
        if (!detail::check(code_, "MPI_Wait"))
            return detail::no_value<T>();
        if (!complete_) [[unlikely]] {
            detail::raise_no_result(false, false);
            return detail::no_value<T>();
        }
        if constexpr (std::is_same_v<T, lisle::status>) {
            return status_;
        } else if constexpr (std::is_void_v<T>) {
            operation_.reset();
        } else {
            const bool cancelled = asked_to_end_ && status_.cancelled();
            if (operation_ == nullptr || cancelled) [[unlikely]] {
                detail::raise_no_result(true, cancelled);
                return detail::no_value<T>();
            }
            const std::unique_ptr<detail::operation> owner = std::move(operation_);
            return static_cast<detail::result_of<T> &>(*owner).take(status_);
        }
    }
};

namespace detail {

/// A function of the result of another operation. No request of MPI's: the rank that waits or tests runs it.
template <class T, class Function, class Result> class continuation final : public result_of<Result> {
  public:
    continuation(future<T> &&before, Function &&function)
        : before_{std::move(before)}, function_{std::move(function)} {}
    bool prepare(MPI_Request &, bool wait) override {
        if (wait)
            before_.wait_complete();
        else if (!before_.ready())
            return false;
        if (!std::exchange(begun_, true))
            run();
        return true;
    }
    Result take(const status &) override {
        if constexpr (!std::is_void_v<Result>) {
            if (!result_.has_value()) {
                raise_no_result(true, false); // the function threw, which was told
                return no_value<Result>();
            }
            return std::move(*result_);
        }
    }

  private:
    void run() {
        const auto call = [this]() -> Result {
            if constexpr (std::is_void_v<T>)
                return function_();
            else
                return function_(before_.take());
        };
        if constexpr (std::is_void_v<Result>)
            call();
        else
            result_.emplace(call());
    }

    future<T> before_;
    Function function_;
    bool begun_ = false;
    std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result_;
};

} // namespace detail

} // namespace lisle
