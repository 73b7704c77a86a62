// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/process_ends.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>

namespace lisle::fabric::local {

process_ends::process_ends(std::size_t processes)
    : news_{epoll_create1(EPOLL_CLOEXEC)}, lives_(processes),
      ended_(processes), has_{std::make_unique<std::atomic<bool>[]>(processes)} {}

bool process_ends::watch(std::size_t process, pid_t pid) noexcept {
    lives_[process] = owned_descriptor{static_cast<int>(syscall(SYS_pidfd_open, pid, 0))};
    epoll_event event{.events = EPOLLIN, .data = {.u64 = process}};
    return epoll_ctl(news_.get(), EPOLL_CTL_ADD, lives_[process].get(), &event) == 0;
}

bool process_ends::look() noexcept {
    const std::scoped_lock guard{looking_};
    const std::size_t before = count_.load(std::memory_order_relaxed);
    epoll_event event{};
    while (epoll_wait(news_.get(), &event, 1, 0) == 1) {
        const std::size_t process = event.data.u64;
        epoll_ctl(news_.get(), EPOLL_CTL_DEL, lives_[process].get(), nullptr);
        lives_[process].reset();
        has_[process].store(true, std::memory_order_relaxed);
        ended_[count_.load(std::memory_order_relaxed)] = process;
        count_.fetch_add(1, std::memory_order_release);
    }
    return count_.load(std::memory_order_relaxed) != before;
}

} // namespace lisle::fabric::local
