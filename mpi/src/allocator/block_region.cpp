// SPDX-License-Identifier: Apache-2.0
#include "allocator/block_region.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace lisle::allocator {

namespace {

constexpr std::size_t page = shared_blocks::page;
/// The region begins at a multiple of this, which is also the greatest alignment of a block.
constexpr std::size_t region_alignment = std::size_t{2} << 20;
/// Pages become accessible in such steps: a program that locks its memory locks what is accessible.
constexpr std::size_t step_pages = (std::size_t{64} << 20) / page;
/// So much free memory stays with the process, for its next blocks; a longer block goes back at once.
constexpr std::size_t most_kept = (std::size_t{64} << 20) / page;
constexpr std::size_t longest_kept = (std::size_t{32} << 20) / page;
constexpr std::size_t least_region = std::size_t{16} << 20;

std::uint32_t pages_for(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>((bytes + page - 1) / page);
}

[[noreturn]] void stop(std::string_view why) noexcept {
    constexpr std::string_view who = "lisle: malloc: ";
    static_cast<void>(!write(STDERR_FILENO, who.data(), who.size()));
    static_cast<void>(!write(STDERR_FILENO, why.data(), why.size()));
    std::abort();
}

std::size_t limit_on(int resource) noexcept {
    rlimit limit{};
    return getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? limit.rlim_cur
               : SIZE_MAX;
}

/// Twice what the machine has, within reason. Where address space is limited, a sixteenth of it, which is
/// mapped twice; peers look after theirs (peer_blocks.cpp).
std::size_t bytes_of_region() noexcept {
    struct sysinfo machine {};
    if (sysinfo(&machine) != 0) {
        return 0;
    }
    constexpr std::size_t most = std::size_t{64} << 30;
    const std::size_t memory = std::size_t{machine.totalram} * machine.mem_unit;
    std::size_t bytes = std::min(std::bit_ceil(memory) * 2, most);
    bytes = std::min({bytes, limit_on(RLIMIT_AS) / 16, limit_on(RLIMIT_FSIZE), limit_on(RLIMIT_DATA) / 16});
    return bytes / region_alignment * region_alignment;
}

/// Where the system promises no more memory than it has, a file's is promised page by page, and a program
/// that is short of it ends instead of hearing so from malloc.
bool memory_is_promised() noexcept {
    const int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    char mode = 0;
    const bool known = file >= 0 && read(file, &mode, 1) == 1;
    if (file >= 0) {
        close(file);
    }
    return known && mode == '2';
}

} // namespace

class block_region::hold {
  public:
    explicit hold(block_region &held) noexcept : held_{held}, before_{errno} {
        pthread_mutex_lock(&held_.lock_);
    }
    hold(const hold &) = delete;
    hold &operator=(const hold &) = delete;
    ~hold() {
        pthread_mutex_unlock(&held_.lock_);
        errno = before_;
    }

  private:
    block_region &held_;
    int before_;
};

// ---- the region ----

bool block_region::map(std::size_t bytes) noexcept {
    const std::size_t wide = bytes + region_alignment;
    void *const room = mmap(nullptr, wide, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return false;
    }
    auto *const from = static_cast<std::byte *>(room);
    const auto skipped = -reinterpret_cast<std::uintptr_t>(from) % region_alignment;
    std::byte *const base = from + skipped;
    if (skipped != 0) {
        munmap(from, skipped);
    }
    munmap(base + bytes, region_alignment - skipped);
    if (mmap(base, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor_, 0) == MAP_FAILED) {
        munmap(base, bytes);
        return false;
    }
    const std::size_t table = bytes / page * sizeof(page_extents::entry);
    void *const view = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE, descriptor_, 0);
    void *const entries = mmap(nullptr, table, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED || entries == MAP_FAILED) {
        munmap(base, bytes);
        if (view != MAP_FAILED) {
            munmap(view, bytes);
        }
        return false;
    }
    private_view_ = static_cast<std::byte *>(view);
    table_ = static_cast<page_extents::entry *>(entries);
    pages_ = page_extents{table_, static_cast<page_number>(bytes / page)};
    base_.store(reinterpret_cast<std::uintptr_t>(base), std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
    return true;
}

bool block_region::make() noexcept {
    if (tried_) {
        return head_ != nullptr;
    }
    tried_ = true;
    const std::size_t bytes = bytes_of_region();
    struct stat about {};
    if (bytes < least_region || memory_is_promised() ||
        (descriptor_ = memfd_create("lisle-malloc", MFD_CLOEXEC)) < 0) {
        return false;
    }
    if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0 || fstat(descriptor_, &about) != 0 ||
        !map(bytes)) {
        close(descriptor_);
        descriptor_ = -1;
        return false;
    }
    if (!open_up_to(1)) {
        return false;
    }
    device_ = about.st_dev;
    inode_ = about.st_ino;
    head_ = new (at(0))
        shared_blocks{shared_blocks::magic_number, base_.load(std::memory_order_relaxed), bytes, {page}, {0}};
    return true;
}

