// SPDX-License-Identifier: Apache-2.0
// Copies between the memories of two processes.
#pragma once

#include <cstdint>
#include <span>
#include <sys/uio.h>

namespace lisle::fabric::local {

/// process_vm_readv or process_vm_writev.
using peer_call = ssize_t (*)(pid_t pid, const iovec *local, unsigned long locals, const iovec *remote,
                              unsigned long remotes, unsigned long flags);

/// Copies between the local `pieces` and one run of another process's memory, beginning at
/// `remote_address`: one copy, made by the kernel. False if the kernel refuses (containers without the right
/// to trace, other users) or the memory is not there; nothing may be assumed of the destination then.
[[nodiscard]] bool copy_peer_memory(peer_call call, int pid, std::uint64_t remote_address,
                                    std::span<const iovec> pieces) noexcept;

} // namespace lisle::fabric::local
