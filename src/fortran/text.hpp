// SPDX-License-Identifier: Apache-2.0
// Strings: those of Fortran have a length, and blanks at their end that mean nothing.
#pragma once

#include <cstddef>
#include <cstring>

#include "fortran/handles.hpp"

namespace lisle::fortran {

/// How much of a string is not blanks at its end.
inline std::size_t length_of(const char *text, std::size_t length) noexcept {
    while (length != 0 && text[length - 1] == ' ') {
        --length;
    }
    return length;
}

/// A string that the call reads.
class text {
  public:
    text(const char *given, std::size_t length) noexcept
        : length_{length_of(given, length)}, all_{static_cast<MPI_Count>(length_) + 1} {
        std::memcpy(all_.data(), given, length_);
        all_.data()[length_] = '\0';
    }
    operator const char *() noexcept { return all_.data(); }

  private:
    std::size_t length_;
    room<char> all_;
};

/// A key or a value of an info object, where blanks in front mean nothing either [MPI-5.0 10].
class info_text {
  public:
    info_text(const char *given, std::size_t length) noexcept : all_{given, length} {}
    operator const char *() noexcept {
        const char *begin = all_;
        while (*begin == ' ') {
            ++begin;
        }
        return begin;
    }

  private:
    text all_;
};

/// A string that the call gives: blanks follow it. The program's stays as it is if the call gives none.
class given_text {
  public:
    /// @param longest characters that the call may give, its end apart
    given_text(char *into, std::size_t length, std::size_t longest) noexcept
        : into_{into}, length_{length}, all_{static_cast<MPI_Count>(longest) + 1} {
        all_.data()[0] = untouched;
    }
    given_text(const given_text &) = delete;
    given_text &operator=(const given_text &) = delete;
    ~given_text() {
        const char *const given = all_.data();
        if (given[0] == untouched) {
            return;
        }
        const std::size_t here = strnlen(given, length_);
        std::memcpy(into_, given, here);
        std::memset(into_ + here, ' ', length_ - here);
    }
    operator char *() noexcept { return all_.data(); }

  private:
    static constexpr char untouched = '\1';
    char *into_;
    std::size_t length_;
    room<char> all_;
};

} // namespace lisle::fortran
