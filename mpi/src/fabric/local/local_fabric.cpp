// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/local_fabric.hpp"

#include <numeric>
#include <sched.h>

namespace lisle::fabric::local {

namespace {

std::size_t bytes_of(std::span<const iovec> pieces) noexcept {
    return std::accumulate(pieces.begin(), pieces.end(), std::size_t{0},
                           [](std::size_t sum, const iovec &piece) { return sum + piece.iov_len; });
}

} // namespace

local_fabric::local_fabric(node_segment &segment, const bootstrap &start, read_thresholds reads)
    : local_fabric{
          segment, start, reads, 0,
          std::make_shared<shared_heap>(segment, start.places().process_index_on_node(start.self().index))} {}

local_fabric::local_fabric(node_segment &segment, const bootstrap &start, read_thresholds reads, int track,
                           std::shared_ptr<shared_heap> heap)
    : segment_{segment}, start_{start}, places_{start.places()},
      node_{places_.node_of_process(start.self().index)}, track_{track}, first_rank_{places_.first_rank(
                                                                             start.self().index)},
      writers_(static_cast<std::size_t>(segment.ranks())),
      shared_{segment.shared_area(), shared_area_layout::for_job_of(segment.ranks())}, heap_{std::move(heap)},
      cross_memory_{reads.any()} {
    const auto layout = mailbox_layout::for_job_of(segment.ranks(), track);
    limits_ = {.largest_payload = mailbox_sender::largest_payload(layout),
               .least_read = reads.least,
               .surely_read = reads.surely};
    if (track == 0 && expect_remote_barriers()) {
        segment.expecting_barriers().fetch_add(1, std::memory_order_relaxed);
    }
    const int process = start.self().index;
    const lease_terms terms{lease_terms::of_process(places_.process_index_on_node(process)),
                            &segment.expecting_barriers(), segment.processes()};
    senders_.reserve(static_cast<std::size_t>(segment.ranks()));
    for (int rank = 0; rank < segment.ranks(); ++rank) {
        senders_.emplace_back(segment.mailbox(rank, track), layout, segment.bell(rank), terms);
    }
    for (int rank = first_rank_; rank < first_rank_ + places_.rank_count(process); ++rank) {
        receivers_.emplace_back(segment.mailbox(places_.index_on_node(rank), track), layout);
    }
    if (reads.any() && segment.processes() > 1) {
        open_own_memory();
    }
}

std::unique_ptr<fabric> local_fabric::on_track(int track) const {
    if (track >= tracks_of_job(segment_.ranks())) {
        return nullptr;
    }
    const read_thresholds reads{limits_.least_read, limits_.surely_read};
    return std::unique_ptr<fabric>{new local_fabric{segment_, start_, reads, track, heap_}};
}

claim_result local_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                     packet_slot &slot) noexcept {
    return senders_[index_of(dest)].try_claim(signed_by(self), payload_bytes, solicited, slot);
}

void local_fabric::publish(int dest, packet_slot &slot) noexcept {
    senders_[index_of(dest)].publish(slot);
}

int local_fabric::poll(int self, sink &into, int most) {
    return receivers_[static_cast<std::size_t>(self - first_rank_)].poll(into, most);
}

bool local_fabric::arm(int self) noexcept {
    // What is stored in blocks is of no track: the first one's endpoint watches for all.
    return (track_ != 0 || shared_.watch(places_.index_on_node(self))) &&
           receivers_[static_cast<std::size_t>(self - first_rank_)].arm();
}

void local_fabric::set_congested(int self, bool congested) noexcept {
    receivers_[static_cast<std::size_t>(self - first_rank_)].set_congested(congested);
}

bool local_fabric::memory_open(int peer) noexcept {
    if (const auto known = shared_.memory_open({})) {
        return *known;
    }
    if (limits_.least_read == SIZE_MAX) {
        return *shared_.memory_open(false);
    }
    // The peer may not have come so far yet. It will, or the caller's work with it never ends anyway.
    int pid = 0;
    while ((pid = start_.pid_of(places_.process_of(peer))) == 0) {
        sched_yield();
    }
    return *shared_.memory_open(peer_memory_open(pid));
}

bool local_fabric::read(int peer, std::uint64_t remote_address, std::span<const iovec> to) noexcept {
    if (const std::byte *from = reach(peer, remote_address, bytes_of(to)); from != nullptr) {
        for (const iovec &piece : to) {
            copy_bytes(piece.iov_base, from, piece.iov_len);
            from += piece.iov_len;
        }
        return true;
    }
    return copy_directly(read_peer_memory, peer, remote_address, to);
}

bool local_fabric::write(int peer, std::uint64_t remote_address, std::span<const iovec> from) noexcept {
    if (std::byte *to = reach(peer, remote_address, bytes_of(from)); to != nullptr) {
        for (const iovec &piece : from) {
            copy_bytes(to, piece.iov_base, piece.iov_len);
            to += piece.iov_len;
        }
        return true;
    }
    return copy_directly(write_peer_memory, peer, remote_address, from);
}

bool local_fabric::copy_directly(decltype(read_peer_memory) &copy, int peer, std::uint64_t remote_address,
                                 std::span<const iovec> pieces) noexcept {
    if (!cross_memory_.load(std::memory_order_relaxed)) {
        return false;
    }
    if (copy(start_.pid_of(places_.process_of(peer)), remote_address, pieces)) {
        return true;
    }
    cross_memory_.store(false, std::memory_order_relaxed);
    return false;
}

} // namespace lisle::fabric::local
