// SPDX-License-Identifier: Apache-2.0
// The order in which one rank combines what several members give: that of recursive doubling among them.
// Other MPI libraries add in this order by default, so sums of floating-point numbers have the digits that
// they give. The members come from the last one to the first, so the operands keep the order of ranks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "collective/folded_team.hpp"
#include "collective/steps/parts.hpp"
#include "collective/steps/steps.hpp"

namespace lisle::collective {

/// Partial results that such a reduction holds at once, one to a level.
[[nodiscard]] constexpr int levels_of(int members) noexcept {
    const auto all = static_cast<unsigned>(members);
    return std::bit_width(all) + (std::has_single_bit(all) ? 0 : 1);
}
inline constexpr int most_levels = 33;

/// Calls `give(member, level)` for each member, which a level holds then, and `combine(level)` for what that
/// level and the next one hold: the next one's is the first operand, and the level holds the result.
/// @pre how != pairing::none
template <class Give, class Combine>
void combine_in_pairs(int members, pairing how, Give give, Combine combine) {
    const folded_team ranks{members};
    int held = 0; // levels that hold something
    for (int left = ranks.size() - 1; left >= 0; --left) {
        const int number = how == pairing::near_first ? left : ranks.reversed(left);
        const int first = ranks.first_rank_of(number), last = ranks.rank_of(number);
        give(last, held);
        if (first != last) {
            give(first, held + 1);
            combine(held);
        }
        ++held;
        for (int done = ranks.size() - left; done % 2 == 0; done /= 2) {
            --held;
            combine(held - 1);
        }
    }
}

/// How many contributions a reduction of posts needs room for besides its result.
[[nodiscard]] inline MPI_Count rooms_for(const op &operation, const typed_buffer &to, int members,
                                         pairing how) noexcept {
    const bool in_place = reduces_in_place(operation, to);
    if (how == pairing::none) {
        return in_place ? 0 : 1;
    }
    return std::max(0, levels_of(members) - (in_place ? 2 : 1)); // kernels read what is given where it lies
}

/// What the levels hold, and where their results are made.
class level_results {
  public:
    /// @param result where the lowest level's are made @param rooms for the next levels' results, each
    /// `apart` elements after the one before
    level_results(const op_on &operation, const typed_buffer &result, void *rooms, MPI_Count apart) noexcept
        : operation_{operation}, result_{result}, rooms_{rooms}, apart_{apart} {}

    [[nodiscard]] typed_buffer room(int level) const noexcept {
        return level == 0 ? result_
                          : typed_buffer{part({rooms_, 0, *result_.type}, (level - 1) * apart_, 0).address,
                                         result_.count, *result_.type};
    }
    void hold(int level, const void *address) noexcept { held_[static_cast<std::size_t>(level)] = address; }
    void combine(int level) {
        const void *const first = held_[static_cast<std::size_t>(level) + 1];
        const void *&second = held_[static_cast<std::size_t>(level)];
        void *const made = room(level).address;
        if (second == made) {
            operation_.apply(first, made, result_.count);
        } else {
            operation_.combine(first, second, made, result_.count);
        }
        second = made;
    }

  private:
    const op_on &operation_;
    typed_buffer result_;
    void *rooms_;
    MPI_Count apart_;
    std::array<const void *, most_levels> held_;
};

} // namespace lisle::collective
