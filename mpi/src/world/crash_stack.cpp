// SPDX-License-Identifier: Apache-2.0
#include "world/crash_stack.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

namespace lisle {

namespace {

/// The path of the process's executable, in whose name the loader has nothing.
const char *own_program() noexcept {
    static char path[1024];
    // Not readlink: the host answers that with the name of the rank's program.
    const long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

constexpr int most_looked_at = 64; // frames of handlers lie in front

} // namespace

struct crash_stack::walk {
    crash_stack &into;
    bool behind_signal;
    int looked_at;

    static _Unwind_Reason_Code visit(_Unwind_Context *frame, void *opaque) noexcept {
        auto &self = *static_cast<walk *>(opaque);
        int interrupted =
            0; // the frame was left by a signal, so its address is that of the instruction itself
        const std::uintptr_t address = _Unwind_GetIPInfo(frame, &interrupted);
        self.behind_signal |= interrupted != 0;
        if (++self.looked_at > most_looked_at || address == 0) {
            return _URC_END_OF_STACK;
        }
        if (!self.behind_signal) {
            return _URC_NO_REASON;
        }
        self.note(interrupted != 0 ? address : address - 1); // of the call, not behind it
        return self.into.count_ == most_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
    void note(std::uintptr_t address) const noexcept {
        dl_find_object found{};
        noted_frame &made = into.frames_[into.count_++];
        made = {address, 0};
        if (_dl_find_object(reinterpret_cast<void *>(address), &found) ==
            0) { // NOLINT(performance-no-int-to-ptr)
            const char *const name = found.dlfo_link_map->l_name;
            made = {address - reinterpret_cast<std::uintptr_t>(found.dlfo_map_start),
                    into.name_of(name != nullptr && *name != '\0' ? name : own_program())};
        }
    }
};

std::uint16_t crash_stack::name_of(const char *file) noexcept {
    for (std::uint32_t at = 1; at < names_used_;
         at += static_cast<std::uint32_t>(std::strlen(names_ + at)) + 1) {
        if (std::strcmp(names_ + at, file) == 0) {
            return static_cast<std::uint16_t>(at);
        }
    }
    names_used_ = std::max(names_used_, 1U);
    const std::size_t length = std::strlen(file) + 1;
    if (length > room_for_names - names_used_) {
        return 0;
    }
    std::memcpy(names_ + names_used_, file, length);
    const auto place = static_cast<std::uint16_t>(names_used_);
    names_used_ += static_cast<std::uint32_t>(length);
    return place;
}

bool crash_stack::fill(crash_wish wish) noexcept {
    if (claimed_.exchange(1, std::memory_order_relaxed) != 0) {
        return false;
    }
    wish_ = wish;
    walk walked{*this, false, 0};
    _Unwind_Backtrace(&walk::visit, &walked);
    filled_.store(1, std::memory_order_release);
    return true;
}

void crash_stack::wait_for_reader() noexcept {
    if (wish_ == crash_wish::debugger) {
        for (;;) {
            pause();
        }
    }
    if (read_.value() == 0) {
        read_.sleep(0, longest_wait);
    }
}

} // namespace lisle
