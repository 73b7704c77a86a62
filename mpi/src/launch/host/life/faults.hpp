// SPDX-License-Identifier: Apache-2.0
// A signal that ends the process is noted for the launcher first, with the rank that met it. The signal
// then takes its usual course, so core dumps and sanitizers' reports are what they always are.
#pragma once

#include <cstddef>

namespace lisle::host {

/// Watches SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from now on.
void watch_faults();

/// Room on the calling thread's stack, at its far end, for handling signals when the stack has overflowed.
/// Left alone if the thread has such room already (sanitizers).
class alternate_stack {
  public:
    alternate_stack();
    ~alternate_stack();
    alternate_stack(const alternate_stack &) = delete;
    alternate_stack &operator=(const alternate_stack &) = delete;
    static constexpr std::size_t bytes = std::size_t{16} << 10;

  private:
    bool mine_ = false;
    alignas(16) std::byte room_[bytes];
};

} // namespace lisle::host
