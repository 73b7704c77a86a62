// SPDX-License-Identifier: Apache-2.0
// Which kernel a thread runs, so that a crash within it can be told with its place in the program.
#pragma once

#include <string>

#include <lisle/task/kernel.hpp>

#include "task/language/code.hpp"

namespace lisle::tasks {

/// While it lives, the calling thread runs this kernel.
class kernel_mark {
  public:
    /// @param file of the program @param where its call stands there
    kernel_mark(const method_entry &method, const std::string &file, place where,
                const tile_place &tile) noexcept;
    kernel_mark(const kernel_mark &) = delete;
    kernel_mark &operator=(const kernel_mark &) = delete;
    ~kernel_mark();

  private:
    friend void report_crash(int) noexcept;
    const char *method_, *file_;
    place where_;
    int tile_, rank_;
    const kernel_mark *outer_;
};

/// From now on a signal that ends the process is reported with the kernel that caused it, and then does what
/// it would have done. Signals that have a handler keep it.
void report_crashes_of_kernels();

} // namespace lisle::tasks
