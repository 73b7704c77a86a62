// SPDX-License-Identifier: Apache-2.0
// The fabric of one node: threads and processes that share the node's segment. See mailbox.hpp for how
// packets travel and peer_memory.hpp for direct reads between processes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/local/node_segment.hpp"
#include "fabric/local/payload_writer.hpp"
#include "fabric/local/peer_memory.hpp"
#include "fabric/local/read_thresholds.hpp"
#include "fabric/local/shared_area.hpp"
#include "fabric/local/shared_heap.hpp"
#include "fabric/mailbox_access.hpp"
#include "fabric/remote_memory.hpp"
#include "fabric/shared_memory.hpp"
#include "world/bootstrap.hpp"

namespace lisle::fabric::local {

class local_fabric final : public fabric, public mailbox_access, public remote_memory, public shared_memory {
  public:
    /// @param segment of the caller's node, outlives the fabric @param start of the calling process, outlives
    /// it, too
    /// @param reads which messages are read from a peer's memory
    local_fabric(node_segment &segment, const bootstrap &start, read_thresholds reads);
    [[nodiscard]] std::unique_ptr<fabric> on_track(int track) const override;

    [[nodiscard]] const char *name() const noexcept override { return "local"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override {
        return peer >= 0 && peer < places_.ranks() && places_.node_of(peer) == node_;
    }
    [[nodiscard]] route_limits limits(int) const noexcept override { return limits_; }
    [[nodiscard]] remote_memory *memory(int) noexcept override {
        return limits_.least_read != SIZE_MAX ? this : nullptr;
    }
    [[nodiscard]] shared_memory *node(int) noexcept override { return this; }
    [[nodiscard]] bool same_address_space(int peer) const noexcept override {
        return places_.process_of(peer) == start_.self().index;
    }
    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void fill(int dest, packet_slot &slot, const void *from, std::size_t bytes) noexcept override {
        writers_[index_of(dest)].write(slot.payload, static_cast<const std::byte *>(from), bytes);
    }
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    [[nodiscard]] bool arm(int self) noexcept override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] mailbox_access *mailboxes() noexcept override { return this; }
    [[nodiscard]] mailbox_sender *mailbox_to(int dest) noexcept override { return &senders_[index_of(dest)]; }
    [[nodiscard]] mailbox_receiver *mailbox_of(int self) noexcept override {
        return &receivers_[static_cast<std::size_t>(self - first_rank_)];
    }

    // remote_memory: any memory will do, without a key; copies end at once
    [[nodiscard]] std::optional<memory_key> expose(const void *, std::size_t) noexcept override { return 0; }
    void withdraw(memory_key) noexcept override {}
    [[nodiscard]] copy_start start_read(int, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &) noexcept override {
        return read(from.peer, from.address, to) ? copy_start::done : copy_start::refused;
    }
    [[nodiscard]] copy_start start_write(int, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &) noexcept override {
        return write(to.peer, to.address, from) ? copy_start::done : copy_start::refused;
    }

    // shared_memory
    [[nodiscard]] std::byte *block(std::uint64_t key, std::size_t bytes) noexcept override {
        return shared_.block(key, bytes);
    }
    void leave_block(std::uint64_t key, int sharers) noexcept override { shared_.leave(key, sharers); }
    void nudge(int rank) noexcept override {
        const int index = places_.index_on_node(rank);
        if (shared_.watched(index)) [[unlikely]] {
            shared_.nudge(index, segment_.bell(index));
        }
    }
    [[nodiscard]] bool anyone_watches() noexcept override { return shared_.anyone_watches(); }
    [[nodiscard]] bool read(int peer, std::uint64_t address, std::span<const iovec> to) noexcept override;
    [[nodiscard]] bool write(int peer, std::uint64_t address, std::span<const iovec> from) noexcept override;
    [[nodiscard]] bool memory_open(int peer) noexcept override;
    [[nodiscard]] cooperative_copy *cooperative_copy_of(int owner) noexcept override {
        return cross_memory_.load(std::memory_order_relaxed)
                   ? &shared_.copy_of(places_.index_on_node(owner), track_)
                   : nullptr;
    }
    [[nodiscard]] shared_heap *heap() noexcept override { return heap_.get(); }
    [[nodiscard]] std::byte *reach(int peer, std::uint64_t address, std::size_t bytes) noexcept override {
        return heap_->find(process_on_node(peer), address, bytes);
    }

  private:
    /// @param track whose mailboxes it uses @param heap shared by the fabrics of all tracks
    local_fabric(node_segment &segment, const bootstrap &start, read_thresholds reads, int track,
                 std::shared_ptr<shared_heap> heap);
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
    route_limits limits_;
    std::vector<mailbox_sender> senders_;
    std::vector<payload_writer> writers_;
    std::vector<mailbox_receiver> receivers_;
    shared_area shared_;
    std::shared_ptr<shared_heap> heap_;
    // Only ever goes from true to false, by whichever thread first meets a refusal; relaxed, since
    // acting on a stale value costs one more refused call.
    std::atomic<bool> cross_memory_;
};

} // namespace lisle::fabric::local
