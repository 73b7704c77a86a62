// SPDX-License-Identifier: Apache-2.0
// The mappings of this process in a range of addresses, from /proc/self/maps, read without an allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lisle::allocator {

struct own_mapping {
    std::uintptr_t begin, end; ///< within the range
    int protection;            ///< of mmap
};

/// Reads the lines of a file one by one.
class line_reader {
  public:
    explicit line_reader(const char *path) noexcept : file_{open(path, O_RDONLY | O_CLOEXEC)} {}
    line_reader(const line_reader &) = delete;
    line_reader &operator=(const line_reader &) = delete;
    ~line_reader() {
        if (file_ >= 0) {
            close(file_);
        }
    }
    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
    /// -1 at the end.
    [[nodiscard]] int next_character() noexcept {
        if (at_ == filled_) {
            const ssize_t got = file_ >= 0 ? read(file_, buffer_, sizeof buffer_) : 0;
            at_ = 0;
            filled_ = got > 0 ? static_cast<std::size_t>(got) : 0;
        }
        return at_ != filled_ ? static_cast<unsigned char>(buffer_[at_++]) : -1;
    }
    void skip_line() noexcept {
        for (int c = next_character(); c != -1 && c != '\n';) {
            c = next_character();
        }
    }

  private:
    int file_;
    std::size_t at_ = 0, filled_ = 0;
    char buffer_[4096];
};

/// A number in base 16 and the character behind it, which must be this one.
[[nodiscard]] inline bool read_address(line_reader &from, std::uintptr_t &number, int behind) noexcept {
    number = 0;
    for (int c = from.next_character(); c != -1; c = from.next_character()) {
        if (c >= '0' && c <= '9') {
            number = number * 16 + static_cast<std::uintptr_t>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            number = number * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
        } else {
            return c == behind;
        }
    }
    return false;
}

/// Calls `visit` for each mapping that touches the range. False: the list cannot be read, or the range is not
/// mapped as a whole.
template <class Visit>
[[nodiscard]] bool each_own_mapping(std::uintptr_t begin, std::uintptr_t end, Visit visit) noexcept {
    line_reader lines{"/proc/self/maps"};
    std::uintptr_t reached = begin;
    own_mapping each{};
    while (reached < end && read_address(lines, each.begin, '-') && read_address(lines, each.end, ' ')) {
        each.protection = (lines.next_character() == 'r' ? PROT_READ : 0);
        each.protection |= (lines.next_character() == 'w' ? PROT_WRITE : 0);
        each.protection |= (lines.next_character() == 'x' ? PROT_EXEC : 0);
        lines.skip_line();
        if (each.end <= begin || each.begin >= end) {
            continue;
        }
        if (each.begin > reached) {
            return false;
        }
        each.begin = reached;
        each.end = each.end < end ? each.end : end;
        reached = each.end;
        visit(each);
    }
    return reached >= end;
}

} // namespace lisle::allocator
