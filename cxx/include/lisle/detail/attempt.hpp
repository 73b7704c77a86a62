// SPDX-License-Identifier: Apache-2.0
// Errors as values: attempt() and expected. In programs compiled without exceptions (-fno-exceptions) an
// error is noted in the innermost attempt() that its thread has begun, which a list of the rank knows. With
// them the rank keeps the text of its newest error, for the end of the environment.
#pragma once

#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "lisle/detail/atomic_pointer.hpp"
#include "lisle/detail/error.hpp"
#include "lisle/detail/owned.hpp"
#include "lisle/detail/rank_data.hpp"

#if !LISLE_USE_EXCEPTIONS
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace lisle {

#if !LISLE_USE_EXCEPTIONS

namespace detail {

class open_attempt;

/// The calls of attempt() that a rank has begun and not ended. Kept for the rank, not for the thread: a
/// fiber changes threads.
class open_attempts {
  public:
    void begin(open_attempt &made) {
        const std::scoped_lock lock{mutex_};
        under_way_.push_back(&made);
    }
    void end(const open_attempt &made) {
        const std::scoped_lock lock{mutex_};
        std::erase(under_way_, &made);
    }
    /// The innermost one that the calling thread has begun, or, if there is none (a fiber may have changed
    /// threads), the rank's innermost.
    open_attempt *current();

  private:
    std::mutex mutex_;
    std::vector<open_attempt *> under_way_;
};

/// One call of attempt().
class open_attempt {
  public:
    open_attempt() { rank_object<open_attempts>().begin(*this); }
    open_attempt(const open_attempt &) = delete;
    open_attempt &operator=(const open_attempt &) = delete;
    ~open_attempt() { rank_object<open_attempts>().end(*this); }

    const std::thread::id thread = std::this_thread::get_id();
    std::optional<error> failure; ///< the first one
};

inline open_attempt *open_attempts::current() {
    const std::scoped_lock lock{mutex_};
    for (auto each = under_way_.rbegin(); each != under_way_.rend(); ++each)
        if ((*each)->thread == std::this_thread::get_id())
            return *each;
    return under_way_.empty() ? nullptr : under_way_.back();
}

/// The innermost attempt() that the caller is in, or null.
inline open_attempt *current_attempt() {
    return running() ? rank_object<open_attempts>().current() : nullptr;
}

[[noreturn]] inline void end_with(const error &failure) {
    std::fprintf(stderr, "lisle: %s\n", failure.what());
    if (running())
        MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

template <class Error> void fail_with(Error failure) {
    open_attempt *const here = current_attempt();
    if (here == nullptr)
        end_with(failure);
    if (!here->failure.has_value())
        here->failure = std::move(failure);
}

template <class T> bool failed() {
    const open_attempt *const here = current_attempt();
    return here != nullptr && here->failure.has_value();
}

} // namespace detail

#else

namespace detail {

/// The newest error that a rank has thrown: its text, for as long as a copy of it exists.
class newest_error {
  public:
    struct note {
        shared_count copies;
        std::runtime_error text;
    };

    newest_error() = default;
    newest_error(const newest_error &) = delete;
    newest_error &operator=(const newest_error &) = delete;
    ~newest_error() { delete kept_.exchange(nullptr); }

    void keep(const shared_count &copies, const std::runtime_error &text) {
        delete kept_.exchange(new note{copies, text});
    }
    /// The text, for good: the program ends. Null if no copy exists, so that the exception under way is
    /// another.
    [[nodiscard]] const char *take() noexcept {
        const note *const last = kept_.exchange(nullptr);
        return last != nullptr && last->copies.shared() ? last->text.what() : nullptr;
    }

  private:
    atomic_pointer<note> kept_; // any thread of the rank may throw
};

template <class Error> [[gnu::cold]] void note_thrown(Error &thrown) {
    if (!running())
        return;
    thrown.copies_ = shared_count::begin();
    rank_object<newest_error>().keep(thrown.copies_, thrown);
}

} // namespace detail

#endif

namespace detail {

/// Calls `body`; the exception that left it, or null.
template <class Body> std::exception_ptr caught(Body &&body) {
#if LISLE_USE_EXCEPTIONS
    try {
        body();
    } catch (...) {
        return std::current_exception();
    }
#else
    body();
#endif
    return nullptr;
}

/// Throws the first of the two that is not null.
inline void rethrow_first(const std::exception_ptr &own, const std::exception_ptr &told) {
    if (own)
        std::rethrow_exception(own);
    if (told)
        std::rethrow_exception(told);
}

[[noreturn]] inline void out_of_memory() {
#if LISLE_USE_EXCEPTIONS
    throw std::bad_alloc{};
#else
    std::abort();
#endif
}

/// What a function returns after an error if there are no exceptions.
template <class T> T no_value() {
    if constexpr (std::is_default_constructible_v<T>)
        return T{};
    else if constexpr (!std::is_void_v<T>)
        std::abort();
}

} // namespace detail

/// The value of a call that returns void.
struct nothing {};

/// A value or an error: results for programs that do not want exceptions. Made by attempt().
template <class T> class [[nodiscard]] expected {
    using stored = std::conditional_t<std::is_void_v<T>, nothing, T>;

  public:
    expected(stored value) : value_{std::move(value)} {}
    expected(lisle::error failure) : error_{std::move(failure)} {}

    /// False if there is an error in its place.
    [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    /// The value. Throws the error if there is none; without exceptions the program ends.
    stored &value() & {
        if (!has_value())
#if LISLE_USE_EXCEPTIONS
            throw *error_;
#else
            detail::end_with(*error_);
#endif
        return *value_;
    }
    stored &&value() && {
        return std::move(value());
    }
    stored &operator*() &noexcept {
        return *value_;
    }
    stored *operator->() noexcept {
        return &*value_;
    }
    /// @pre !has_value()
    [[nodiscard]] const lisle::error &error() const noexcept {
        return *error_;
    }
    /// The value, or `other` if there is none.
    template <class Other> [[nodiscard]] stored value_or(Other &&other) const {
        return has_value() ? *value_ : static_cast<stored>(std::forward<Other>(other));
    }

  private:
    std::optional<stored> value_;
    std::optional<detail::later<lisle::error, T>> error_; ///< if there is no value
};

/// Calls `body` and returns its result, or the MPI error that it met. Without exceptions a call that fails
/// returns an object without meaning and the body goes on, so give it one call at a time; a call that fails
/// outside of every attempt() prints its sentence and ends the program.
///
///     auto got = lisle::attempt([&] { return world.receive<int>(0); });
///     if (!got) std::cerr << got.error().what();
template <class Body> auto attempt(Body &&body) -> expected<decltype(body())> {
    using value = decltype(body());
#if LISLE_USE_EXCEPTIONS
    try {
        if constexpr (std::is_void_v<value>) {
            body();
            return nothing{};
        } else {
            return body();
        }
    } catch (const error &failure) {
        return failure;
    }
#else
    detail::open_attempt here;
    if constexpr (std::is_void_v<value>) {
        body();
        if (here.failure.has_value())
            return *here.failure;
        return nothing{};
    } else {
        value result = body();
        if (here.failure.has_value())
            return *here.failure;
        return result;
    }
#endif
}

} // namespace lisle
