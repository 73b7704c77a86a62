// SPDX-License-Identifier: Apache-2.0
// Which of libfabric's providers, on which network interface, carries a job's packets.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/ofi/libfabric.hpp"

namespace lisle::fabric::ofi {

struct release_info {
    void operator()(fi_info *info) const noexcept { libfabric::instance().freeinfo(info); }
};
/// One provider on one interface, alone (not a list).
using provider = std::unique_ptr<fi_info, release_info>;

/// What the user asks for. Empty: the best.
struct provider_request {
    std::string names; ///< providers, separated by commas, the preferred one first: "verbs;ofi_rxm,tcp"
    std::string
        interface; ///< network interface, or the network's address, or several: "eth1", "10.0.2.0/24,eth0"
};

/// The provider that a job uses, and after it those on the further interfaces that the user names (further
/// rails). Throws mpi_error (MPI_ERR_OTHER) with what there is if nothing suits, or not on each interface.
[[nodiscard]] std::vector<provider> choose_providers(const provider_request &wanted);

/// How much a provider is preferred where the user has not said: the smaller, the more. Hardware comes first,
/// then TCP without a layer above it, then what emulates.
[[nodiscard]] int rank_of_provider(std::string_view name) noexcept;

} // namespace lisle::fabric::ofi
