// SPDX-License-Identifier: Apache-2.0
#include "collective/call.hpp"

#include "protocol/engine.hpp"

namespace lisle::collective {

// Persistent operations live long and get the upper half for themselves.
int tag_of_counted(const communicator &comm, bool persistent) noexcept {
    constexpr std::uint32_t half = std::uint32_t{1} << 30;
    const auto &counted = persistent ? comm.persistent_collectives : comm.collectives;
    const auto number = (counted.load(std::memory_order_relaxed) - 1) % half;
    return static_cast<int>(persistent ? half + number : number);
}

int next_tag(communicator &comm, bool persistent) {
    communicator::count_one(persistent ? comm.persistent_collectives : comm.collectives);
    return tag_of_counted(comm, persistent);
}

void refuse_revoked(const communicator &comm) {
    comm.collective.home->failures().refuse_revoked(comm.collective.context);
}

} // namespace lisle::collective
