// SPDX-License-Identifier: Apache-2.0
#include "rma/state/attached_memory.hpp"

#include <iterator>
#include <vector>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::rma {

void attached_memory::add(const void *base, std::size_t bytes) {
    if (bytes == 0) {
        return;
    }
    const auto address = reinterpret_cast<std::uint64_t>(base);
    const std::scoped_lock guard{mutex_};
    const auto after = regions_.lower_bound(address);
    const bool into_next = after != regions_.end() && after->first - address < bytes;
    const bool from_former =
        after != regions_.begin() && address - std::prev(after)->first < std::prev(after)->second;
    if (into_next || from_former) {
        fail(MPI_ERR_RMA_ATTACH, "the ", bytes, " bytes at ", base,
             " overlap with memory that is attached: call MPI_Win_detach first");
    }
    regions_.emplace(address, bytes);
    publish_locked();
}

void attached_memory::remove(const void *base) {
    const std::scoped_lock guard{mutex_};
    if (regions_.erase(reinterpret_cast<std::uint64_t>(base)) == 0) {
        fail(MPI_ERR_RMA_ATTACH, "no memory that begins at ", base, " is attached");
    }
    publish_locked();
}

void attached_memory::publish_locked() const {
    if (table_ == nullptr) {
        return;
    }
    std::vector<attached_table::region> regions;
    regions.reserve(regions_.size());
    for (const auto &[address, bytes] : regions_) {
        regions.push_back({address, bytes});
    }
    table_->write(regions);
}

bool attached_memory::holds(std::uint64_t address, std::size_t bytes) const {
    const std::scoped_lock guard{mutex_};
    // One access may span memory that was attached in several parts.
    while (bytes != 0) {
        auto found = regions_.upper_bound(address);
        if (found == regions_.begin()) {
            return false;
        }
        --found;
        const std::uint64_t offset = address - found->first;
        if (offset >= found->second) {
            return false;
        }
        const std::size_t here = found->second - static_cast<std::size_t>(offset);
        if (bytes <= here) {
            return true;
        }
        address += here;
        bytes -= here;
    }
    return true;
}

} // namespace lisle::rma
