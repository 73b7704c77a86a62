// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a communicator lie on a mesh.
#pragma once

#include "world/group.hpp"

namespace lisle::tile {

struct mesh_place {
    int column = 0, row = 0;
};

/// The places of a job's ranks on their mesh. They never change, and no two ranks have the same. Thread-safe.
class mesh_places {
  public:
    /// @param rank number in the job
    [[nodiscard]] virtual mesh_place place_of(int rank) const noexcept = 0;

  protected:
    ~mesh_places() = default;
};

/// The places of the members of a group. Refers to the group and to the mesh.
class mesh_view {
  public:
    mesh_view(const mesh_places &mesh, const group &members) noexcept : mesh_{&mesh}, members_{&members} {}
    [[nodiscard]] int size() const noexcept { return members_->size(); }
    /// @param rank in the group
    [[nodiscard]] mesh_place place_of(int rank) const noexcept {
        return mesh_->place_of(members_->member(rank));
    }

  private:
    const mesh_places *mesh_;
    const group *members_;
};

} // namespace lisle::tile
