// SPDX-License-Identifier: Apache-2.0
// How errors travel inside the library: a call that cannot do its work throws an mpi_error with the
// standard's error class and one sentence that names the values. The C entry points (abi/) catch it, prefix
// the sentence with the call's name and hand it to the error handler. On the way there, only code that must
// clean up or tell other ranks catches it: as a std::exception, since it may be a lack of memory, too.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace lisle {

class communicator;

namespace detail {

inline void append(std::string &text, std::string_view part) {
    text.append(part);
}
// Without this overload, literals would count as addresses.
inline void append(std::string &text, const char *part) {
    text.append(part);
}
inline void append(std::string &text, char part) {
    text.push_back(part);
}

template <std::integral Integer> void append(std::string &text, Integer part) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
    text.append(digits, end);
}

inline void append(std::string &text, const void *part) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%p", part);
    text.append(digits);
}

} // namespace detail

/// Joins strings, characters, integers and addresses into one sentence.
template <class... Parts> [[nodiscard]] std::string sentence(const Parts &...parts) {
    std::string text;
    (detail::append(text, parts), ...);
    return text;
}

/// An error on its way to the error handler: `code()` is an error class or code of the standard,
/// `what()` one sentence without the name of the call.
class mpi_error : public std::exception {
  public:
    /// @param about the communicator whose error handler is to hear of it, if it is not the one that the
    /// call names (a request's, for one)
    mpi_error(int code, std::string sentence, communicator *about = nullptr)
        : code_{code}, sentence_{std::move(sentence)}, about_{about} {}
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] communicator *about() const noexcept { return about_; }
    [[nodiscard]] const char *what() const noexcept override { return sentence_.c_str(); }

  private:
    int code_;
    std::string sentence_;
    communicator *about_;
};

/// Throws an mpi_error: `fail(MPI_ERR_RANK, "rank ", dest, " is outside ...")`.
template <class... Parts> [[noreturn, gnu::cold]] void fail(int code, const Parts &...parts) {
    throw mpi_error{code, sentence(parts...)};
}

/// The error that an exception means: itself, a lack of memory (MPI_ERR_NO_MEM), or what the system refused
/// (MPI_ERR_OTHER). Passes on exceptions that no part of Lisle throws: those of the user's callbacks. @pre in
/// a catch block
[[nodiscard, gnu::cold]] mpi_error error_of(const std::exception &caught);

} // namespace lisle
