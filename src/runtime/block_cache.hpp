// SPDX-License-Identifier: Apache-2.0
// Memory for small objects that come and go with every message: freed blocks are kept, so that the path
// of a short message calls the allocator only until the cache is warm. One cache for each thread, hence
// no lock; blocks may be freed by another thread than the one that took them.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace lisle {

/// A cache of blocks of `Bytes` bytes.
template <std::size_t Bytes> class block_cache {
  public:
    [[nodiscard]] static void *take() {
        block *const taken = mine_.first;
        if (taken == nullptr) [[unlikely]] {
            return ::operator new(Bytes);
        }
        mine_.first = taken->next;
        ++mine_.room;
        return taken;
    }

    static void give(void *memory) noexcept {
        if (mine_.room == 0) [[unlikely]] {
            give_to_full(memory);
            return;
        }
        mine_.first = new (memory) block{mine_.first};
        --mine_.room;
    }

  private:
    struct block {
        block *next;
    };
    static_assert(Bytes >= sizeof(block));
    // Covers the windows of outstanding requests that programs commonly use.
    static constexpr std::size_t most_kept = 256;

    // No constructor and no destructor, so that using it asks nothing; `room` is 0 until the thread's end
    // is taken care of, and again from then on.
    struct state {
        block *first;
        std::size_t room;
        bool ended;
    };

    struct cleaner {
        ~cleaner() {
            mine_.room = 0; // what is freed after this thread's end goes to the allocator
            mine_.ended = true;
            while (mine_.first != nullptr) {
                ::operator delete(std::exchange(mine_.first, mine_.first->next));
            }
        }
        bool used = false;
    };

    [[gnu::cold, gnu::noinline]] static void give_to_full(void *memory) noexcept {
        static thread_local cleaner at_exit;
        if (!mine_.ended && !at_exit.used) {
            at_exit.used = true;
            mine_.room = most_kept;
            give(memory);
            return;
        }
        ::operator delete(memory);
    }

    static constinit inline thread_local state mine_ [[gnu::tls_model("initial-exec")]]{};
};

/// Base for classes whose objects come from a block_cache.
template <std::size_t Bytes> class cached_object {
  public:
    static void *operator new(std::size_t size) {
        return size <= Bytes ? block_cache<Bytes>::take() : ::operator new(size);
    }
    static void operator delete(void *memory, std::size_t size) noexcept {
        if (size <= Bytes) {
            block_cache<Bytes>::give(memory);
        } else {
            ::operator delete(memory);
        }
    }
};

} // namespace lisle
