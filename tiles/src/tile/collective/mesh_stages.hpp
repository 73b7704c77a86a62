// SPDX-License-Identifier: Apache-2.0
// How the members of a communicator that lie on a mesh meet: in stages, in each of which a member meets the
// few that differ from it in one digit of their place. Near ones meet in the first stages, so that data that
// are cut to pieces go far only when they are short. A row of four is two stages of two, one link
// and two links apart; a row of six is one of three and one of two. Where more meet in a stage, it comes
// earlier; otherwise rows and columns take turns. [M. Barnett et al.: Global combine algorithms for 2-D
// meshes with wormhole routing, 1995]
#pragma once

#include <vector>

#include "mpi.h"
#include "tile/collective/mesh_view.hpp"

namespace lisle::tile {

/// Some pieces of a vector, one after the other.
struct run_of_pieces {
    int first = 0, count = 0;
    /// One of `parts` equal parts. @pre they divide the count
    [[nodiscard]] run_of_pieces part(int which, int parts) const noexcept {
        return {first + which * (count / parts), count / parts};
    }
};

/// The stages from the calling rank's place; their digits are the same for all members.
class mesh_stages {
  public:
    /// Members of a row or column whose number has a larger prime factor than this do not meet in stages.
    static constexpr int most_in_stage = 7;

    /// @param own the calling rank
    mesh_stages(mesh_view members, int own);

    /// 0: the members cannot meet in stages.
    [[nodiscard]] int count() const noexcept { return static_cast<int>(stages_.size()); }
    /// The number of members that meet in a stage; each has a digit below it.
    [[nodiscard]] int members(int stage) const noexcept { return at(stage).members; }
    [[nodiscard]] int digit(int stage) const noexcept { return at(stage).own; }
    [[nodiscard]] int digit_of(int rank, int stage) const noexcept;
    /// The rank that has this digit in the stage, and the calling rank's digits in all others.
    [[nodiscard]] int peer(int stage, int digit) const noexcept {
        return at(stage).peers[static_cast<std::size_t>(digit)];
    }
    /// True if the rank has the calling rank's digits in all stages from this one on.
    [[nodiscard]] bool alike_from(int stage, int rank) const noexcept;

    /// True if pairs meet in all stages.
    [[nodiscard]] bool in_pairs() const noexcept;

    /// The number of stages that cut a vector: all, or as many as leave pieces worth a message each.
    [[nodiscard]] int cutting(MPI_Count bytes) const noexcept;
    /// The same for a reduction. If pairs meet in the last stage, they send as much when they exchange what
    /// they have as when they cut it and put it together again, and fewer messages.
    [[nodiscard]] int cutting_to_reduce(MPI_Count bytes) const noexcept;
    /// The number of pieces of a vector after the first stages, if each cuts it for its members.
    [[nodiscard]] int pieces(int stages) const noexcept;
    /// The piece of a rank after the first `stages` of the cutting stages.
    [[nodiscard]] run_of_pieces held(int rank, int stages, int cutting) const noexcept;

  private:
    struct stage {
        bool along_row;
        int stride; ///< in columns or rows
        int members;
        int own;
        std::vector<int> peers; ///< by digit
    };

    [[nodiscard]] const stage &at(int number) const noexcept {
        return stages_[static_cast<std::size_t>(number)];
    }
    /// Where a member lies in the rectangle that the stages cross.
    [[nodiscard]] mesh_place place_of(int rank) const noexcept;
    void add_stages(int width, int height);
    void find_peers(int own);

    mesh_view members_;
    int width_ = 0; ///< of the rectangle
    mesh_place corner_;
    std::vector<int> numbers_; ///< by rank, for members that fill no rectangle: along a curve
    std::vector<stage> stages_;
};

} // namespace lisle::tile
