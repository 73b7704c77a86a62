// SPDX-License-Identifier: Apache-2.0
// Memory for small objects that come and go with every message: freed blocks are kept, so that the path
// of a short message calls the allocator only until the cache is warm. One cache for each thread, hence
// no lock; blocks may be freed by another thread than the one that took them.
#pragma once

#include <cstddef>
#include <new>

namespace lisle {

/// A cache of blocks of `Bytes` bytes.
template <std::size_t Bytes> class block_cache {
  public:
    [[nodiscard]] static void *take() {
        block_cache &mine = of_this_thread();
        if (mine.first_ == nullptr) {
            return ::operator new(Bytes);
        }
        block *const taken = mine.first_;
        mine.first_ = taken->next;
        --mine.kept_;
        return taken;
    }

    static void give(void *memory) noexcept {
        block_cache &mine = of_this_thread();
        if (mine.kept_ == most_kept) {
            ::operator delete(memory);
            return;
        }
        mine.first_ = new (memory) block{mine.first_};
        ++mine.kept_;
    }

    ~block_cache() {
        kept_ = most_kept; // what is freed after this thread's end goes to the allocator
        while (first_ != nullptr) {
            block *const freed = first_;
            first_ = freed->next;
            ::operator delete(freed);
        }
    }

  private:
    struct block {
        block *next;
    };
    static_assert(Bytes >= sizeof(block));
    // Covers the windows of outstanding requests that programs commonly use.
    static constexpr std::size_t most_kept = 256;

    static block_cache &of_this_thread() noexcept {
        static thread_local block_cache cache [[gnu::tls_model("initial-exec")]];
        return cache;
    }

    block *first_ = nullptr;
    std::size_t kept_ = 0;
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
