// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <sys/uio.h>

namespace lisle::fabric::local {

/// Copies from another process's memory, beginning at `remote_address`, into the runs of `to`, with
/// process_vm_readv (one copy, made by the kernel). False if the kernel refuses (containers without the
/// right to trace, other users) or the memory is not there; nothing may be assumed of `to` then.
[[nodiscard]] bool read_peer_memory(int pid, std::uint64_t remote_address,
                                    std::span<const iovec> to) noexcept;

/// True if the kernel lets this process read and write the memory of that one.
[[nodiscard]] bool peer_memory_open(int pid) noexcept;
/// One run on both sides, copied by the kernel. False if it refuses or memory is not there.
[[nodiscard]] bool read_peer_memory(int pid, const void *from, void *to, std::size_t bytes) noexcept;
[[nodiscard]] bool write_peer_memory(int pid, void *to, const void *from, std::size_t bytes) noexcept;

} // namespace lisle::fabric::local
