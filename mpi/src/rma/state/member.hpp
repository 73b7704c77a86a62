// SPDX-License-Identifier: Apache-2.0
// What all ranks of a node know of each member of a window: where its memory is, and the words by which the
// node's ranks synchronise. One table of members for each window and node, in memory that its ranks share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/spin_lock.hpp"
#include "mpi.h"
#include "rma/state/lock_word.hpp"

namespace lisle::rma {

/// A member's memory. Written by the member (those on another node: by the leader of the table's node) while
/// the window is made, and never changed.
struct member_facts {
    /// Address in the process of `holder`; of a dynamic window: of its attached_table, 0: there is none.
    std::uint64_t base = 0;
    std::uint64_t size = 0; ///< bytes
    std::int64_t unit = 1;  ///< the displacement unit
    /// Number in the job of a rank in whose process `base` means something.
    std::int32_t holder = 0;
    /// Index on the node of that process; -1: on another node.
    std::int32_t process = -1;
    /// `base` lies in that process's shared heap: the node's other processes reach it by address.
    bool open = false;
    /// Other processes of the node change its elements by copies of the kernel (kernel_updates.hpp): all
    /// change them under `updates`, also where an instruction of the processor could.
    bool copied = false;
    bool exposed = false;  ///< to the network's remote memory (remote_copies.hpp)
    std::uint64_t key = 0; ///< then: its name there
};

/// Which lock a rank waits for, so that the holder that gives it back finds the rank. Several threads of a
/// rank may wait for different ones: then the rank is woken for each.
class awaited_lock {
  public:
    void add(int target, lock_word::kind wanted) noexcept {
        change([&](std::uint64_t seen) {
            return ((seen >> 32) + 1) << 32 | (seen == 0 ? code_of(target, wanted) : any);
        });
    }
    void drop() noexcept {
        change([](std::uint64_t seen) { return seen >> 32 == 1 ? 0 : seen - (std::uint64_t{1} << 32); });
    }
    /// `possible`: several threads of the rank wait, or its own wait and one on behalf of other nodes; for
    /// what is not known.
    enum class match : std::uint8_t { none, possible, certain };
    [[nodiscard]] match compare(int target, lock_word::kind wanted) const noexcept {
        const auto seen = static_cast<std::uint32_t>(word_.load(std::memory_order_seq_cst));
        return seen == any ? match::possible : seen == code_of(target, wanted) ? match::certain : match::none;
    }
    /// Whether it may wait for the target's lock, of either kind.
    [[nodiscard]] bool is(int target) const noexcept {
        return compare(target, lock_word::kind::shared) != match::none ||
               compare(target, lock_word::kind::exclusive) != match::none;
    }

  private:
    static constexpr std::uint32_t any = UINT32_MAX;
    static constexpr std::uint32_t code_of(int target, lock_word::kind wanted) noexcept {
        return (static_cast<std::uint32_t>(target) + 1) << 1 | static_cast<std::uint32_t>(wanted);
    }
    // Sequentially consistent: a holder that sees a waiter in a lock word finds the rank here.
    template <class Change> void change(Change next) noexcept {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(seen, next(seen), std::memory_order_seq_cst,
                                            std::memory_order_relaxed)) {
        }
    }
    std::atomic<std::uint64_t> word_{0}; ///< threads that wait, and what for
};

/// One row of the table. Zeroed memory is a valid row.
struct member {
    alignas(64) member_facts facts;
    alignas(64) lock_word lock;
    awaited_lock awaits;
    /// Number in the job of the exclusive holder, plus one; 0: there is none. For those that wait: relaxed.
    std::atomic<std::int32_t> holder{0};
    /// The same of a rank that has failed while it held the lock, of either kind: it is never free again.
    /// Sequentially consistent, as the lock's word: a waiting rank reads both (window_lock.cpp).
    std::atomic<std::int32_t> broken_by{0};
    /// The writer that was woken last: the next one behind it comes next. Relaxed: any order wakes one.
    std::atomic<std::int32_t> last_woken{0};
    /// The target's own rank, which learns first of a lock that another node has given back, does not take it
    /// while it is the turn of the node's other ranks (lock_word::near_turn): one of them is about to.
    /// Relaxed: the lock's word decides.
    std::atomic<bool> lets_others{false};
    /// Held while elements are updated that no processor instruction updates at once (element_update.hpp), by
    /// a thread that then waits for nothing but the kernel.
    alignas(64) spin_lock updates;
};
static_assert(sizeof(member) == 192);

} // namespace lisle::rma
