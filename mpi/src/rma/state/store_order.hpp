// SPDX-License-Identifier: Apache-2.0
// The order between what a rank has put into other ranks' memory and what it reads after a flush.
//
// A processor keeps the order of a thread's stores, or a release fence makes it do so. So a rank that learns
// of a flush by what comes after it finds the puts as well. But a processor may read before its earlier
// stores have left it: two ranks that put, flush and then look at each other's memory might both find
// nothing, and neither would come after the other. Only a full fence between the store and the read prevents
// that, and it takes longer than a put and all else that a flush does.
//
// It can wait until the rank reads. Calls that read a window's memory, or after which a load of the program's
// own has to find what others have put [MPI-5.0 12.7: MPI_Win_sync, locks], have the fence if a flush stands
// before them; atomic instructions that write are fences themselves. No other read can show that a put came
// too late: a put is visible to loads "eventually" without such a call, and a message that has not been seen
// yet may still be on its way.
//
// What has been stored and flushed is kept for each thread, not for each window or rank: whose read it is
// does not matter to a processor, and ranks that take turns on one thread may tell each other of a flush.
// Threads that tell each other do so by stores, which come behind those of the puts.
#pragma once

#include <atomic>

namespace lisle::rma {

/// What the calling thread has stored in windows.
class store_order {
  public:
    /// It has stored, or is about to.
    static void note() noexcept { mine_.stored = true; }

    /// A flush: all that it has stored or read comes before whatever it stores next, and before whatever it
    /// reads after the next before_read().
    static void flush() noexcept {
        std::atomic_thread_fence(std::memory_order_acq_rel);
        if (mine_.stored) {
            mine_.flushed = true;
        }
    }

    /// Called before window memory is read.
    static void before_read() noexcept {
        if (mine_.flushed) [[unlikely]] {
            settle();
        }
    }

    /// All that it has stored or read comes before whatever it does next.
    static void settle() noexcept {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        mine_.stored = mine_.flushed = false;
    }

  private:
    struct state {
        bool stored;  ///< since the last fence
        bool flushed; ///< some of it
    };
    static constinit inline thread_local state mine_ [[gnu::tls_model("initial-exec")]]{};
};

} // namespace lisle::rma
