// SPDX-License-Identifier: Apache-2.0
// Operations that have ended and whose owner has not heard of it, and the descriptor that wakes a sleeper for
// them.
#pragma once

#include <algorithm>
#include <span>
#include <sys/eventfd.h>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "fabric/network/device/device.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class ended_operations {
  public:
    ended_operations() { all_.reserve(usual); }

    /// Readable after call(); -1: the system has no descriptor left.
    [[nodiscard]] int descriptor() const noexcept { return called_.get(); }

    void add(operation *op, std::size_t bytes, bool failed) { all_.push_back({op, bytes, failed}); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    /// Makes the descriptor readable: something has ended that no socket tells of.
    void call() noexcept {
        if (!is_asked_ && !is_called_) {
            is_called_ = eventfd_write(called_.get(), 1) == 0;
        }
    }

    /// The caller moves things on and takes afterwards what has ended, so it needs no call.
    void begin_asking() noexcept {
        is_asked_ = true;
        if (is_called_) {
            eventfd_t calls = 0;
            static_cast<void>(eventfd_read(called_.get(), &calls));
            is_called_ = false;
        }
    }
    /// @return how many there were, at most as many as there is room for
    [[nodiscard]] std::size_t take(std::span<completion> into) noexcept {
        is_asked_ = false;
        const std::size_t count = std::min(into.size(), all_.size());
        std::copy_n(all_.begin(), count, into.begin());
        all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count));
        if (!all_.empty()) {
            call(); // somebody else may sleep, and the caller may not come again soon
        }
        return count;
    }

    void close() noexcept {
        all_.clear();
        called_.reset();
    }

  private:
    /// More than a process has buffers on their way at a rail.
    static constexpr std::size_t usual = 256;

    owned_descriptor called_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    bool is_called_ = false;
    bool is_asked_ = false;
    std::vector<completion> all_; ///< in order: few, as every look takes most of them
};

} // namespace lisle::fabric::network
