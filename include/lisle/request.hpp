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

#include "lisle/error.hpp"
#include "lisle/status.hpp"
#include "lisle/unposted.hpp"

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

/// An operation that gives a T when it is complete.
template <class T> class result_of : public operation {
  public:
    virtual T take(const status &ended) = 0;
};

} // namespace detail

/// Any operation under way: what futures of all types have in common. Movable; waits when it is destroyed.
class [[nodiscard]] request {
  public:
    request() noexcept = default;
    /// Takes a request that was started by C.
    explicit request(MPI_Request handle) noexcept : handle_{handle} {}
    request(MPI_Request handle, std::unique_ptr<detail::operation> owner) noexcept
        : handle_{handle}, operation_{std::move(owner)} {}
    request(request &&other) noexcept
        : handle_{std::exchange(other.handle_, MPI_REQUEST_NULL)},
          operation_{std::move(other.operation_)}, status_{other.status_},
          unwinding_{other.unwinding_}, code_{other.code_}, complete_{std::exchange(other.complete_, true)} {}
    request &operator=(request &&other) noexcept {
        if (this != &other) {
            settle();
            handle_ = std::exchange(other.handle_, MPI_REQUEST_NULL);
            operation_ = std::move(other.operation_);
            status_ = other.status_;
            unwinding_ = other.unwinding_;
            code_ = other.code_;
            complete_ = std::exchange(other.complete_, true);
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
    /// Asks for the end of an operation that nobody has met yet; then wait, and see status().cancelled().
    void cancel() {
        if (complete_)
            return;
        if (handle_ != MPI_REQUEST_NULL) {
            detail::check(MPI_Cancel(&handle_), "MPI_Cancel");
        } else if (operation_ != nullptr && operation_->withdraw()) {
            MPI_Status_set_cancelled(status_.native(), 1);
            complete_ = true;
        }
    }
    /// Of a complete operation.
    [[nodiscard]] const lisle::status &status() const noexcept { return status_; }

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
    /// For destructors and assignments. While an exception is on its way, what may never come is cancelled.
    void settle() noexcept {
        if (complete_ || (handle_ == MPI_REQUEST_NULL && operation_ == nullptr))
            return;
        complete_ = true;
        try {
            const bool unwinding = std::uncaught_exceptions() > unwinding_;
            if (handle_ == MPI_REQUEST_NULL && unwinding && operation_->withdraw())
                return;
            if (operation_ != nullptr)
                operation_->prepare(handle_, true);
            if (unwinding && handle_ != MPI_REQUEST_NULL)
                MPI_Cancel(&handle_);
            detail::wait_and_match(&handle_, MPI_STATUS_IGNORE);
        } catch (...) { // there is no way to tell
        }
    }

    MPI_Request handle_ = MPI_REQUEST_NULL;
    std::unique_ptr<detail::operation> operation_;
    lisle::status status_;
    int unwinding_ = std::uncaught_exceptions();
    int code_ = MPI_SUCCESS;
    bool complete_ = false;
};

/// An operation that will give a T. `future<void>` gives nothing but the news that it is over.
///
///     lisle::future<std::vector<int>> values = world.ireceive<std::vector<int>>(0);
///     compute();
///     use(values.wait());
template <class T = void> class [[nodiscard]] future : public request {
  public:
    using value_type = T;

    future() noexcept { complete_ = true; }
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
    /// The result of an operation that is known to be complete.
    T take() {
        detail::check(code_, "MPI_Wait");
        if constexpr (std::is_same_v<T, lisle::status>) {
            return status_;
        } else if constexpr (std::is_void_v<T>) {
            operation_.reset();
        } else {
            const std::unique_ptr<detail::operation> owner = std::move(operation_);
            return static_cast<detail::result_of<T> &>(*owner).take(status_);
        }
    }
};

} // namespace lisle
