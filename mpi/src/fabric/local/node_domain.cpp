// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/node_domain.hpp"

#include <sched.h>
#include <utility>

namespace lisle::fabric::local {

namespace {

int index_of(const bootstrap &start) noexcept {
    return start.places().process_index_on_node(start.self().index);
}

} // namespace

node_domain::node_domain(node_segment &segment, const bootstrap &start, read_thresholds reads)
    : node_domain{segment,
                  start,
                  reads,
                  0,
                  std::make_shared<shared_heap>(segment, index_of(start)),
                  std::make_shared<peer_blocks>(segment, index_of(start))} {
    if (expect_remote_barriers()) {
        segment.expecting_barriers().fetch_add(1, std::memory_order_relaxed);
    }
    if (reads.any() && segment.processes() > 1) {
        open_own_memory();
    }
}

node_domain::node_domain(node_segment &segment, const bootstrap &start, read_thresholds reads, int track,
                         std::shared_ptr<shared_heap> heap, std::shared_ptr<peer_blocks> blocks)
    : memory_domain{start.places(), start.self().index, reads, heap.get(), blocks.get()}, segment_{segment},
      start_{start}, track_{track}, first_index_{places().index_on_node(places().first_rank(process()))},
      shared_{segment.shared_area(), shared_area_layout::for_job_of(segment.ranks())}, heap_{std::move(heap)},
      blocks_{std::move(blocks)} {}

std::unique_ptr<memory_domain> node_domain::on_track(int track) const {
    return track < tracks_of_job(segment_.ranks()) ? std::unique_ptr<memory_domain>{new node_domain{
                                                         segment_, start_, reads_, track, heap_, blocks_}}
                                                   : nullptr;
}

lease_terms node_domain::terms() const noexcept {
    return {lease_terms::of_process(places().process_index_on_node(process())),
            &segment_.expecting_barriers(), segment_.processes()};
}

bool node_domain::memory_open(int peer) noexcept {
    if (const auto known = shared_.memory_open({})) {
        return *known;
    }
    if (!reads_.any()) {
        return *shared_.memory_open(false);
    }
    // The peer may not have come so far yet. It will, or the caller's work with it never ends anyway.
    int pid = 0;
    while ((pid = pid_of_rank(peer)) == 0) {
        sched_yield();
    }
    return *shared_.memory_open(peer_memory_open(pid));
}

} // namespace lisle::fabric::local