bool block_region::open_up_to(std::size_t end) noexcept {
    const std::size_t all = bytes_.load(std::memory_order_relaxed) / page;
    const std::size_t wanted = std::min(all, (end + step_pages - 1) / step_pages * step_pages);
    if (wanted <= open_) {
        return true;
    }
    constexpr std::size_t entries_in_page = page / sizeof(page_extents::entry);
    const std::size_t first_entry = open_ / entries_in_page * entries_in_page;
    constexpr int both = PROT_READ | PROT_WRITE;
    if (mprotect(table_ + first_entry, (wanted - first_entry) * sizeof(page_extents::entry), both) != 0 ||
        mprotect(at(open_), (wanted - open_) * page, both) != 0) {
        return false;
    }
    open_ = static_cast<page_number>(wanted);
    return true;
}

block_file block_region::file() noexcept {
    const hold held{*this};
    return make() && !is_private_ ? block_file{head_, descriptor_, device_, inode_} : block_file{};
}

bool block_region::file_is_open() const noexcept {
    struct stat about {}; // the program may have closed it, and opened another one
    return descriptor_ >= 0 && fstat(descriptor_, &about) == 0 && about.st_dev == device_ &&
           about.st_ino == inode_;
}

// ---- blocks ----

block_region::page_number block_region::block_at(const void *block) const noexcept {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(block) - base_.load(std::memory_order_relaxed);
    const auto first = static_cast<page_number>(offset / page);
    if (offset % page != 0 || !pages_.is_taken(first)) {
        stop(
            "a pointer was freed or resized that is no block: it was freed before, or is none of malloc's\n");
    }
    return first;
}

void *block_region::allocate(std::size_t bytes, std::size_t alignment, bool zeroed) noexcept {
    const auto found = take(bytes, alignment);
    if (found.first == page_extents::none) {
        return nullptr;
    }
    std::byte *const block = at(found.first);
    if (zeroed && !found.zeroed) {
        std::memset(block, 0, bytes);
    }
    return block;
}

page_extents::taken block_region::take(std::size_t bytes, std::size_t alignment) noexcept {
    const hold held{*this};
    // What is taken while a fork is under way would be shared with the child.
    if (forking_ || !make() || bytes > bytes_.load(std::memory_order_relaxed) ||
        alignment > region_alignment) {
        return {page_extents::none, false};
    }
    const std::uint32_t pages = pages_for(bytes);
    const auto multiple = static_cast<std::uint32_t>(std::max(alignment / page, std::size_t{1}));
    if (!open_up_to(std::size_t{pages_.high()} + pages + multiple)) {
        return {page_extents::none, false};
    }
    return pages_.take(pages, multiple);
}

bool block_region::clean(page_number first) noexcept {
    const std::size_t bytes = std::size_t{pages_.pages_of(first)} * page;
    if (madvise(at(first), bytes, is_private_ ? MADV_DONTNEED : MADV_REMOVE) != 0) {
        return false; // locked by the program, perhaps
    }
    pages_.note_cleaned(first);
    return true;
}

void block_region::take_back(page_number block, page_extents::given freed) noexcept {
    if (freed.first == page_extents::none) {
        const std::size_t bytes = std::size_t{freed.pages} * page;
        if (mmap(at(block), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                 0) == MAP_FAILED) {
            madvise(at(block), bytes, MADV_DONTNEED); // too many mappings: its pages go all the same
        }
    } else if (freed.pages > longest_kept || pages_.unclean() > most_kept) {
        static_cast<void>(clean(freed.first));
    }
}

void block_region::release(void *block) noexcept {
    const hold held{*this};
    const page_number first = block_at(block);
    take_back(first, pages_.give(first));
}

std::size_t block_region::size_of(const void *block) noexcept {
    const hold held{*this};
    return std::size_t{pages_.pages_of(block_at(block))} * page;
}

bool block_region::resize(void *block, std::size_t bytes) noexcept {
    const hold held{*this};
    const page_number first = block_at(block);
    if (bytes > bytes_.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::uint32_t had = pages_.pages_of(first);
    const std::uint32_t wanted = std::max(pages_for(bytes), std::uint32_t{1});
    if (wanted < had) {
        take_back(first + wanted, pages_.cut(first, wanted));
    } else if (wanted > had) {
        return !forking_ && open_up_to(std::size_t{first} + wanted) && pages_.lengthen(first, wanted);
    }
    return true;
}

block_region &own_blocks() noexcept {
    static constinit block_region blocks;
    return blocks;
}

} // namespace lisle::allocator
