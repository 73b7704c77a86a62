// SPDX-License-Identifier: Apache-2.0
#include "rma/state/window_members.hpp"

#include <utility>

namespace lisle::rma {

window_members::window_members(communicator_ref comm, const member_table &table, bool dynamic)
    : comm_{std::move(comm)}, rank_{comm_->rank()}, size_{comm_->size()}, dynamic_{dynamic}, table_{table},
      distances_{unknown_distances(table.processes)}, entry_{*this, home(), comm_->context()} {}

std::unique_ptr<std::atomic<std::intptr_t>[]> window_members::unknown_distances(int processes) {
    const auto count = static_cast<std::size_t>(processes);
    auto made = std::make_unique<std::atomic<std::intptr_t>[]>(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i].store(unknown, std::memory_order_relaxed);
    }
    return made;
}

std::byte *window_members::reach_further(const member_facts &of, std::uint64_t address,
                                         std::size_t bytes) const noexcept {
    if (of.process < 0 || (!of.open && !dynamic_)) {
        return nullptr;
    }
    auto &distance = distances_[static_cast<std::size_t>(of.process)];
    const std::intptr_t known = distance.load(std::memory_order_acquire);
    if (known != unknown && !dynamic_) [[likely]] {
        return reinterpret_cast<std::byte *>(static_cast<std::intptr_t>(address) + known);
    }
    std::byte *const found = table_.medium->reach(of.holder, address, bytes);
    if (found != nullptr) {
        distance.store(reinterpret_cast<std::intptr_t>(found) - static_cast<std::intptr_t>(address),
                       std::memory_order_release);
    }
    return found;
}

} // namespace lisle::rma
