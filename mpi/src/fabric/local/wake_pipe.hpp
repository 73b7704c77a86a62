// SPDX-License-Identifier: Apache-2.0
// How processes wake each other that share no doorbells: each has a pipe to sleep on, which others of the
// machine open through /proc and write a byte to.
#pragma once

#include <cstdint>
#include <sys/types.h>

#include "base/owned_descriptor.hpp"

namespace lisle::fabric::local {

/// What others must know of a pipe. Plain bytes, for other processes read it.
struct pipe_name {
    std::uint64_t inode; ///< so that no other file is taken for it when it has been closed
    std::int32_t descriptor;
};

/// The end to sleep on. It can be written to as well, so it never says that nobody writes any more.
class wake_pipe {
  public:
    /// Throws mpi_error.
    wake_pipe();
    [[nodiscard]] int descriptor() const noexcept { return end_.get(); }
    [[nodiscard]] pipe_name name() const noexcept;
    /// Takes out what has been written.
    void clear() const noexcept;

  private:
    owned_descriptor end_;
};

/// The end to write to; none: there is no such pipe any more, or the system forbids it.
[[nodiscard]] owned_descriptor open_wake_pipe(pid_t process, const pipe_name &name) noexcept;
/// Wakes who sleeps at the other end. Never waits.
void write_to_wake_pipe(int descriptor) noexcept;

} // namespace lisle::fabric::local
