// SPDX-License-Identifier: Apache-2.0
// Errors as exceptions: what failed, with which class and code, and with which values. The way without an
// error is one comparison; all else is out of line.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "lisle/config.hpp"

namespace lisle {

/// One argument of a call that failed: {"dest", 99}.
struct named_value {
    const char *name;
    long long value;
};

/// A few of them, in the order of the call's parameters.
class named_values {
  public:
    static constexpr std::size_t most = 8;

    named_values(std::initializer_list<named_value> values) noexcept {
        for (const named_value &each : values)
            if (size_ != most)
                values_[size_++] = each;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] const named_value *begin() const noexcept { return values_; }
    [[nodiscard]] const named_value *end() const noexcept { return values_ + size_; }
    [[nodiscard]] const named_value &operator[](std::size_t index) const noexcept { return values_[index]; }

  private:
    named_value values_[most]{};
    std::size_t size_ = 0;
};

/// What every call throws when MPI reports an error.
///
///     try {
///         world.send(1, 99);
///     } catch (const lisle::error &e) {
///         // "MPI_Send: rank is not in the communicator (count 1, dest 99, tag 0)"
///         std::cerr << e.what() << "\n";
///         if (e.error_class() == MPI_ERR_RANK) { ... }
///     }
class error : public std::runtime_error {
  public:
    error(int code, int error_class, const char *call, const named_values &values, const std::string &text)
        : std::runtime_error{text}, code_{code}, class_{error_class}, call_{call}, values_{values} {}

    /// The code that the call returned.
    [[nodiscard]] int code() const noexcept { return code_; }
    /// Its class: one of the constants MPI_ERR_...
    [[nodiscard]] int error_class() const noexcept { return class_; }
    /// The name of the MPI function.
    [[nodiscard]] const char *call() const noexcept { return call_; }
    /// The arguments that may explain the error.
    [[nodiscard]] const named_values &values() const noexcept { return values_; }

  private:
    int code_;
    int class_;
    const char *call_;
    named_values values_;
};

namespace detail {

/// A template only so that files in which nothing can fail do not compile it.
template <class String = std::string> [[noreturn, gnu::cold, gnu::noinline]] void
raise(int code, const char *call, std::initializer_list<named_value> values, const char *sentence = nullptr) {
    int error_class = MPI_ERR_UNKNOWN;
    MPI_Error_class(code, &error_class);
    String text = String{call} + ": ";
    if (sentence != nullptr) {
        text += sentence;
    } else {
        char said[MPI_MAX_ERROR_STRING];
        int length = 0;
#if LISLE_USE_EXTENSIONS
        MPIX_Error_sentence(code, said, &length); // with the values that were wrong
#else
        MPI_Error_string(code, said, &length);
#endif
        text.append(said, static_cast<std::size_t>(length));
    }
    const char *separator = " (";
    for (const auto &[name, value] : values) {
        text.append(separator).append(name).append(" ").append(std::to_string(value));
        separator = ", ";
    }
    if (values.size() != 0)
        text += ")";
    throw error{code, error_class, call, named_values{values}, text};
}

/// Throws unless the call was a success. The values are looked at only if it was not.
template <std::same_as<named_value>... Values> void check(int code, const char *call, Values... values) {
    static_assert(sizeof...(values) <= named_values::most);
    if (code != MPI_SUCCESS) [[unlikely]]
        raise(code, call, {values...});
}

} // namespace detail

/// The value of what has none.
struct nothing {};

/// A value, or the error that there is instead of it; the form of results for those who do not want
/// exceptions. Made by attempt().
template <class T> class [[nodiscard]] expected {
    using stored = std::conditional_t<std::is_void_v<T>, nothing, T>;

  public:
    expected(stored value) : value_{std::move(value)} {}
    expected(lisle::error failure) : error_{std::move(failure)} {}

    [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    /// The value. Throws the error if there is none.
    stored &value() & {
        if (!has_value())
            throw *error_;
        return *value_;
    }
    stored &&value() && { return std::move(value()); }
    stored &operator*() &noexcept { return *value_; }
    stored *operator->() noexcept { return &*value_; }
    /// @pre !has_value()
    [[nodiscard]] const lisle::error &error() const noexcept { return *error_; }
    template <class Other> [[nodiscard]] stored value_or(Other &&other) const {
        return has_value() ? *value_ : static_cast<stored>(std::forward<Other>(other));
    }

  private:
    std::optional<stored> value_;
    std::optional<detail::later<lisle::error, T>> error_; ///< if there is no value
};

/// Calls `body`; an MPI error comes back as a value.
///
///     auto got = lisle::attempt([&] { return world.receive<int>(0); });
///     if (!got) std::cerr << got.error().what();
template <class Body> auto attempt(Body &&body) -> expected<decltype(body())> {
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return nothing{};
        } else {
            return body();
        }
    } catch (const error &failure) {
        return failure;
    }
}

} // namespace lisle
