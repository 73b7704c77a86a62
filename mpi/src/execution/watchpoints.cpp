// SPDX-License-Identifier: Apache-2.0
#include "execution/watchpoints.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <sys/utsname.h>
#include <utility>

#include "base/debugged.hpp"
#include "base/program_counter.hpp"
#include "base/text.hpp"
#include "base/thread_owned.hpp"
#include "execution/program_code.hpp"
#include "execution/rank.hpp"
#include "execution/watchpoint.hpp"

namespace lisle {

namespace {

using range = access_filter::range;

/// Others trap before it, and would do so again and again.
#if defined(__x86_64__)
constexpr bool traps_behind_access = true;
#else
constexpr bool traps_behind_access = false;
#endif

/// What the processor can watch at once: some first bytes of the memory, aligned to their number.
range watched_part(range memory) noexcept {
    constexpr std::uintptr_t most = 8;
    std::uintptr_t bytes = most;
    while (bytes > 1 && (memory.begin % bytes != 0 || memory.end - memory.begin < bytes)) {
        bytes /= 2;
    }
    return {memory.begin, memory.begin + bytes};
}

/// Whose memory is watched, and how often the program has used it.
class watched_for {
  public:
    void begin() noexcept {
        owner_ = &this_rank();
        told_ = 0;
    }
    /// @return false: there is no need to watch it any longer
    [[nodiscard]] bool tell(range bytes, watchpoints::purpose why, memory_access how,
                            const void *code) noexcept {
        constexpr int most_told = 64; // of what the program may use all the time
        return owner_ == rank_at_once() && watchpoints::tell({*owner_, bytes, why, how, code}) &&
               ++told_ < most_told;
    }

  private:
    rank *owner_ = nullptr;
    int told_ = 0;
};

/// The first bytes of a buffer.
class watched_buffer {
  public:
    [[nodiscard]] bool begin(range memory, bool loads_too) noexcept {
        for_.begin();
        loads_too_ = loads_too;
        const range part = watched_part(memory);
        before_ = content_of(part);
        return point_.begin(part, loads_too);
    }
    void end() noexcept { point_.end(); }
    [[nodiscard]] bool has_trapped() noexcept { return point_.has_trapped(); }
    void look(const void *code, bool of_program) noexcept {
        const std::uint64_t before = std::exchange(before_, content_of(point_.bytes()));
        const auto how = loads_too_ && before == before_ ? memory_access::load : memory_access::store;
        if (of_program && !for_.tell(point_.bytes(), watchpoints::purpose::buffer, how, code)) {
            point_.end();
        }
    }

  private:
    /// Something else may lie there by now, on a stack for one: sanitizers are not to look.
    [[nodiscard, gnu::no_sanitize_address, gnu::no_sanitize_thread]] static std::uint64_t
    content_of(range bytes) noexcept {
        std::uint64_t found = 0;
        for (std::uintptr_t each = bytes.end; each != bytes.begin;) {
            found = found << 8 | *reinterpret_cast<const volatile unsigned char *>(--each);
        }
        return found;
    }

    watchpoint point_;
    watched_for for_;
    bool loads_too_ = false;
    std::uint64_t before_ = 0; ///< what was there
};

/// The first byte of a window: which bytes a store wrote is not known, and others are others' business.
class watched_window_byte {
  public:
    [[nodiscard]] bool begin(range memory) noexcept {
        for_.begin();
        return point_.begin({memory.begin, memory.begin + 1}, false);
    }
    void end() noexcept { point_.end(); }
    [[nodiscard]] bool has_trapped() noexcept { return point_.has_trapped(); }
    void look(const void *code, bool of_program) noexcept {
        if (of_program &&
            !for_.tell(point_.bytes(), watchpoints::purpose::window, memory_access::store, code)) {
            point_.end();
        }
    }

  private:
    watchpoint point_;
    watched_for for_;
};

/// Those of a thread: the latest two of each kind.
struct thread_watchpoints {
    std::array<watched_buffer, 2> buffers;
    std::array<watched_window_byte, 2> windows;
    unsigned next_buffer = 0, next_window = 0;

