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

/// How many blanks are in front of a string.
inline std::size_t blanks_before(const char *text, std::size_t length) noexcept {
    std::size_t blanks = 0;
    while (blanks < length && text[blanks] == ' ') {
        ++blanks;
    }
    return blanks;
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

/// A string in which blanks in front mean nothing either: a key or a value of an info object [MPI-5.0 10], or
/// a command [MPI-5.0 11.8.2].
class trimmed_text {
  public:
    trimmed_text(const char *given, std::size_t length) noexcept
        : all_{given + blanks_before(given, length), length - blanks_before(given, length)} {}
    operator const char *() noexcept { return all_; }

  private:
    text all_;
};

/// Lists of strings that the call reads, without the blanks around them [MPI-5.0 11.8.2]: the rows of an
/// array that lies in memory column by column.
class text_rows {
  public:
    /// @param rows of the array @param length of each string
    /// @param columns of each row; -1: those before one that is empty, in each row
    text_rows(const char *given, std::size_t length, int rows, int columns) noexcept
        : rows_{rows}, starts_{rows}, pointers_{count_all(given, length, rows, columns)},
          all_{static_cast<MPI_Count>(length + 1) * count_all(given, length, rows, columns)} {
        char *next = all_.data();
        MPI_Count at = 0;
        for (int row = 0; row < rows; ++row) {
            starts_[row] = &pointers_[at];
            const int count = count_of(given, length, rows, row, columns);
            for (int column = 0; column < count; ++column) {
                const char *const text = place(given, length, rows, row, column);
                const std::size_t end = length_of(text, length);
                const std::size_t begin = blanks_before(text, end);
                std::memcpy(next, text + begin, end - begin);
                next[end - begin] = '\0';
                pointers_[at++] = next;
                next += length + 1;
            }
            pointers_[at++] = nullptr;
        }
    }
    /// Each row ends with a null pointer.
    char ***all() noexcept { return starts_.data(); }
    char **first() noexcept { return rows_ > 0 ? starts_[0] : nullptr; }

  private:
    static const char *place(const char *given, std::size_t length, int rows, int row, int column) noexcept {
        return given + (static_cast<std::size_t>(column) * static_cast<std::size_t>(rows) +
                        static_cast<std::size_t>(row)) *
                           length;
    }
    static int count_of(const char *given, std::size_t length, int rows, int row, int columns) noexcept {
        int count = columns < 0 ? 0 : columns;
        while (columns < 0 && length_of(place(given, length, rows, row, count), length) != 0) {
            ++count;
        }
        return count;
    }
    /// With the ends of the rows.
    static MPI_Count count_all(const char *given, std::size_t length, int rows, int columns) noexcept {
        MPI_Count all = 0;
        for (int row = 0; row < rows; ++row) {
            all += count_of(given, length, rows, row, columns) + 1;
        }
        return all;
    }

    int rows_;
    room<char **> starts_;
    room<char *> pointers_;
    room<char> all_;
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
