// SPDX-License-Identifier: Apache-2.0
// The C library's allocation functions, as lislerun preloads them into process ranks (LISLE_SHARED_MALLOC):
// long blocks come from memory that the node's other processes can map (block_region.hpp), all others from
// the allocator that the program would have without. Which of the two a block is from its address tells.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "allocator/block_region.hpp"

namespace lisle::allocator {

namespace {

/// The shortest block of the region: shorter messages are copied twice as fast as they are announced.
constexpr std::size_t least_block = std::size_t{64} << 10;
constexpr std::size_t page = shared_blocks::page;

block_region &blocks = own_blocks();

/// The next allocator. Found when one is first asked for: other libraries begin before this one.
struct next_allocator {
    void *(*malloc)(std::size_t);
    void (*free)(void *);
    void *(*calloc)(std::size_t, std::size_t);
    void *(*realloc)(void *, std::size_t);
    void *(*memalign)(std::size_t, std::size_t);
    void *(*aligned_alloc)(std::size_t, std::size_t);
    int (*posix_memalign)(void **, std::size_t, std::size_t);
    void *(*valloc)(std::size_t);
    void *(*pvalloc)(std::size_t);
    std::size_t (*malloc_usable_size)(void *);
    pid_t (*fork_alone)();
};

template <class Function> void look_up(Function *&function, const char *name) noexcept {
    function = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

next_allocator known;
std::atomic<bool> is_known{false}; ///< release when all are, acquire before they are called

/// What the search for the next allocator itself allocates: some bytes in some versions of the C library.
class first_bytes {
  public:
    void *allocate(std::size_t bytes) noexcept {
        const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
        const std::size_t at = taken_.fetch_add(whole, std::memory_order_relaxed); // each gets its own
        return whole <= sizeof bytes_ && at <= sizeof bytes_ - whole ? bytes_ + at : nullptr;
    }
    [[nodiscard]] bool has(const void *block) const noexcept {
        return block >= bytes_ && block < bytes_ + sizeof bytes_;
    }
    [[nodiscard]] std::size_t bytes_from(const void *block) const noexcept {
        return static_cast<std::size_t>(bytes_ + sizeof bytes_ - static_cast<const char *>(block));
    }

  private:
    static constexpr std::size_t alignment = alignof(std::max_align_t);
    alignas(alignment) char bytes_[4096] = {};
    std::atomic<std::size_t> taken_{0};
};
constinit first_bytes first;
thread_local bool searching __attribute__((tls_model("initial-exec"))) = false;

void before_fork() noexcept {
    blocks.before_fork();
}
void after_fork_here() noexcept {
    blocks.after_fork_here();
}
void after_fork_in_child() noexcept {
    blocks.after_fork_in_child();
}

void find_next() noexcept {
    searching = true;
    look_up(known.malloc, "malloc");
    look_up(known.free, "free");
    look_up(known.calloc, "calloc");
    look_up(known.realloc, "realloc");
    look_up(known.memalign, "memalign");
    look_up(known.aligned_alloc, "aligned_alloc");
    look_up(known.posix_memalign, "posix_memalign");
    look_up(known.valloc, "valloc");
    look_up(known.pvalloc, "pvalloc");
    look_up(known.malloc_usable_size, "malloc_usable_size");
    look_up(known.fork_alone, "_Fork");
    searching = false;
    is_known.store(true, std::memory_order_release);
}

/// Null while this thread looks for it.
const next_allocator *next() noexcept {
    if (!is_known.load(std::memory_order_acquire)) [[unlikely]] {
        if (searching) {
            return nullptr;
        }
        find_next();
    }
    return &known;
}

// The first of all, since this library begins before all others (-z initfirst): then before_fork() is called
// after all that others do, as the C library locks its own allocator.
__attribute__((constructor)) void watch_forks() noexcept {
    next();
    pthread_atfork(&before_fork, &after_fork_here, &after_fork_in_child);
}

bool is_power_of_two(std::size_t number) noexcept {
    return std::has_single_bit(number);
}

void *take_block(std::size_t bytes, std::size_t alignment = page, bool zeroed = false) noexcept {
    return bytes >= least_block && is_power_of_two(alignment) ? blocks.allocate(bytes, alignment, zeroed)
                                                              : nullptr;
}

void *moved(void *block, std::size_t had, std::size_t bytes) noexcept {
    void *to = take_block(bytes);
    if (to == nullptr) {
        to = known.malloc(bytes);
    }
    if (to != nullptr) {
        std::memcpy(to, block, std::min(had, bytes));
    }
    return to;
}

void *resized(void *block, std::size_t bytes) noexcept {
    if (bytes >= least_block && blocks.resize(block, bytes)) {
        return block;
    }
    const std::size_t had = blocks.size_of(block);
    void *const to = moved(block, had, bytes);
    if (to == nullptr) {
        return bytes <= had ? block : nullptr;
    }
    blocks.release(block);
    return to;
}

} // namespace

} // namespace lisle::allocator

using namespace lisle::allocator;

extern "C" {

[[gnu::visibility("default")]] block_file lisle_block_file() noexcept {
    return blocks.file();
}

[[gnu::visibility("default")]] void *malloc(std::size_t bytes) noexcept {
    if (void *const block = take_block(bytes); block != nullptr) {
        return block;
    }
    const next_allocator *const other = next();
    return other != nullptr ? other->malloc(bytes) : first.allocate(bytes);
}

[[gnu::visibility("default")]] void free(void *block) noexcept {
    if (blocks.holds(block)) {
        blocks.release(block);
    } else if (block != nullptr && !first.has(block)) [[likely]] {
        if (const next_allocator *const other = next()) {
            other->free(block);
        }
    }
}

[[gnu::visibility("default")]] void *calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all = 0;
    if (!__builtin_mul_overflow(count, bytes, &all)) {
        if (void *const block = take_block(all, page, true); block != nullptr) {
            return block;
        }
    }
    const next_allocator *const other = next();
    return other != nullptr ? other->calloc(count, bytes) : first.allocate(all);
}

[[gnu::visibility("default")]] void *realloc(void *block, std::size_t bytes) noexcept {
    const next_allocator *const other = next();
    if (block == nullptr) {
        return malloc(bytes);
    }
    if (blocks.holds(block)) {
        if (bytes == 0) {
            blocks.release(block);
            return nullptr;
        }
        return resized(block, bytes);
    }
    if (first.has(block)) {
        void *const to = malloc(bytes);
        if (to != nullptr) {
            std::memcpy(to, block, std::min(bytes, first.bytes_from(block)));
        }
        return to;
    }
    if (bytes >= least_block && other->malloc_usable_size != nullptr) {
        if (void *const to = take_block(bytes); to != nullptr) {
            std::memcpy(to, block, std::min(bytes, other->malloc_usable_size(block)));
            other->free(block);
            return to;
        }
    }
    return other->realloc(block, bytes);
}

[[gnu::visibility("default")]] void *reallocarray(void *block, std::size_t count,
                                                  std::size_t bytes) noexcept {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return realloc(block, all);
}

[[gnu::visibility("default")]] void *memalign(std::size_t alignment, std::size_t bytes) noexcept {
    void *const block = take_block(bytes, alignment);
    return block != nullptr ? block : next()->memalign(alignment, bytes);
}

[[gnu::visibility("default")]] void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    void *const block = take_block(bytes, alignment);
    return block != nullptr ? block : next()->aligned_alloc(alignment, bytes);
}

