// SPDX-License-Identifier: Apache-2.0
// Copies between the memories of processes that share a machine: straight where a peer's memory is mapped
// here (shared_heap.hpp, peer_blocks.hpp), else by the kernel, with process_vm_readv and process_vm_writev.
// Any memory will do, without a key, and copies end at once.
#pragma once

#include <atomic>
#include <optional>

#include "fabric/local/peer_blocks.hpp"
#include "fabric/local/shared_heap.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric::local {

class memory_domain;

/// Lets other processes of the user read and write this one's memory, where the kernel asks for that.
void open_own_memory() noexcept;
/// True if the kernel lets this process read and write the memory of that one.
[[nodiscard]] bool peer_memory_open(int pid) noexcept;

class peer_memory final : public remote_memory {
  public:
    /// @param domain of the peers, outlives this @param heap and @param blocks null: nothing is mapped
    /// @param by_kernel false: the kernel is not asked
    peer_memory(const memory_domain &domain, shared_heap *heap, peer_blocks *blocks, bool by_kernel) noexcept
        : domain_{domain}, heap_{heap}, blocks_{blocks}, by_kernel_{by_kernel} {}

    /// Copy between local pieces and one run of a peer's memory. False if the kernel refuses (containers
    /// without the right to trace, other users) or the memory is not there; nothing may be assumed of the
    /// destination then.
    [[nodiscard]] bool read(int peer, std::uint64_t address, std::span<const iovec> to) noexcept;
    [[nodiscard]] bool write(int peer, std::uint64_t address, std::span<const iovec> from) noexcept;
    /// False: the kernel has refused, and is not asked again.
    [[nodiscard]] bool by_kernel() const noexcept { return by_kernel_.load(std::memory_order_relaxed); }
    /// Where these bytes of a peer are mapped for good; null: they are not.
    [[nodiscard]] std::byte *reach(int peer, std::uint64_t address, std::size_t bytes) const noexcept;

    /// Where they are mapped for a while.
    [[nodiscard]] pinned_memory pin(int peer, std::uint64_t address, std::size_t bytes) const noexcept;

    [[nodiscard]] std::optional<memory_key> expose(const void *, std::size_t) noexcept override { return 0; }
    void withdraw(memory_key) noexcept override {}
    [[nodiscard]] copy_start start_read(int, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &) noexcept override {
        return read(from.peer, from.address, to) ? copy_start::done : copy_start::refused;
    }
    [[nodiscard]] copy_start start_write(int, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &) noexcept override {
        return write(to.peer, to.address, from) ? copy_start::done : copy_start::refused;
    }

  private:
    [[nodiscard]] bool end(bool copied) noexcept;

    const memory_domain &domain_;
    shared_heap *const heap_;
    peer_blocks *const blocks_;
    // Only ever goes from true to false, by whichever thread first meets a refusal; relaxed, since
    // acting on a stale value costs one more refused call.
    std::atomic<bool> by_kernel_;
};

} // namespace lisle::fabric::local
