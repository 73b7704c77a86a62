// SPDX-License-Identifier: Apache-2.0
// Which kernel each tile runs, so that a crash within it can be told with its place in the program. Without
// thread-local variables, which ranks that are fibers cannot have.
#pragma once

#include <atomic>
#include <pthread.h>
#include <string>

#include <lisle/task/kernel.hpp>

namespace lisle::tasks {

/// A tile's own: the kernel that it runs now. Crash reports find it as long as it lives.
class running_kernel {
  public:
    explicit running_kernel(const tile_place &tile) noexcept;
    running_kernel(const running_kernel &) = delete;
    running_kernel &operator=(const running_kernel &) = delete;
    ~running_kernel();

    /// The calling thread begins a kernel.
    void begin(const method_entry &method, const std::string &file, place where) noexcept {
        file_ = file.c_str();
        where_ = where;
        thread_ = pthread_self();
        // Release: a handler, on this thread or another one, that sees the name sees the rest.
        method_.store(method.name().c_str(), std::memory_order_release);
    }
    void end() noexcept { method_.store(nullptr, std::memory_order_release); }

  private:
    friend void report_crash(int) noexcept;
    std::atomic<const char *> method_{nullptr};
    const char *file_ = nullptr;
    place where_;
    pthread_t thread_{};
    int tile_, rank_;
    running_kernel *next_ = nullptr; ///< in the list of all
};

/// While it lives, a tile runs a kernel.
class kernel_mark {
  public:
    /// @param file of the program @param where its call stands there
    kernel_mark(running_kernel &of, const method_entry &method, const std::string &file, place where) noexcept
        : of_{of} {
        of.begin(method, file, where);
    }
    kernel_mark(const kernel_mark &) = delete;
    kernel_mark &operator=(const kernel_mark &) = delete;
    ~kernel_mark() { of_.end(); }

  private:
    running_kernel &of_;
};

/// From now on a signal that ends the process is reported with the kernel that caused it, and then does what
/// it would have done. Signals that have a handler keep it.
void report_crashes_of_kernels();

} // namespace lisle::tasks