[[gnu::visibility("default")]] int posix_memalign(void **place, std::size_t alignment,
                                                  std::size_t bytes) noexcept {
    if (alignment % sizeof(void *) == 0) {
        if (void *const block = take_block(bytes, alignment); block != nullptr) {
            *place = block;
            return 0;
        }
    }
    return next()->posix_memalign(place, alignment, bytes);
}

[[gnu::visibility("default")]] void *valloc(std::size_t bytes) noexcept {
    void *const block = take_block(bytes);
    return block != nullptr ? block : next()->valloc(bytes);
}

[[gnu::visibility("default")]] void *pvalloc(std::size_t bytes) noexcept {
    void *const block = take_block(bytes);
    return block != nullptr ? block : next()->pvalloc(bytes);
}

[[gnu::visibility("default")]] std::size_t malloc_usable_size(void *block) noexcept {
    if (blocks.holds(block)) {
        return blocks.size_of(block);
    }
    return first.has(block) ? 0 : next()->malloc_usable_size(block);
}

/// fork() without the handlers of pthread_atfork().
[[gnu::visibility("default")]] pid_t _Fork() noexcept {
    before_fork();
    const pid_t child = next()->fork_alone();
    child == 0 ? after_fork_in_child() : after_fork_here();
    return child;
}
}
