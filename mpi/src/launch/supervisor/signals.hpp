// SPDX-License-Identifier: Apache-2.0
// The signals that the launcher handles, and how its front reports them to the supervisor.
#pragma once

#include <array>
#include <csignal>
#include <span>
#include <sys/signalfd.h>

#include "launch/common/descriptor.hpp"
#include "launch/supervisor/spawn.hpp"

namespace lisle::launch {

/// Signals that end a job, unless the launcher was started with them ignored (nohup, a script's '&').
inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
/// Signals that are for the ranks.
inline constexpr std::array passed_signals{SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

/// What the front tells the supervisor: a signal has come. One byte in a pipe.
class signal_note {
  public:
    signal_note(int signal, bool ranks_have_it)
        : byte_{static_cast<unsigned char>(signal | (ranks_have_it ? 0x80 : 0))} {}
    explicit signal_note(unsigned char byte) : byte_{byte} {}
    [[nodiscard]] int signal() const { return byte_ & 0x7f; }
    /// The terminal has sent it to the ranks as well.
    [[nodiscard]] bool ranks_have_it() const { return (byte_ & 0x80) != 0; }
    [[nodiscard]] unsigned char byte() const { return byte_; }

  private:
    unsigned char byte_;
};

/// The signals that the launcher handles: those above, unless it was started with them ignored, and `more`.
/// SIGQUIT is always among them, since `lislerun --status` sends it: see is_ignored.
sigset_t handled_signals(std::span<const int> more);

/// Whether a terminal has sent this signal and the launcher was started with it ignored.
bool is_ignored(const signalfd_siginfo &seen);

/// Blocks these signals and SIGCHLD, and returns the state before.
inherited_state take_over_signals(const sigset_t &handled);

/// A descriptor from which blocked signals are read: SIGCHLD and these.
descriptor signal_source(const sigset_t &handled);

} // namespace lisle::launch
