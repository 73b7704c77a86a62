// SPDX-License-Identifier: Apache-2.0
// Thread-local variables of images, where the processor decides only where the host's block lies and what a
// descriptor calls.
#include "launch/host/architecture/thread_locals.hpp"

#include "launch/host/architecture/architecture.hpp"
#include "launch/host/architecture/pages.hpp"

#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

namespace lisle::host::architecture {

namespace {

/// The loader's number for the host's executable as a holder of thread-local variables.
std::size_t own_module() noexcept {
    static const std::size_t number = [] {
        std::size_t found = 0;
        void *const self = dlopen(nullptr, RTLD_LAZY);
        dlinfo(self, RTLD_DI_TLS_MODID, &found);
        dlclose(self);
        return found;
    }();
    return number;
}

} // namespace

std::byte *thread_pointer() noexcept {
    return static_cast<std::byte *>(__builtin_thread_pointer());
}

void place_thread_locals(const thread_local_image &image, const std::byte *base,
                         std::ptrdiff_t position) noexcept {
    std::byte *const target = thread_pointer() + position;
    std::memcpy(target, base + image.address, image.file_size);
    std::memset(target + image.file_size, 0, image.memory_size - image.file_size);
}

void return_room() noexcept {
    const std::span<std::byte> own = room();
    const std::size_t begin = page_ceiling(reinterpret_cast<std::uintptr_t>(own.data()));
    const std::size_t end = page_floor(reinterpret_cast<std::uintptr_t>(own.data() + own.size()));
    if (begin < end) {
        madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED); // refused for locked pages only
    }
}

// A library asks the loader for the address of (module, offset): the module is the host's executable, so the
// offset is that in the block.
void bind_thread_local(relocation kind, std::byte *word, std::int64_t position, bool lone_module) noexcept {
    const auto in_block = static_cast<std::uint64_t>(position - block_position);
    const auto store = [](std::byte *where, std::uint64_t value) {
        std::memcpy(where, &value, sizeof value);
    };
    std::byte *const second = word + sizeof(std::uint64_t);
    switch (kind) {
    case relocation::thread_local_module:
        store(word, own_module());
        if (lone_module) {
            std::uint64_t place = 0;
            std::memcpy(&place, second, sizeof place);
            store(second, place + in_block);
        }
        break;
    case relocation::thread_local_offset:
        store(word, in_block);
        break;
    case relocation::thread_local_position:
        store(word, static_cast<std::uint64_t>(position));
        break;
    case relocation::thread_local_descriptor:
        store(word, reinterpret_cast<std::uint64_t>(&lisle_return_position));
        store(second, static_cast<std::uint64_t>(position));
        break;
    default:
        break;
    }
}

} // namespace lisle::host::architecture
