// SPDX-License-Identifier: Apache-2.0
// Memory for the program, aligned so that copies of it run at full speed.
#include "api/memory.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "communicator/info.hpp"
#include "communicator/memory_alignment.hpp"
#include "fabric/local/shared_heap.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/engine.hpp"

namespace lisle::api {

namespace {

constexpr std::size_t page = 4096;
// Shorter messages than this go as packets anyway.
constexpr std::size_t least_open = 2 * page;

/// In memory that the other processes of the job reach by address. Null: there is none, or no room in it.
void *allocate_open(std::size_t bytes) {
    const rank &self = this_rank();
    fabric::shared_memory *const node = self.engine().routes().to(self.number()).node;
    shared_heap *const open = node != nullptr ? node->heap() : nullptr;
    return open != nullptr && value_of(setting::shared_heap) != 0 ? open->allocate(bytes) : nullptr;
}

} // namespace

void alloc_mem(MPI_Aint size, info *info, void *baseptr) {
    const auto bytes = static_cast<std::size_t>(size);
    const std::size_t aligned = memory_alignment(info);
    void *memory = bytes >= least_open ? allocate_open(bytes) : nullptr;
    if (memory == nullptr && posix_memalign(&memory, aligned, std::max<std::size_t>(bytes, 1)) != 0) {
        fail(MPI_ERR_NO_MEM, "there is no room for ", size, " bytes");
    }
    *static_cast<void **>(baseptr) = memory;
}

void free_mem(void *base) {
    if (!shared_heap::release(base)) {
        std::free(base);
    }
}

} // namespace lisle::api
