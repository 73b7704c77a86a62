// SPDX-License-Identifier: Apache-2.0
// The fabric of shared memory: a mailbox for each rank (mailbox.hpp), for ranks of a job's node as for those
// of other jobs on the same machine. What differs between the two lies in the domain: where the memory comes
// from, how sleepers are woken, and who tells of processes that have ended.
#pragma once

#include <memory>
#include <vector>

#include "base/lazy_array.hpp"
#include "fabric/fabric.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/local/memory_domain.hpp"
#include "fabric/local/payload_writer.hpp"
#include "fabric/mailbox_access.hpp"

namespace lisle::fabric::local {

class local_fabric final : public fabric, public mailbox_access {
  public:
    /// @param track whose mailboxes it uses
    explicit local_fabric(std::unique_ptr<memory_domain> domain, int track = 0);
    [[nodiscard]] std::unique_ptr<fabric> on_track(int track) const override;

    [[nodiscard]] const char *name() const noexcept override { return domain_->name(); }
    [[nodiscard]] bool reaches(int peer) const noexcept override {
        return peer >= 0 && peer < places_.ranks() && domain_->reaches(places_.process_of(peer));
    }
    [[nodiscard]] route_limits limits(int) const noexcept override { return limits_; }
    [[nodiscard]] remote_memory *memory(int) noexcept override {
        return limits_.least_read != SIZE_MAX ? &domain_->peers() : nullptr;
    }
    [[nodiscard]] shared_memory *node(int) noexcept override { return domain_->node(); }
    [[nodiscard]] bool same_address_space(int peer) const noexcept override {
        return places_.process_of(peer) == domain_->process();
    }
    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    [[nodiscard]] int reaches_up_to(int first, int end) const noexcept override;
    [[nodiscard]] bool is_of_one_node() const noexcept override { return true; }
    void fill(int dest, packet_slot &slot, const void *from, std::size_t bytes) noexcept override {
        end_of(dest).writer.write(slot.payload, static_cast<const std::byte *>(from), bytes);
    }
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    [[nodiscard]] waking wakes(int self) const noexcept override { return domain_->wakes(own_index(self)); }
    [[nodiscard]] bool arm(int self) noexcept override;
    void set_congested(int self, bool congested) noexcept override;
    void leave(int) noexcept override { domain_->leave(); }
    [[nodiscard]] mailbox_access *mailboxes() noexcept override { return this; }
    [[nodiscard]] mailbox_sender *mailbox_to(int dest) noexcept override { return &end_of(dest).sender; }
    [[nodiscard]] mailbox_receiver *mailbox_of(int self) noexcept override {
        return &receivers_[own_index(self)];
    }

  private:
    /// What this process sends to a peer with.
    struct peer_end {
        mailbox_sender sender;
        payload_writer writer{};
    };
    [[nodiscard]] peer_end &end_of(int dest) noexcept {
        const std::size_t index = index_of(dest);
        return ends_.get(index, [this, index] { return peer_end{sender_to(index)}; });
    }
    [[nodiscard]] mailbox_sender sender_to(std::size_t index) const noexcept;
    /// The index of a rank in the segment.
    [[nodiscard]] std::size_t index_of(int rank) const noexcept {
        return static_cast<std::size_t>(places_.index_on_node(rank));
    }
    [[nodiscard]] std::size_t own_index(int self) const noexcept {
        return static_cast<std::size_t>(self - first_rank_);
    }

    const std::unique_ptr<memory_domain> domain_;
    const locality &places_;
    int first_rank_;
    int track_;
    route_limits limits_;
    lazy_array<peer_end> ends_;
    std::vector<mailbox_receiver> receivers_;
};

} // namespace lisle::fabric::local
