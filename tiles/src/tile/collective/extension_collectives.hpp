// SPDX-License-Identifier: Apache-2.0
// Collectives of an extension (tile/network/extension.hpp), as the library calls them. What the extension
// does not have, the collectives in stages do, if the members can meet so.
#pragma once

#include <memory>
#include <vector>

#include "collective/algorithms/fabric_collectives.hpp"
#include "tile/extension/rank_collectives.hpp"

namespace lisle::tile {

class extension_collectives final : public collective::member_collectives {
  public:
    using steps = collective::message_steps;

    /// @param own outlives this @param places by rank of the members @param staged null: they cannot meet in
    /// stages
    extension_collectives(const rank_collectives &own, std::vector<placed_ranks::place> places, int rank,
                          std::unique_ptr<collective::member_collectives> staged)
        : own_{own}, places_{std::move(places)}, rank_{rank}, staged_{std::move(staged)} {}

    [[nodiscard]] bool in_pairs() const noexcept override {
        return staged_ != nullptr && staged_->in_pairs();
    }
    [[nodiscard]] bool has(collective_operation what) const noexcept override;
    void bcast(const steps &plan, const collective::team &team, const typed_buffer &buffer,
               int root) const override;
    void reduce(const steps &plan, const collective::team &team, const op &operation,
                const typed_buffer &send, const typed_buffer &receive, int root) const override;
    void allreduce(const steps &plan, const collective::team &team, const op &operation,
                   const typed_buffer &send, const typed_buffer &receive) const override;
    void reduce_scatter(const steps &plan, const collective::team &team, const op &operation,
                        const typed_buffer &send, const typed_buffer &receive,
                        std::span<const MPI_Count> counts) const override;
    void allgather(const steps &plan, const collective::team &team, const typed_buffer &own,
                   const collective::block_view &blocks) const override;

  private:
    [[nodiscard]] placed_ranks placed() const noexcept { return {rank_, places_}; }

    const rank_collectives &own_;
    std::vector<placed_ranks::place> places_;
    int rank_;
    std::unique_ptr<collective::member_collectives> staged_;
};

} // namespace lisle::tile
