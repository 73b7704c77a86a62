// SPDX-License-Identifier: Apache-2.0
#include "collective/node/slot_tree.hpp"

#include <algorithm>

namespace lisle::collective {

namespace {

/// Where the calling rank stands in the tree. A rank's children follow each other, so that steps can name
/// them together.
struct tree_place {
    // A parent may be woken for each child, and each level of the tree is one more rank that has to run
    // before the others.
    static constexpr int most_children = 16;

    explicit tree_place(const team &team) noexcept
        : root{team.rank == 0}, parent{(team.rank - 1) / most_children},
          children{std::min(team.rank * most_children + 1, team.size),
                   std::min(team.rank * most_children + most_children + 1, team.size)} {}
    [[nodiscard]] bool has_children() const noexcept { return children.first < children.last; }

    bool root;
    int parent; ///< @pre !root
    readers children;
};

} // namespace

template <class Plan> void tree_barrier::write(Plan &plan, const team &team) {
    const tree_place place{team};
    plan.enter(*team.shared, 0, !place.root);
    if (place.has_children()) {
        plan.await_posts(place.children.first, place.children.last);
    }
    if (!place.root) {
        plan.post(nothing(), place.parent);
    }
    plan.finish(false);

    plan.enter_next(*team.shared, 0, place.has_children());
    if (!place.root) {
        plan.await_posts(place.parent, place.parent + 1);
    }
    plan.note_all_posted();
    if (place.has_children()) {
        plan.post(nothing(), place.children);
    }
    plan.finish(false);
}

template <class Plan> void tree_allreduce::write(Plan &plan, const team &team, const op &operation,
                                                 const typed_buffer &send, const typed_buffer &receive) {
    const tree_place place{team};
    const MPI_Count bytes = send.bytes();
    plan.enter(*team.shared, bytes, !place.root);
    if (place.has_children()) {
        plan.copy(send, receive); // while the others come
        plan.await_posts(place.children.first, place.children.last);
        plan.reduce_posts(operation, place.children.first, place.children.last, 0, bytes, receive,
                          pairing::none);
    }
    if (!place.root) {
        plan.post(place.has_children() ? receive : send, place.parent);
    }
    plan.finish(false);

    plan.enter_next(*team.shared, bytes, place.has_children());
    if (!place.root) {
        plan.take_post(place.parent, receive);
    }
    plan.note_all_posted();
    if (place.has_children()) {
        plan.post(receive, place.children);
    }
    plan.finish(false);
}

template void tree_barrier::write(schedule &, const team &);
template void tree_barrier::write(immediate_steps &, const team &);
template void tree_allreduce::write(schedule &, const team &, const op &, const typed_buffer &,
                                    const typed_buffer &);
template void tree_allreduce::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                    const typed_buffer &);

} // namespace lisle::collective
