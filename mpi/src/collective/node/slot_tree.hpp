// SPDX-License-Identifier: Apache-2.0
// Collectives of many ranks through the slots of the collective area: along a tree, in two operations of the
// area. In the first each rank awaits the posts of its children, and posts for its parent; in the second it
// awaits its parent's post, and posts for its children. So a rank looks at the slots of few others and wakes
// few, however many there are, and none is woken for a post that it has no use for. The second operation
// tells each rank that all have posted in the first one, so that nobody looks who has finished.
#pragma once

#include "collective/steps/immediate_steps.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

struct tree_barrier {
    static constexpr unsigned phases = 2;
    template <class Plan> static void write(Plan &plan, const team &team);
};
/// @pre the operation is commutative; `send` and `receive` may be the same buffer
struct tree_allreduce {
    static constexpr unsigned phases = 2;
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};

} // namespace lisle::collective
