// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/local_fabric.hpp"

#include <algorithm>
#include <utility>

namespace lisle::fabric::local {

local_fabric::local_fabric(std::unique_ptr<memory_domain> domain, int track)
    : domain_{std::move(domain)}, places_{domain_->places()},
      first_rank_{places_.first_rank(domain_->process())}, track_{track}, ends_{static_cast<std::size_t>(
                                                                              domain_->segment().ranks())} {
    const node_segment &segment = domain_->segment();
    const auto layout = mailbox_layout::for_job_of(segment.ranks(), track);
    const read_thresholds reads = domain_->reads();
    limits_ = {.largest_payload = mailbox_sender::largest_payload(layout),
               .least_read = reads.least,
               .surely_read = reads.surely};
    ends_.grow(static_cast<std::size_t>(segment.ranks()));
    for (int rank = 0; rank < places_.rank_count(domain_->process()); ++rank) {
        receivers_.emplace_back(segment.mailbox(places_.index_on_node(first_rank_ + rank), track), layout);
    }
}

mailbox_sender local_fabric::sender_to(std::size_t index) const noexcept {
    const node_segment &segment = domain_->segment();
    const auto rank = static_cast<int>(index);
    return {segment.mailbox(rank, track_), mailbox_layout::for_job_of(segment.ranks(), track_),
            domain_->bell_of(rank), domain_->terms()};
}

int local_fabric::reaches_up_to(int first, int end) const noexcept {
    return domain_->reaches_all() ? std::min(end, places_.ranks()) : fabric::reaches_up_to(first, end);
}

std::unique_ptr<fabric> local_fabric::on_track(int track) const {
    auto other = domain_->on_track(track);
    return other != nullptr ? std::make_unique<local_fabric>(std::move(other), track) : nullptr;
}

claim_result local_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                     packet_slot &slot) noexcept {
    return end_of(dest).sender.try_claim(signed_by(self), payload_bytes, solicited, slot);
}

void local_fabric::publish(int dest, packet_slot &slot) noexcept {
    end_of(dest).sender.publish(slot);
}

int local_fabric::poll(int self, sink &into, int most) {
    const std::size_t own = own_index(self);
    const std::size_t ends = domain_->ends(own);
    const int news = receivers_[own].poll(into, most);
    return news == most ? news : news + domain_->tell_ends(own, ends, into);
}

bool local_fabric::arm(int self) noexcept {
    return domain_->arm(own_index(self)) && receivers_[own_index(self)].arm();
}

void local_fabric::set_congested(int self, bool congested) noexcept {
    receivers_[own_index(self)].set_congested(congested);
}

} // namespace lisle::fabric::local
