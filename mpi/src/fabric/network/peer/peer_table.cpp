// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/peer/peer_table.hpp"

#include <utility>

namespace lisle::fabric::network {

peer_table::peer_table(const job_view &job, address_lookup where, rail_set &rails, send_buffers &buffers,
                       inboxes &boxes)
    : job_{job}, where_{std::move(where)}, rails_{rails}, buffers_{buffers}, boxes_{boxes},
      all_(static_cast<std::size_t>(job.processes)), reach_{std::make_unique<std::atomic<reach>[]>(
                                                         all_.size())} {}

void peer_table::connect(int process, std::span<const std::byte> address) {
    peer_process &to = (*this)[process];
    if (to.is_joined() || to.failed || address.empty()) {
        return;
    }
    const tcp::way by = job_.way_to ? job_.way_to(process) : tcp::way{};
    std::vector<peer_number> at = rails_.join(process, address, by, job_.silence);
    if (at.empty()) {
        fail(process);
        return;
    }
    to.join(std::move(at), rails_.traits_of_first().delivers_in_order);
    to.hears_of_end_in_frames = by.is == tcp::way::kind::calling;
    reach_[static_cast<std::size_t>(process)].store(reach::connected, std::memory_order_relaxed);
}

void peer_table::fail(int process) {
    peer_process &lost = (*this)[process];
    if (std::exchange(lost.failed, true)) {
        return;
    }
    reach_[static_cast<std::size_t>(process)].store(reach::failed, std::memory_order_relaxed);
    lost.forget_frames(buffers_);
    while (const auto early = lost.arriving.take_any()) {
        rails_.receive_again(*early->in); // what was to come before it never will
    }
    if (!lost.left) {
        boxes_.add_failed(process);
    }
    boxes_.wake_all();
}

} // namespace lisle::fabric::network
