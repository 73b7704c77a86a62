// SPDX-License-Identifier: Apache-2.0
#include "task/machine/kernel_mark.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace lisle::tasks {

namespace {

/// Guards the list. A handler reads it without: it changes only as machines begin and end.
std::mutex list_lock;
running_kernel *first = nullptr;

constexpr std::array<std::pair<int, const char *>, 5> crashes{
    {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}}};

const char *name_of(int signal) noexcept {
    for (const auto &[number, name] : crashes) {
        if (number == signal) {
            return name;
        }
    }
    return "a signal";
}

/// One line, made without memory of its own: nothing else may be called in a handler.
class line {
  public:
    line &operator<<(std::string_view text) noexcept {
        const std::size_t count = std::min(text.size(), room_.size() - size_);
        std::memcpy(room_.data() + size_, text.data(), count);
        size_ += count;
        return *this;
    }
    line &operator<<(long number) noexcept {
        std::array<char, 24> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return *this << std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())};
    }
    void write() const noexcept {
        if (::write(STDERR_FILENO, room_.data(), size_) < 0) {
            return; // nobody reads it
        }
    }

  private:
    std::array<char, 1024> room_{};
    std::size_t size_ = 0;
};

} // namespace

running_kernel::running_kernel(const tile_place &tile) noexcept : tile_{tile.tile}, rank_{tile.rank} {
    const std::lock_guard lock{list_lock};
    next_ = first;
    first = this;
}
running_kernel::~running_kernel() {
    const std::lock_guard lock{list_lock};
    running_kernel **link = &first;
    while (*link != this) {
        link = &(*link)->next_;
    }
    *link = next_;
}

void report_crash(int signal) noexcept {
    for (const running_kernel *each = first; each != nullptr; each = each->next_) {
        // Acquire: pairs with begin().
        const char *const method = each->method_.load(std::memory_order_acquire);
        if (method == nullptr || pthread_equal(each->thread_, pthread_self()) == 0) {
            continue;
        }
        line report;
        report << "the kernel " << method << " crashed (" << name_of(signal) << "), called at " << each->file_
               << ":" << static_cast<long>(each->where_.line) << ":" << static_cast<long>(each->where_.column)
               << " (tile " << static_cast<long>(each->tile_) << " of rank " << static_cast<long>(each->rank_)
               << ")\n";
        report.write();
        break;
    }
    raise(signal); // the handler has been taken away
}

void report_crashes_of_kernels() {
    for (const auto &[number, name] : crashes) {
        struct sigaction now {};
        if (sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
            now.sa_handler == SIG_DFL) {
            now.sa_handler = report_crash;
            now.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
            sigemptyset(&now.sa_mask);
            sigaction(number, &now, nullptr);
        }
    }
}

} // namespace lisle::tasks
