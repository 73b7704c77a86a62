// SPDX-License-Identifier: Apache-2.0
// Copies between the memories of two processes.
#pragma once

#include <cstdint>
#include <span>
#include <sys/uio.h>

namespace lisle::fabric::local {

/// Copy between the local `pieces` and one run of another process's memory, beginning at `remote_address`,
/// with process_vm_readv and process_vm_writev: one copy, made by the kernel. False if the kernel refuses
/// (containers without the right to trace, other users) or the memory is not there; nothing may be assumed of
/// the destination then.
[[nodiscard]] bool read_peer_memory(int pid, std::uint64_t remote_address,
                                    std::span<const iovec> pieces) noexcept;
[[nodiscard]] bool write_peer_memory(int pid, std::uint64_t remote_address,
                                     std::span<const iovec> pieces) noexcept;

/// Lets other processes of the user read and write this one's memory, where the kernel asks for that.
void open_own_memory() noexcept;
/// True if the kernel lets this process read and write the memory of that one.
[[nodiscard]] bool peer_memory_open(int pid) noexcept;

} // namespace lisle::fabric::local
