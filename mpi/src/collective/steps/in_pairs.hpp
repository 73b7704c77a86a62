// SPDX-License-Identifier: Apache-2.0
// The order in which one rank combines what several members give: that of recursive doubling among them.
// Other MPI libraries add in this order by default, so sums of floating-point numbers have the digits that
// they give. The members come from the last one to the first, so the operands keep the order of ranks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "collective/folded_team.hpp"
#include "collective/steps/steps.hpp"

namespace lisle::collective {

/// Partial results that such a reduction holds at once, one to a level. @pre members > 0
[[nodiscard]] constexpr int levels_of(int members) noexcept {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(members) - 1)) + 1;
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
        for (auto done = static_cast<unsigned>(ranks.size() - left); done % 2 == 0; done /= 2) {
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
    level_results(const op_on &operation, MPI_Count count) noexcept : operation_{operation}, count_{count} {}

    /// @param room where the level's result is made; what it holds may lie there
    void hold(int level, const void *address, void *room) noexcept {
        levels_[static_cast<std::size_t>(level)] = {address, room};
    }
    void combine(int level) {
        const void *const first = levels_[static_cast<std::size_t>(level) + 1].held;
        auto &[second, made] = levels_[static_cast<std::size_t>(level)];
        if (second == made) {
            operation_.apply(first, made, count_);
        } else {
            operation_.combine(first, second, made, count_);
        }
        second = made;
    }

  private:
    struct level {
        const void *held;
        void *room;
    };

    const op_on &operation_;
    MPI_Count count_;
    std::array<level, most_levels> levels_; ///< unset until they hold something
};

/// Rooms that follow each other, for all levels but the lowest, whose room is the result's.
class level_rooms {
  public:
    /// @param apart elements from one to the next
    level_rooms(const typed_buffer &result, void *others, MPI_Count apart) noexcept
        : result_{result.address}, others_{static_cast<std::byte *>(others)}, apart_{apart *
                                                                                     result.type->extent()} {}
    [[nodiscard]] void *of(int level) const noexcept {
        return level == 0 ? result_ : others_ + (level - 1) * apart_;
    }

  private:
    void *result_;
    std::byte *others_;
    MPI_Count apart_; ///< bytes
};

} // namespace lisle::collective
