// SPDX-License-Identifier: Apache-2.0
// Calls of other libraries with locks held. A blocking call that the program makes, itself or through a
// library, lets other fibers of its thread run. Libraries that Lisle itself uses (libfabric, PMIx) block too,
// and their callers hold locks. Another fiber that wants such a lock would spin on its holder's own thread,
// so the holder could never release it.
#pragma once

#include "base/spin_lock.hpp"

namespace lisle {

namespace detail {
/// How many objects of class staying the thread has.
inline constinit thread_local int stays [[gnu::tls_model("initial-exec")]] = 0;
} // namespace detail

/// While one lives, the calling thread runs no other fiber.
class [[nodiscard]] staying {
  public:
    staying() noexcept { ++detail::stays; }
    ~staying() { --detail::stays; }
    staying(const staying &) = delete;
    staying &operator=(const staying &) = delete;

    [[nodiscard]] static bool is_asked() noexcept { return detail::stays != 0; }
};

/// A spin lock whose holder stays. Meets BasicLockable.
class staying_lock {
  public:
    void lock() noexcept {
        lock_.lock();
        ++detail::stays;
    }
    void unlock() noexcept {
        --detail::stays;
        lock_.unlock();
    }

  private:
    spin_lock lock_;
};

} // namespace lisle
