// SPDX-License-Identifier: Apache-2.0
// What the ranks of one node have in common and others do without: memory that both sides load from and
// store to, and copies by the kernel that end at once. A route has this interface or lacks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/uio.h>

#include "fabric/pinned_memory.hpp"

namespace lisle {
class shared_heap;
}

namespace lisle::fabric {

class cooperative_copy;
class published_receives;

/// Thread-safe. Ranks are named by their numbers in the job; all of them must be on this node.
class shared_memory {
  public:
    // ---- blocks of memory that are found under a key ----

    /// The block of memory under `key`, made and zeroed at the first request. Null: there is none, and this
    /// is the same for all ranks that ask for it; all name one size. A rank that asked, with either answer,
    /// says at the end that it leaves; when all `sharers` have, the key and the memory are free again.
    [[nodiscard]] virtual std::byte *block(std::uint64_t key, std::size_t bytes) noexcept = 0;
    virtual void leave_block(std::uint64_t key, int sharers) noexcept = 0;
    /// After a store to shared memory, made with sequential consistency, that `rank` may wait for: wakes it
    /// if it sleeps. (Before it does, fabric::arm has it look once more at what it waits for.)
    virtual void nudge(int rank) noexcept = 0;
    /// False: nudge() would do nothing now, for no rank. Saves who wants to wake many.
    [[nodiscard]] virtual bool anyone_watches() noexcept = 0;

    // ---- the memory of peers ----

    /// Copies from the memory of `peer` into `to`, one run of remote memory. False: not possible here
    /// (find another way); once false, always false (but for what can be reached).
    [[nodiscard]] virtual bool read(int peer, std::uint64_t address, std::span<const iovec> to) noexcept = 0;
    /// Copies to the memory of `peer`, under the same conditions.
    [[nodiscard]] virtual bool write(int peer, std::uint64_t address,
                                     std::span<const iovec> from) noexcept = 0;
    /// True if the memory of all the node's processes can be used with read and write. The first one who asks
    /// finds out, by means of `peer`, and all get the same answer.
    [[nodiscard]] virtual bool memory_open(int peer) noexcept = 0;
    /// How endpoint `owner` and others share the work of its copies; null: it copies alone, or not at all.
    [[nodiscard]] virtual cooperative_copy *cooperative_copy_of(int owner) noexcept = 0;

    /// The receives of endpoint `owner` that its peers may fill.
    [[nodiscard]] virtual published_receives receives_of(int owner) noexcept = 0;

    /// The memory of this process that its peers reach by address (fabric/local/shared_heap.hpp); null: there
    /// is none.
    [[nodiscard]] virtual shared_heap *heap() noexcept = 0;
    /// Where bytes at an address of `peer` lie here if they are in such memory; null: they are not.
    [[nodiscard]] virtual std::byte *reach(int peer, std::uint64_t address, std::size_t bytes) noexcept = 0;
    /// The same for a while, with malloc's blocks that peers reach by address (fabric/local/peer_blocks.hpp).
    [[nodiscard]] virtual pinned_memory pin(int peer, std::uint64_t address, std::size_t bytes) noexcept = 0;
    /// True if these bytes of this process's lie in either.
    [[nodiscard]] virtual bool holds(const void *data, std::size_t bytes) const noexcept = 0;

  protected:
    ~shared_memory() = default;
};

} // namespace lisle::fabric
