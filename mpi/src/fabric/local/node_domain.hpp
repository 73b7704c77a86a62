// SPDX-License-Identifier: Apache-2.0
// The ranks of a job's node: their memory is the node's segment, where each sleeps at a doorbell, and they
// share more of it than mailboxes. The launcher tells of processes that have ended.
#pragma once

#include "fabric/local/memory_domain.hpp"
#include "fabric/local/shared_area.hpp"
#include "fabric/local/shared_heap.hpp"
#include "fabric/shared_memory.hpp"
#include "world/bootstrap.hpp"

namespace lisle::fabric::local {

class node_domain final : public memory_domain, public shared_memory {
  public:
    /// @param segment of the caller's node, outlives this @param start of the calling process, outlives it,
    /// too
    /// @param reads which messages are read from a peer's memory
    node_domain(node_segment &segment, const bootstrap &start, read_thresholds reads);
    [[nodiscard]] std::unique_ptr<memory_domain> on_track(int track) const override;

    [[nodiscard]] const char *name() const noexcept override { return "local"; }
    [[nodiscard]] bool reaches_all() const noexcept override { return places().nodes() == 1; }
    [[nodiscard]] bool reaches(int process) const noexcept override {
        return places().node_of_process(process) == places().node_of_process(this->process());
    }
    [[nodiscard]] const node_segment &segment() const noexcept override { return segment_; }
    [[nodiscard]] bell bell_of(int index) noexcept override { return segment_.bell(index); }
    [[nodiscard]] lease_terms terms() const noexcept override;
    [[nodiscard]] pid_t pid_of(int process) const noexcept override { return start_.pid_of(process); }
    [[nodiscard]] shared_memory *node() noexcept override { return this; }
    [[nodiscard]] bool arm(std::size_t own) noexcept override {
        // What is stored in blocks is of no track: the first one's endpoint watches for all.
        return track_ != 0 || shared_.watch(first_index_ + static_cast<int>(own));
    }

    // shared_memory
    [[nodiscard]] std::byte *block(std::uint64_t key, std::size_t bytes) noexcept override {
        return shared_.block(key, bytes);
    }
    void leave_block(std::uint64_t key, int sharers) noexcept override { shared_.leave(key, sharers); }
    void nudge(int rank) noexcept override {
        const int index = places().index_on_node(rank);
        if (shared_.watched(index)) [[unlikely]] {
            shared_.nudge(index, segment_.bell(index));
        }
    }
    [[nodiscard]] bool anyone_watches() noexcept override { return shared_.anyone_watches(); }
    [[nodiscard]] bool read(int peer, std::uint64_t address, std::span<const iovec> to) noexcept override {
        return peers().read(peer, address, to);
    }
    [[nodiscard]] bool write(int peer, std::uint64_t address, std::span<const iovec> from) noexcept override {
        return peers().write(peer, address, from);
    }
    [[nodiscard]] bool memory_open(int peer) noexcept override;
    [[nodiscard]] cooperative_copy *cooperative_copy_of(int owner) noexcept override {
        return peers().by_kernel() ? &shared_.copy_of(places().index_on_node(owner), track_) : nullptr;
    }
    [[nodiscard]] published_receives receives_of(int owner) noexcept override {
        return shared_.receives_of(places().index_on_node(owner), track_);
    }
    [[nodiscard]] shared_heap *heap() noexcept override { return heap_.get(); }
    [[nodiscard]] std::byte *reach(int peer, std::uint64_t address, std::size_t bytes) noexcept override {
        return peers().reach(peer, address, bytes);
    }
    [[nodiscard]] pinned_memory pin(int peer, std::uint64_t address, std::size_t bytes) noexcept override {
        return peers().pin(peer, address, bytes);
    }
    [[nodiscard]] bool holds(const void *data, std::size_t bytes) const noexcept override {
        return heap_->holds(data, bytes) || blocks_->holds(data, bytes);
    }

  private:
    /// @param heap and @param blocks shared by the domains of all tracks
    node_domain(node_segment &segment, const bootstrap &start, read_thresholds reads, int track,
                std::shared_ptr<shared_heap> heap, std::shared_ptr<peer_blocks> blocks);

    node_segment &segment_;
    const bootstrap &start_;
    int track_;
    int first_index_; ///< of the process's ranks in the segment
    shared_area shared_;
    std::shared_ptr<shared_heap> heap_;
    std::shared_ptr<peer_blocks> blocks_;
};

} // namespace lisle::fabric::local
