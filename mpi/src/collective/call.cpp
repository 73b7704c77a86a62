// SPDX-License-Identifier: Apache-2.0
#include "collective/call.hpp"

#include "protocol/engine.hpp"

namespace lisle::collective {

// Persistent operations live long and get the upper half for themselves.
int next_tag(communicator &comm, bool persistent) {
    constexpr std::uint32_t half = std::uint32_t{1} << 30;
    const auto number =
        communicator::count_one(persistent ? comm.persistent_collectives : comm.collectives) % half;
    return static_cast<int>(persistent ? half + number : number);
}

void refuse_revoked(const communicator &comm) {
    comm.collective.home->failures().refuse_revoked(comm.collective.context);
}

} // namespace lisle::collective
