// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/descriptor_watch.hpp"

#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own_thread.hpp"

namespace lisle::protocol::descriptor_watch {

namespace {

class watcher {
  public:
    bool add(int descriptor, doorbell &bell) {
        const std::scoped_lock guard{mutex_};
        if (epoll_ < 0 && !begin_locked()) {
            return false;
        }
        const bool known = bells_.contains(descriptor);
        bells_[descriptor] = &bell;
        epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = descriptor}};
        return epoll_ctl(epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) == 0;
    }
    void remove(int descriptor) {
        const std::scoped_lock guard{mutex_};
        if (bells_.erase(descriptor) != 0) {
            epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
        }
    }

  private:
    bool begin_locked() {
        epoll_ = epoll_create1(EPOLL_CLOEXEC);
        if (epoll_ < 0) {
            return false;
        }
        try {
            begin_own_thread([this] { run(); }).detach();
        } catch (const std::exception &) { // of the system's, or for lack of memory
            // Without the thread nobody would ring: epoll_ is set only where it runs.
            close(epoll_);
            epoll_ = -1;
        }
        return epoll_ >= 0;
    }

    [[noreturn]] void run() {
        for (;;) {
            epoll_event ready[16];
            const int count = epoll_wait(epoll_, ready, static_cast<int>(std::size(ready)), -1);
            const std::scoped_lock guard{mutex_};
            for (int i = 0; i < count; ++i) {
                if (const auto found = bells_.find(ready[i].data.fd); found != bells_.end()) {
                    found->second->ring();
                }
            }
        }
    }

    std::mutex mutex_; ///< a bell that is found under it is still there
    int epoll_ = -1;
    std::map<int, doorbell *> bells_; ///< by descriptor
};

watcher &the_watcher() {
    static auto *const only = new watcher; // never destroyed: its thread runs until the process ends
    return *only;
}

} // namespace

bool ring_when_readable(int descriptor, doorbell &bell) noexcept {
    try {
        return the_watcher().add(descriptor, bell);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void forget(int descriptor) noexcept {
    the_watcher().remove(descriptor);
}

} // namespace lisle::protocol::descriptor_watch
