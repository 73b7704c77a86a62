// SPDX-License-Identifier: Apache-2.0
// Recursive halving, the first half of several reductions: in each round a rank gives away half of the pieces
// that it still reduces and gets the other's contribution to those that it keeps.
#pragma once

#include "collective/folded_team.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Which numbers a number meets first: its neighbours, whose sums then have the digits of recursive doubling,
/// or those half of all away, which leaves each number with the piece of that number.
enum class halving { near_first, far_first };

/// Reduces `value` so that each number of `ranks` ends with a piece of the result there: that of its number,
/// or with `near_first` of its reversed one. @param place room for what arrives, as long as `value`
/// @param range (vector, first, count): those pieces of a vector
template <class Range> void reduce_by_halves(schedule &plan, const team &team, const folded_team &ranks,
                                             const op &operation, const typed_buffer &value,
                                             const typed_buffer &place, halving how, Range range) {
    int first = 0; // pieces [first, first + length) are those that this rank still reduces
    for (int length = ranks.size() / 2; length > 0; length /= 2) {
        const int distance = how == halving::far_first ? length : ranks.size() / (2 * length);
        const int other = ranks.number() ^ distance;
        const int kept = other > ranks.number() ? first : first + length;
        const int given = other > ranks.number() ? first + length : first;
        const typed_buffer arrived = range(place, kept, length);
        plan.receive(arrived, team, ranks.rank_of(other));
        plan.send(range(value, given, length), team, ranks.rank_of(other));
        plan.await_all();
        plan.reduce(operation, arrived, range(value, kept, length));
        first = kept;
    }
}

} // namespace lisle::collective