    template <class Visit> void each(const Visit &visit) {
        std::ranges::for_each(buffers, visit);
        std::ranges::for_each(windows, visit);
    }
    void end() noexcept {
        each([](auto &point) { point.end(); });
    }
    void look(const void *code, bool of_program) noexcept {
        std::array<bool, 4> trapped{};
        auto next = trapped.begin();
        each([&](auto &point) { *next++ = point.has_trapped(); });
        next = trapped.begin();
        each([&](auto &point) {
            if (*next++) {
                point.look(code, of_program);
            }
        });
        // To look at the bytes was an access, too, which would be told next.
        each([](auto &point) { static_cast<void>(point.has_trapped()); });
    }
};

void on_trap(int number, siginfo_t *about, void *context) noexcept {
    constexpr int of_event = 6; // TRAP_PERF, which not all headers have
    if (about->si_code != of_event) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    const int error_before = errno;
    const void *const code = program_counter(context);
    if (auto *const own = thread_owned<thread_watchpoints>::own()) {
        own->look(code, is_of_program(code));
    }
    errno = error_before;
}

/// Linux 6.1 or later, which keeps such a trap for later where the program has blocked the signal. Older ones
/// end the process.
bool system_keeps_traps() noexcept {
    utsname system{};
    if (uname(&system) != 0) {
        return false;
    }
    const std::string_view release = system.release;
    const std::size_t point = release.find('.');
    const auto digits = [](std::string_view text) {
        return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
    };
    const auto major = whole_number(digits(release));
    const auto minor =
        point == std::string_view::npos ? std::nullopt : whole_number(digits(release.substr(point + 1)));
    return major && minor && (*major > 6 || (*major == 6 && *minor >= 1));
}

/// Who takes the signal; null: nobody.
auto *handler_of_traps() noexcept {
    struct sigaction found {};
    return sigaction(SIGTRAP, nullptr, &found) == 0 ? found.sa_sigaction : nullptr;
}

/// Takes the signal, unless it is the program's or a debugger's, which would stop at each.
bool take_signal() noexcept {
    struct sigaction before {};
    if (sigaction(SIGTRAP, nullptr, &before) != 0 || before.sa_handler != SIG_DFL || !system_keeps_traps() ||
        is_debugged()) {
        return false;
    }
    struct sigaction wanted {};
    wanted.sa_sigaction = on_trap;
    wanted.sa_flags = SA_SIGINFO;
    return sigaction(SIGTRAP, &wanted, nullptr) == 0;
}

/// Whether the system has lent all registers that were asked for. Relaxed: at worst it is asked in vain.
std::atomic<bool> some_left{true};

/// Those of the calling thread; null: none can be had, or the program has taken the signal since.
thread_watchpoints *available() noexcept {
    if constexpr (traps_behind_access) {
        static const bool is_taken = take_signal();
        if (!is_taken || !some_left.load(std::memory_order_relaxed)) {
            return nullptr;
        }
        auto *const own = thread_owned<thread_watchpoints>::own();
        if (own == nullptr || handler_of_traps() == on_trap) {
            return own;
        }
        own->end();
    }
    return nullptr;
}

} // namespace

void watchpoints::watch_buffer(access_filter::range memory, bool loads_too) noexcept {
    if (thread_watchpoints *const own = available(); own != nullptr && memory.begin < memory.end) {
        watched_buffer &place = own->buffers[own->next_buffer++ % own->buffers.size()];
        if (!place.begin(memory, loads_too)) {
            some_left.store(false, std::memory_order_relaxed);
        }
    }
}

void watchpoints::watch_window(access_filter::range memory) noexcept {
    if (thread_watchpoints *const own = available(); own != nullptr && memory.begin < memory.end) {
        watched_window_byte &place = own->windows[own->next_window++ % own->windows.size()];
        if (!place.begin(memory)) {
            some_left.store(false, std::memory_order_relaxed);
        }
    }
}

} // namespace lisle
