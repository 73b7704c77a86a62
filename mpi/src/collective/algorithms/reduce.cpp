// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/reduce.hpp"

#include <array>

#include "base/binomial_tree.hpp"
#include "collective/algorithms/halving.hpp"

namespace lisle::collective {

namespace {

int children_of(const binomial_node &node) {
    int children = 0;
    node.each_child([&children](const binomial_node &) { ++children; });
    return children;
}

/// Combines the subtree of `here`; the root's result is in `receive`. Each child's numbers follow those
/// that are combined already, so the child's contribution is the second operand: the reduction leaves
/// its result where that arrived, and two places take turns.
void combine_subtree(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive, int root, const binomial_node &here) {
    const int children = children_of(here);
    typed_buffer value = send;
    if (children > 0) {
        const typed_buffer spare = plan.temporary(send.count, *send.type);
        const typed_buffer last = here.is_root() ? receive : plan.temporary(send.count, *send.type);
        // Turns are counted so that the last child's place is `last`.
        const std::array<typed_buffer, 2> places{children % 2 == 1 ? last : spare,
                                                 children % 2 == 1 ? spare : last};
        if (places[0].address == value.address) {
            plan.copy(value, places[1]);
            value = places[1];
        }
        unsigned turn = 0;
        here.each_child([&](const binomial_node &child) {
            const typed_buffer &place = places[turn++ % 2];
            plan.await(plan.receive(place, team, rank_in_tree(child.number(), root, team.size)));
            plan.reduce(operation, value, place);
            value = place;
        });
    }
    if (here.is_root()) {
        plan.copy(value, receive);
    } else {
        plan.send(value, team, rank_in_tree(here.parent(), root, team.size));
    }
}

} // namespace

void reduce_binomial(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive, int root) {
    if (operation.commutative() || root == 0) {
        combine_subtree(plan, team, operation, send, receive, root,
                        binomial_node::at(team.rank, root, team.size));
        return;
    }
    const typed_buffer result = team.rank == 0 ? plan.temporary(send.count, *send.type) : typed_buffer{};
    combine_subtree(plan, team, operation, send, result, 0, binomial_node{team.rank, team.size});
    if (team.rank == 0) {
        plan.send(result, team, root);
    } else if (team.rank == root) {
        plan.await_all();
        plan.receive(receive, team, 0);
    }
    plan.await_all();
}

void reduce_reduce_scatter_gather(schedule &plan, const team &team, const op &operation,
                                  const typed_buffer &send, const typed_buffer &receive, int root) {
    const folded_team ranks{team};
    const auto piece = [&ranks](const typed_buffer &vector, int number) {
        return piece_of(vector, number, ranks.size());
    };
    const auto receive_pieces = [&] {
        // The root's own piece, if it has one, is in its place already.
        for (int number = 0; number < ranks.size(); ++number) {
            if (ranks.rank_of(number) != root) {
                plan.receive(piece(receive, ranks.reversed(number)), team, ranks.rank_of(number));
            }
        }
    };
    if (ranks.joins_another()) {
        plan.send(send, team, team.rank + 1);
        if (team.rank == root) {
            plan.await_all(); // in place, the vector is overwritten next
            receive_pieces();
        }
        return;
    }
    const typed_buffer value = team.rank == root ? receive : plan.temporary(send.count, *send.type);
    plan.copy(send, value);
    const typed_buffer place = plan.temporary(send.count, *send.type);
    if (ranks.has_joined()) {
        plan.await(plan.receive(place, team, team.rank - 1));
        plan.reduce(operation, place, value);
    }
    reduce_by_halves(plan, team, ranks, operation, value, place, halving::near_first,
                     [&ranks](const typed_buffer &vector, int first, int count) {
                         return pieces_of(vector, first, count, ranks.size());
                     });
    if (team.rank == root) {
        receive_pieces();
    } else {
        plan.send(piece(value, ranks.reversed(ranks.number())), team, root);
    }
}

void reduce_linear(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive, int root) {
    if (team.rank != root) {
        plan.send(send, team, root);
        return;
    }
    std::array<typed_buffer, 2> places{plan.temporary(send.count, *send.type),
                                       plan.temporary(send.count, *send.type)};
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer == root) {
            plan.copy(send, places[1]);
        } else {
            plan.await(plan.receive(places[1], team, peer));
        }
        if (peer > 0) {
            plan.reduce(operation, places[0], places[1]);
        }
        std::swap(places[0], places[1]);
    }
    plan.copy(places[0], receive);
}

void reduce_between_groups(schedule &plan, const team &own, const team &other, const op &operation,
                           const typed_buffer &send, const typed_buffer &receive, int root) {
    if (root == MPI_ROOT) {
        plan.receive(receive, other, 0);
    } else if (root != MPI_PROC_NULL) {
        const typed_buffer result = own.rank == 0 ? plan.temporary(send.count, *send.type) : typed_buffer{};
        reduce_binomial(plan, own, operation, send, result, 0);
        if (own.rank == 0) {
            plan.send(result, other, root);
        }
    }
}

} // namespace lisle::collective
