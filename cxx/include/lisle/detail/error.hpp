// SPDX-License-Identifier: Apache-2.0
// Errors as exceptions: the call that failed, its error class and code, and its arguments. A call that
// succeeds costs one comparison; all else is out of line.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#if !defined(__cpp_exceptions)
#include <cstdlib>
#endif

#include "lisle/detail/config.hpp"
#include "lisle/detail/shared_count.hpp"

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
    /// How many values there are.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The first value.
    [[nodiscard]] const named_value *begin() const noexcept { return values_; }
    /// Behind the last value.
    [[nodiscard]] const named_value *end() const noexcept { return values_ + size_; }
    [[nodiscard]] const named_value &operator[](std::size_t index) const noexcept { return values_[index]; }

  private:
    named_value values_[most]{};
    std::size_t size_ = 0;
};

namespace detail {
template <class Error> void note_thrown(Error &thrown); // attempt.hpp
}

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
    error(int code, int error_class, const char *call, const named_values &values, const char *text)
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
    template <class Error> friend void detail::note_thrown(Error &);
    detail::shared_count copies_; ///< of this error
    int code_;
    int class_;
    const char *call_;
    named_values values_;
};

namespace detail {

#if LISLE_USE_EXCEPTIONS
#define LISLE_NORETURN [[noreturn]]
template <class Error> [[noreturn]] void fail_with(Error failure) {
    note_thrown(failure);
    throw failure;
}
/// True if the attempt() that the caller is in has failed already, where errors are no exceptions.
constexpr bool failed() noexcept {
    return false;
}
#else
#define LISLE_NORETURN
template <class Error> void fail_with(Error failure); // attempt.hpp
template <class T = void> bool failed();
#endif

/// The text of an error. Neither std::string nor std::unique_ptr, since every program would compile it.
class error_text {
  public:
    explicit error_text(std::size_t most) : first_{new char[most + 1]}, next_{first_} { *next_ = 0; }
    error_text(const error_text &) = delete;
    error_text &operator=(const error_text &) = delete;
    ~error_text() { delete[] first_; }

    void add(const char *text) noexcept {
        while (*text != 0)
            *next_++ = *text++;
        *next_ = 0;
    }
    void add(const char *before, const named_value &value) noexcept {
        add(before);
        add(value.name);
        next_ += std::snprintf(next_, digits + 2, " %lld", value.value);
    }
    [[nodiscard]] const char *c_str() const noexcept { return first_; }

    static constexpr std::size_t digits = 20; ///< of the longest number, with its sign

  private:
    char *first_;
    char *next_;
};

/// Throws. Without exceptions it notes the error and returns, and its caller returns too. A template only so
/// that files in which nothing can fail do not compile it.
template <class Text = error_text> LISLE_NORETURN [[gnu::cold, gnu::noinline]] void
raise(int code, const char *call, std::initializer_list<named_value> values, const char *sentence = nullptr) {
    int error_class = MPI_ERR_UNKNOWN;
    MPI_Error_class(code, &error_class);
    char said[MPI_MAX_ERROR_STRING];
    if (sentence == nullptr) {
        int length = 0;
#if LISLE_USE_EXTENSIONS
        MPIX_Error_sentence(code, said, &length); // with the values that were wrong
#else
        MPI_Error_string(code, said, &length);
#endif
        sentence = said;
    }
    std::size_t most = std::strlen(call) + std::strlen(sentence) + std::strlen(": )");
    for (const named_value &each : values)
        most += std::strlen(each.name) + std::strlen(",  ") + Text::digits;
    Text text{most};
    text.add(call);
    text.add(": ");
    text.add(sentence);
    for (const named_value &each : values)
        text.add(&each == values.begin() ? " (" : ", ", each);
    if (values.size() != 0)
        text.add(")");
    fail_with(error{code, error_class, call, named_values{values}, text.c_str()});
}

/// raise() where nothing sensible could be done after it: without exceptions the program ends.
template <class Call = const char *> [[noreturn, gnu::cold]] void
raise_final(int code, Call call, std::initializer_list<named_value> values, const char *sentence) {
#if LISLE_USE_EXCEPTIONS
    raise(code, call, values, sentence);
#else
    static_cast<void>(code);
    static_cast<void>(values);
    std::fprintf(stderr, "lisle: %s: %s\n", call, sentence);
    std::abort();
#endif
}

/// Throws if the call has failed; without exceptions the result is false. The values are looked at only
/// then.
template <std::same_as<named_value>... Values> bool check(int code, const char *call, Values... values) {
    static_assert(sizeof...(values) <= named_values::most);
    if (code != MPI_SUCCESS) [[unlikely]] {
        raise(code, call, {values...});
        return false;
    }
    return true;
}

} // namespace detail

} // namespace lisle
