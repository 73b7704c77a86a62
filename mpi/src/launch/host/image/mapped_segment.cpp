// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/mapped_segment.hpp"

#include "launch/host/architecture/pages.hpp"
#include "launch/host/rank/refusal.hpp"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace lisle::host {

void map_segment(const module &owner, int file, const segment &which, std::byte *base) {
    const std::size_t first = page_floor(which.address);
    const std::size_t size = page_ceiling(which.address + which.file_size) - first;
    void *const where = base + first;
    if (mmap(where, size, which.protection, MAP_PRIVATE | MAP_FIXED, file,
             static_cast<off_t>(page_floor(which.offset))) != where) {
        throw refusal("mapping code of " + owner.file->path() + " failed: " + std::strerror(errno));
    }
}

} // namespace lisle::host
