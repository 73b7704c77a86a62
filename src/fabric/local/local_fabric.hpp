// SPDX-License-Identifier: Apache-2.0
// The fabric of one node: threads and processes that share the node's segment. See mailbox.hpp for how
// packets travel and peer_memory.hpp for direct reads between processes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/local/peer_memory.hpp"
#include "fabric/local/shared_area.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/local/payload_writer.hpp"
#include "fabric/local/node_segment.hpp"
#include "fabric/local/shared_heap.hpp"
#include "world/bootstrap.hpp"

namespace lisle::fabric::local {

class local_fabric final : public fabric {
  public:
    /// @param segment of the caller's node, outlives the fabric @param start of the calling process, outlives it, too
    /// @param least_read smallest message to be read from a peer's memory; nothing: none is
    /// @param surely_read smallest one that is never better sent as a stream
    local_fabric(node_segment &segment, const bootstrap &start, std::optional<std::size_t> least_read,
                 std::size_t surely_read = 0);
    [[nodiscard]] std::unique_ptr<fabric> on_track(int track) const override;

    [[nodiscard]] const char *name() const noexcept override { return "local"; }
    [[nodiscard]] const fabric_limits &limits() const noexcept override { return limits_; }
    [[nodiscard]] bool reaches(int dest) const noexcept override {
        return dest >= 0 && dest < places_.ranks() && places_.node_of(dest) == node_;
    }
    [[nodiscard]] claim_result try_claim(int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void fill(int dest, packet_slot &slot, const void *from, std::size_t bytes) noexcept override {
        writers_[index_of(dest)].write(slot.payload, static_cast<const std::byte *>(from),
                                                       bytes);
    }
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    [[nodiscard]] bool arm(int self) noexcept override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] mailbox_sender *mailbox_to(int dest) noexcept override {
        return &senders_[index_of(dest)];
    }
    [[nodiscard]] mailbox_receiver *mailbox_of(int self) noexcept override {
        return &receivers_[static_cast<std::size_t>(self - first_rank_)];
    }
    [[nodiscard]] bool read(int peer, std::uint64_t remote_address,
                            std::span<const iovec> to) noexcept override;
    [[nodiscard]] bool write(int peer, std::uint64_t remote_address,
                             std::span<const iovec> from) noexcept override;
    [[nodiscard]] shared_heap *open() noexcept override { return open_.get(); }
    [[nodiscard]] std::byte *reach(int peer, std::uint64_t address, std::size_t bytes) noexcept override {
        return open_->find(process_on_node(peer), address, bytes);
    }
    [[nodiscard]] cooperative_copy *cooperative_copy_of(int owner) noexcept override {
        return cross_memory_.load(std::memory_order_relaxed) ? &shared_.copy_of(places_.index_on_node(owner), track_) : nullptr;
    }
    [[nodiscard]] std::byte *block(std::uint64_t key, std::size_t bytes) noexcept override {
        return shared_.block(key, bytes);
    }
    void leave_block(std::uint64_t key, int sharers) noexcept override { shared_.leave(key, sharers); }
    void nudge(int dest) noexcept override {
        const int index = places_.index_on_node(dest);
        if (shared_.watched(index)) [[unlikely]] {
            shared_.nudge(index, segment_.bell(index));
        }
    }
    [[nodiscard]] bool anyone_watches() noexcept override { return shared_.anyone_watches(); }
    [[nodiscard]] bool memory_open(int peer) noexcept override;

  private:
    /// @param track whose mailboxes it uses @param open shared by the fabrics of all tracks
    local_fabric(node_segment &segment, const bootstrap &start, std::optional<std::size_t> least_read,
                 std::size_t surely_read, int track, std::shared_ptr<shared_heap> open);
    /// @param copy read_peer_memory or write_peer_memory
    [[nodiscard]] bool copy_directly(decltype(read_peer_memory) &copy, int peer, std::uint64_t remote_address,
                                     std::span<const iovec> pieces) noexcept;

    /// The index of a rank among those of the node, by which everything here is kept.
    [[nodiscard]] std::size_t index_of(int rank) const noexcept {
        return static_cast<std::size_t>(places_.index_on_node(rank));
    }
    [[nodiscard]] int process_on_node(int rank) const noexcept {
        return places_.process_index_on_node(places_.process_of(rank));
    }

    node_segment &segment_;
    const bootstrap &start_;
    const locality &places_;
    int node_;
    int track_;
    int first_rank_;
    fabric_limits limits_;
    std::vector<mailbox_sender> senders_;
    std::vector<payload_writer> writers_;
    std::vector<mailbox_receiver> receivers_;
    shared_area shared_;
    std::shared_ptr<shared_heap> open_;
    // Only ever goes from true to false, by whichever thread first meets a refusal; relaxed, since
    // acting on a stale value costs one more refused call.
    std::atomic<bool> cross_memory_;
};

} // namespace lisle::fabric::local
