// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks on a mesh, in the stages of mesh_stages.hpp. Long vectors are cut to pieces in the
// first stages, between near ranks, and put together again in the same ones; the stages between, with the
// long ways, move one piece. Results do not depend on anything but the places of the ranks and the sizes. [M.
// Barnett et al.: Global combine algorithms for 2-D meshes with wormhole routing, 1995]
#pragma once

#include <utility>

#include "collective/algorithms/fabric_collectives.hpp"
#include "tile/collective/mesh_stages.hpp"

namespace lisle::tile {

class staged_collectives final : public collective::member_collectives {
  public:
    using steps = collective::message_steps;

    /// @pre the members can meet in stages
    explicit staged_collectives(mesh_stages stages) : stages_{std::move(stages)} {}

    [[nodiscard]] bool in_pairs() const noexcept override { return stages_.in_pairs(); }
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
    mesh_stages stages_;
};

} // namespace lisle::tile
