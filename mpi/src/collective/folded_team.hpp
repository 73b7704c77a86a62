// SPDX-License-Identifier: Apache-2.0
// A team as algorithms for powers of two see it: the first ranks join in pairs so that a power of two is
// left. Of a pair the even rank joins the odd one, which takes part for both.
#pragma once

#include <bit>

#include "collective/team.hpp"

namespace lisle::collective {

class folded_team {
  public:
    explicit folded_team(int ranks, int rank = 0) noexcept
        : size_{static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))}, pairs_{ranks - size_},
          rank_{rank} {}
    explicit folded_team(const team &whole) noexcept : folded_team{whole.size, whole.rank} {}

    /// Those that take part, a power of two.
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] int pairs() const noexcept { return pairs_; }
    /// The calling rank is represented by the next one.
    [[nodiscard]] bool joins_another() const noexcept { return rank_ < 2 * pairs_ && rank_ % 2 == 0; }
    /// The calling rank represents the one before.
    [[nodiscard]] bool has_joined() const noexcept { return rank_ < 2 * pairs_ && rank_ % 2 == 1; }
    /// The calling rank's number among those that take part. @pre !joins_another()
    [[nodiscard]] int number() const noexcept { return rank_ < 2 * pairs_ ? rank_ / 2 : rank_ - pairs_; }
    /// The rank that takes part with this number.
    [[nodiscard]] int rank_of(int number) const noexcept {
        return number < pairs_ ? 2 * number + 1 : number + pairs_;
    }
    /// The number with its bits in the opposite order.
    [[nodiscard]] int reversed(int number) const noexcept {
        int result = 0;
        for (int bit = 1; bit < size_; bit *= 2, number /= 2) {
            result = 2 * result + number % 2;
        }
        return result;
    }
    /// The first rank that numbers from this one on stand for.
    [[nodiscard]] int first_rank_of(int number) const noexcept {
        return number < pairs_ ? 2 * number : number + pairs_;
    }

  private:
    int size_, pairs_, rank_;
};

} // namespace lisle::collective
