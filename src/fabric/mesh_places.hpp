// SPDX-License-Identifier: Apache-2.0
// What a fabric knows of where its ranks lie, if they lie on a mesh: collectives choose partners by it.
#pragma once

namespace lisle::fabric {

struct mesh_place {
    int column = 0, row = 0;
};

/// The places of the ranks that one fabric reaches. They never change, and no two ranks have the same.
/// Thread-safe.
class mesh_places {
  public:
    /// @param rank number in the job, of a rank that the fabric reaches
    [[nodiscard]] virtual mesh_place place_of(int rank) const noexcept = 0;

  protected:
    ~mesh_places() = default;
};

} // namespace lisle::fabric
