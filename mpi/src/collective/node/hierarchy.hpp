// SPDX-License-Identifier: Apache-2.0
// The places in which the ranks of a communicator are (nodes, or processes if there is one node), and the two
// levels that algorithms make of them: the ranks of one place, and one leader of each place.
#pragma once

#include <memory>
#include <vector>

#include "collective/area/collective_area.hpp"
#include "collective/call.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

class hierarchy {
  public:
    /// Of an intra-communicator, made at its first call; null if all ranks are in one place, or each is alone
    /// in its place. The same for all members.
    [[nodiscard]] static hierarchy *of(const communicator &comm);

    /// @param places the place of each rank, by any numbers
    explicit hierarchy(const std::vector<int> &places);

    [[nodiscard]] int places() const noexcept { return static_cast<int>(ranks_.size()); }
    /// The place of a rank, counted in the order of their first ranks.
    [[nodiscard]] int place_of(int rank) const noexcept { return place_of_[static_cast<std::size_t>(rank)]; }
    /// In increasing order.
    [[nodiscard]] const std::vector<int> &ranks_of(int place) const noexcept {
        return ranks_[static_cast<std::size_t>(place)];
    }
    /// A rank's index among the ranks of its place.
    [[nodiscard]] int index_of(int rank) const noexcept;
    /// True if the ranks of each place follow those of the place before.
    [[nodiscard]] bool in_order() const noexcept { return in_order_; }

    /// The collective area of the calling rank's node, made at the first call; null: there is none, as where
    /// the places are processes, whose ranks use that of their node. Every rank of a place has called this,
    /// or none.
    [[nodiscard]] collective_area *area(const communicator &comm);

  private:
    std::vector<int> place_of_;
    std::vector<std::vector<int>> ranks_;
    bool in_order_;
    group_ref near_; ///< the members of the calling rank's place, which the area speaks of
    std::unique_ptr<collective_area> area_;
    bool area_sought_ = false;
};

/// Writes what some ranks do among themselves as a part of a collective, by the algorithm that the table of
/// the selection has for them. When a rank goes on, its own part is complete.
using part_writer = void (*)(schedule &plan, operation what, const team &ranks, const sizes &asked,
                             const operands &data);

/// Which rank of a place is its leader.
enum class leader : unsigned char { first, last };

/// The two levels of one call as the calling rank sees them. Refers to the hierarchy.
class two_levels {
  public:
    /// @param area of the calling rank's place; null: its ranks send messages
    /// @param write what the ranks of a place do
    two_levels(const hierarchy &levels, const team &whole, collective_area *area, part_writer write,
               leader by_default = leader::first);
    /// @param root leads its place; the others are led by their first rank
    two_levels(const hierarchy &levels, const team &whole, collective_area *area, part_writer write,
               int root);
    two_levels(const two_levels &) = delete;
    two_levels &operator=(const two_levels &) = delete;

    [[nodiscard]] const hierarchy &places() const noexcept { return levels_; }
    /// The calling rank's place, and that of the root. @pre there is a root
    [[nodiscard]] int place() const noexcept { return place_; }
    [[nodiscard]] int root_place() const noexcept { return root_place_; }
    /// The ranks of the calling rank's place, in increasing order, and the leader's number among them.
    [[nodiscard]] const team &within() const noexcept { return within_; }
    [[nodiscard]] int lead() const noexcept { return lead_; }
    [[nodiscard]] bool leads() const noexcept { return within_.rank == lead_; }
    void write_within(schedule &plan, operation what, const sizes &asked, const operands &data) const {
        write_(plan, what, within_, asked, data);
    }
    /// The leaders in the order of their places, so that a leader's number is that of its place. @pre leads()
    [[nodiscard]] const team &leaders() const noexcept { return leaders_; }

  private:
    void build(const team &whole, collective_area *area);

    const hierarchy &levels_;
    part_writer write_;
    std::vector<int> leading_;
    int place_, root_place_ = 0;
    int lead_ = 0;
    team within_, leaders_;
};

} // namespace lisle::collective
