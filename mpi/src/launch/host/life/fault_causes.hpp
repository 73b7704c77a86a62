// SPDX-License-Identifier: Apache-2.0
// What is likely behind a fatal signal, where the signal's name misleads: a stack that was too small, a
// library that the ranks share although it was made for one.
#pragma once

#include <csignal>

namespace lisle::host {

/// Says so on the error output, in one sentence, or says nothing. @pre called by the handler of the signal.
/// Async-signal-safe.
void explain_fault(int rank, int signal, const siginfo_t &information, const void *context);

} // namespace lisle::host
