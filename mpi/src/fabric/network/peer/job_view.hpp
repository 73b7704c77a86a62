// SPDX-License-Identifier: Apache-2.0
// What the network fabric has to know of the job.
#pragma once

#include <chrono>
#include <functional>

#include "execution/traffic_count.hpp"
#include "fabric/network/peer/frame.hpp"
#include "tcp/paths.hpp"

namespace lisle::fabric::network {

struct job_view {
    int ranks;      ///< of the job
    int processes;  ///< of the job
    int first_rank; ///< of this process
    int rank_count; ///< of this process
    std::function<int(int rank)> process_of;
    std::function<int(int process)> first_rank_of;
    std::function<bool(int rank)> elsewhere; ///< true: no faster fabric reaches this rank
    job_secret secret;
    std::chrono::seconds silence{10}; ///< how long a machine may be silent before its ranks count as failed
    /// How long the first packet to a process may keep its sender: two that are in calls have connected by
    /// then.
    std::chrono::milliseconds connecting{5};
    std::function<tcp::way(int process)> way_to = {}; ///< how a process is connected to; none: by any way
    traffic_count *traffic = nullptr; ///< where packets and copies are counted; outlives the fabric
    frame_mark mark = mark_of(secret);
};

} // namespace lisle::fabric::network
