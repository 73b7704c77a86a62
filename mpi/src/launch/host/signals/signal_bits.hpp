// SPDX-License-Identifier: Apache-2.0
// Sets of signals as the kernel has them: a word with a bit for each.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstring>

namespace lisle::host {

using signal_bits = std::uint64_t;

constexpr int last_signal = 64;
constexpr signal_bits all_signals = ~signal_bits{0};

[[nodiscard]] constexpr signal_bits bit_of(int signal) noexcept {
    return signal_bits{1} << (signal - 1);
}
[[nodiscard]] inline signal_bits bits_of(const sigset_t &set) noexcept {
    signal_bits bits = 0;
    std::memcpy(&bits, &set, sizeof bits);
    return bits;
}
[[nodiscard]] inline sigset_t set_of(signal_bits bits) noexcept {
    sigset_t set;
    sigemptyset(&set);
    std::memcpy(&set, &bits, sizeof bits);
    return set;
}

constexpr signal_bits never_caught = bit_of(SIGKILL) | bit_of(SIGSTOP);
/// What an instruction that cannot be carried out brings about.
constexpr signal_bits faults =
    bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGSYS);
/// Whose default action is to do nothing.
constexpr signal_bits ignored_by_default =
    bit_of(SIGCHLD) | bit_of(SIGURG) | bit_of(SIGWINCH) | bit_of(SIGCONT);
/// Whose default action is to stop the process.
constexpr signal_bits stopping = bit_of(SIGTSTP) | bit_of(SIGTTIN) | bit_of(SIGTTOU);

} // namespace lisle::host
