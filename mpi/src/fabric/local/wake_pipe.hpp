// SPDX-License-Identifier: Apache-2.0
// How processes wake each other that share no doorbells: each has a pipe to sleep on, which others of the
// machine open through /proc and write a byte to.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
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
    /// Wakes the owner, as others of its process do.
    void ring() const noexcept;

  private:
    owned_descriptor end_;
};

/// The end to write to; none: there is no such pipe any more, or the system forbids it.
[[nodiscard]] owned_descriptor open_wake_pipe(pid_t process, const pipe_name &name) noexcept;

/// A descriptor that is given up for a moment where the program has used up all others.
class spare_descriptor {
  public:
    spare_descriptor() noexcept { keep(); }
    /// Does something without it, so that one descriptor can be opened meanwhile.
    template <class Work> void without(Work work) {
        const std::scoped_lock guard{lock_};
        kept_.reset();
        work();
        keep();
    }

  private:
    void keep() noexcept;
    std::mutex lock_; ///< protects kept_
    owned_descriptor kept_;
};

/// The end to write to, as senders keep it for one sleeper. Thread-safe.
class pipe_bell {
  public:
    /// @param ended of the sleeper's process @param spare both outlive this
    pipe_bell(pid_t process, pipe_name pipe, const std::atomic<bool> &ended, spare_descriptor &spare) noexcept
        : process_{process}, pipe_{pipe}, ended_{ended}, spare_{spare} {}
    pipe_bell(const pipe_bell &) = delete;
    pipe_bell &operator=(const pipe_bell &) = delete;
    ~pipe_bell() { owned_descriptor{opened_.load(std::memory_order_relaxed)}.reset(); }

    /// Wakes who sleeps at the other end. Never waits.
    void ring() noexcept;
    [[nodiscard]] bool owner_ended() const noexcept { return ended_.load(std::memory_order_relaxed); }

  private:
    pid_t process_;
    pipe_name pipe_;
    const std::atomic<bool> &ended_;
    spare_descriptor &spare_;
    /// Opened when the owner sleeps for the first time; none: not yet. Release by who has opened it, acquire
    /// by who writes to it.
    std::atomic<int> opened_ = none;
    static constexpr int none = -1;
};

} // namespace lisle::fabric::local
