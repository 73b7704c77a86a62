// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/peer_blocks.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/owned_descriptor.hpp"

namespace lisle::fabric::local {

using allocator::shared_blocks;

namespace {

/// Pages become accessible in such steps: a program that locks its memory locks what is accessible.
constexpr std::size_t step = std::size_t{64} << 20;

allocator::block_file blocks_of_this_process() noexcept {
    auto *const tell = reinterpret_cast<allocator::block_file_of_process *>(
        dlsym(RTLD_DEFAULT, allocator::block_file_function));
    return tell != nullptr ? tell() : allocator::block_file{};
}

/// True if the address space of this process has room for so much of each process, and much to spare.
bool may_map(std::size_t bytes, int processes) noexcept {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur / 4 / static_cast<std::size_t>(processes);
}

/// The bytes of a file of blocks; 0: it is another one.
std::size_t bytes_of(const owned_descriptor &file, const block_file_place &said) noexcept {
    struct stat about {};
    const bool is_it = fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode) &&
                       about.st_dev == said.device.load(std::memory_order_relaxed) &&
                       about.st_ino == said.inode.load(std::memory_order_relaxed);
    return is_it ? static_cast<std::size_t>(about.st_size) : 0;
}

} // namespace

peer_blocks::peer_blocks(const node_segment &segment, int process)
    : segment_{segment}, process_{process},
      others_(static_cast<std::size_t>(segment.processes() > 1 ? segment.processes() : 0)) {
    if (segment.processes() > 1) {
        own_ = blocks_of_this_process();
    }
    if (own_.blocks != nullptr) {
        block_file_place &told = segment_.block_file(process);
        told.device.store(own_.device, std::memory_order_relaxed);
        told.inode.store(own_.inode, std::memory_order_relaxed);
        told.descriptor.store(own_.descriptor + 1, std::memory_order_release); // pairs with map()
    }
}

peer_blocks::~peer_blocks() {
    for (mapping &each : others_) {
        if (shared_blocks *const blocks = each.blocks.load(std::memory_order_relaxed)) {
            munmap(static_cast<void *>(blocks), each.bytes);
        }
    }
}

shared_blocks *peer_blocks::map(int process, pid_t pid) noexcept {
    block_file_place &told = segment_.block_file(process);
    const int descriptor = told.descriptor.load(std::memory_order_acquire) - 1; // pairs with the constructor
    if (descriptor < 0 || pid <= 0) {
        return nullptr; // it has none, or has not said so yet
    }
    const std::scoped_lock guard{mutex_};
    mapping &of = others_[static_cast<std::size_t>(process)];
    if (of.refused || of.blocks.load(std::memory_order_relaxed) != nullptr) {
        return of.blocks.load(std::memory_order_relaxed);
    }
    of.refused = true;
    const owned_descriptor file = open_of_process(pid, descriptor, O_RDWR);
    const std::size_t bytes = file ? bytes_of(file, told) : 0;
    if (bytes < shared_blocks::page || !may_map(bytes, segment_.processes())) {
        return nullptr;
    }
    void *const base = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    if (base == MAP_FAILED) {
        return nullptr;
    }
    madvise(base, bytes, MADV_DONTDUMP); // a core file has the memory of its own process
    auto *const blocks = static_cast<shared_blocks *>(base);
    of.bytes = bytes;
    // What another process says is checked.
    if (!open_up_to(of, shared_blocks::page, base) || blocks->magic != shared_blocks::magic_number ||
        blocks->bytes != bytes) {
        munmap(base, bytes);
        return nullptr;
    }
    of.refused = false;
    of.blocks.store(blocks, std::memory_order_release);
    return blocks;
}

bool peer_blocks::open_up_to(mapping &of, std::size_t end, void *base) noexcept {
    const std::size_t open = of.open.load(std::memory_order_relaxed);
    const std::size_t wanted = std::min((end + step - 1) / step * step, of.bytes);
    if (wanted > open) {
        if (mprotect(static_cast<std::byte *>(base) + open, wanted - open, PROT_READ | PROT_WRITE) != 0) {
            return false;
        }
        of.open.store(wanted, std::memory_order_release);
    }
    return true;
}

pinned_memory peer_blocks::pin(int process, pid_t pid, std::uint64_t address, std::size_t bytes) noexcept {
    if (others_.empty() || process == process_) {
        return {};
    }
    mapping &of = others_[static_cast<std::size_t>(process)];
    shared_blocks *blocks = of.blocks.load(std::memory_order_acquire);
    if (blocks == nullptr && (blocks = map(process, pid)) == nullptr) {
        return {};
    }
    const std::uint64_t offset = address - blocks->base;
    if (offset >= of.bytes || bytes > of.bytes - offset) {
        return {};
    }
    blocks->users.fetch_add(1, std::memory_order_seq_cst); // see shared_blocks::first
    pinned_memory pinned{reinterpret_cast<std::byte *>(blocks) + offset, &blocks->users};
    if (!blocks->hold(address, bytes)) {
        return {};
    }
    if (offset + bytes > of.open.load(std::memory_order_acquire)) {
        const std::scoped_lock guard{mutex_};
        if (!open_up_to(of, offset + bytes, blocks)) {
            return {};
        }
    }
    return pinned;
}

} // namespace lisle::fabric::local
