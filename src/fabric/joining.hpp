// SPDX-License-Identifier: Apache-2.0
// How processes of several jobs come to reach each other. They agree on the list of them all, each opens an
// endpoint, all hear of all addresses, and then each can reach the ranks of the others. The library makes
// the fabric (library/joining.cpp), since it alone names fabrics; who meets whom, and how they tell each
// other, is the communicators' business (communicator/introduction.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.hpp"
#include "world/process_id.hpp"

namespace lisle::fabric {

/// One process of those that are introduced. Plain bytes, for other processes read it.
struct introduced_process {
    process_id id;
    std::int32_t node;       ///< in its job
    std::int32_t first_rank; ///< of its ranks, in its job
    std::int32_t rank_count;
};

/// What one of them knows.
struct introduction {
    std::uint64_t secret;                      ///< of this introduction
    std::vector<introduced_process> processes; ///< in the same order everywhere, each once
    int self;                                  ///< place of the calling process among them
    std::vector<bool> known; ///< by process: it and the calling one reach each other already
};

/// What one process does. Thread-safe: each of its ranks that takes part may call, for the first one counts.
class joining {
  public:
    virtual ~joining() = default;

    /// True if the process with this name is of the own job, or reached.
    [[nodiscard]] virtual bool knows(const introduced_process &process) = 0;
    /// Makes an endpoint for all ranks of the process, and tells its address; empty: it reaches all already.
    /// Throws mpi_error.
    [[nodiscard]] virtual endpoint_address open(const introduction &all) = 0;
    /// From now on the ranks of all these processes have numbers and routes.
    /// @param addresses by process, of those that have opened an endpoint
    virtual void reach(const introduction &all, std::vector<endpoint_address> addresses) = 0;
    /// The introduction has failed: drops what open() has made.
    virtual void give_up(const introduction &all) noexcept = 0;
};

} // namespace lisle::fabric
