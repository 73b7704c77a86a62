// SPDX-License-Identifier: Apache-2.0
// A cache of small blocks for objects that live as long as a message: freed blocks are kept, so the path of a
// short message calls the allocator only until the cache is warm. Each thread has a cache, so there is no
// lock; a block may be freed by another thread than the one that allocated it.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "base/thread_order.hpp"
#include "base/thread_owned.hpp"

namespace lisle {

/// A cache of nodes, whatever they are: `node.next_unused()` is a place for a link while a node lies here,
/// and `Node::destroy(Node *)` ends one for good.
template <class Node> class node_cache {
  public:
    /// Null if there is none.
    [[nodiscard, gnu::always_inline]] static Node *take() noexcept {
        Node *const taken = mine_.first;
        if (taken != nullptr) [[likely]] {
            mine_.first = taken->next_unused();
            ++mine_.room;
        }
        return taken;
    }

    [[gnu::always_inline]] static void give(Node *node) noexcept {
        if (mine_.room == 0) [[unlikely]] {
            give_to_full(node);
            return;
        }
        node->next_unused() = mine_.first;
        mine_.first = node;
        --mine_.room;
    }

  private:
    // Covers the windows of outstanding requests that programs commonly use.
    static constexpr std::size_t most_kept = 256;

    // No constructor and no destructor, so that an access needs no check for initialisation; `room` is 0
    // until a handler for the thread's end is registered, and again after that handler has run.
    struct state {
        Node *first;
        std::size_t room;
        bool ended;
    };

    struct cleaner {
        ~cleaner() {
            const thread_order::library_code unseen;
            mine_.room = 0; // what is freed after this thread's end goes to the allocator
            mine_.ended = true;
            while (mine_.first != nullptr) {
                Node::destroy(std::exchange(mine_.first, mine_.first->next_unused()));
            }
        }
        bool used = false;
    };

    [[gnu::cold, gnu::noinline]] static void give_to_full(Node *node) noexcept {
        cleaner *const at_end = mine_.ended ? nullptr : thread_owned<cleaner>::own();
        if (at_end != nullptr && !at_end->used) {
            at_end->used = true;
            mine_.room = most_kept;
            give(node);
            return;
        }
        Node::destroy(node);
    }

    static constinit inline thread_local state mine_ [[gnu::tls_model("initial-exec")]]{};
};

/// A cache of blocks of `Bytes` bytes, which begin with a cache line.
template <std::size_t Bytes> class block_cache {
  public:
    static constexpr std::align_val_t line{64};

    [[nodiscard]] static void *take() {
        void *const taken = node_cache<block>::take();
        return taken != nullptr ? taken : ::operator new(Bytes, line);
    }
    static void give(void *memory) noexcept { node_cache<block>::give(new (memory) block); }

  private:
    struct block {
        block *next;
        [[nodiscard]] block *&next_unused() noexcept { return next; }
        static void destroy(block *unused) noexcept { ::operator delete(unused, line); }
    };
    static_assert(Bytes >= sizeof(block));
};

/// Base for classes whose objects come from a block_cache.
template <std::size_t Bytes> class cached_object {
  public:
    static void *operator new(std::size_t size) {
        return size <= Bytes ? block_cache<Bytes>::take() : ::operator new(size, block_cache<Bytes>::line);
    }
    static void operator delete(void *memory, std::size_t size) noexcept {
        if (size <= Bytes) {
            block_cache<Bytes>::give(memory);
        } else {
            ::operator delete(memory, block_cache<Bytes>::line);
        }
    }
};

} // namespace lisle
