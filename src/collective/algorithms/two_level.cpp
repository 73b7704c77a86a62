// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/two_level.hpp"

#include <algorithm>

#include "collective/algorithms/allreduce.hpp"
#include "collective/algorithms/barrier.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/reduce.hpp"

namespace lisle::collective {

namespace {

int index_of(const std::vector<int> &ranks, int rank) {
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

team sub_team(const team &whole, const std::vector<int> &ranks) {
    return {.channel = whole.channel,
            .rank = index_of(ranks, whole.rank),
            .size = static_cast<int>(ranks.size()),
            .ranks = ranks.data()};
}

} // namespace

hierarchy::hierarchy(const team &whole, const std::vector<int> &place_of, int root) {
    const auto place = [&place_of](int rank) { return place_of[static_cast<std::size_t>(rank)]; };
    std::vector<int> led; // places that have a leader
    for (int i = 0; i < whole.size; ++i) {
        const int rank = (root + i) % whole.size; // the root is met first
        if (place(rank) == place(whole.rank)) {
            near_.push_back(rank);
        }
        // The first rank of a place leads it, but for the root's; so ranks are met in the same order by all.
        if (std::find(led.begin(), led.end(), place(rank)) == led.end()) {
            led.push_back(place(rank));
            leading_.push_back(rank);
        }
    }
    together_ = sub_team(whole, near_);
    leaders_ = sub_team(whole, leading_);
}

void two_level_barrier(schedule &plan, const hierarchy &ranks) {
    signal_root(plan, ranks.together());
    if (ranks.leads()) {
        barrier_dissemination(plan, ranks.leaders());
    }
    bcast_binomial(plan, ranks.together(), nothing(), 0);
}

void two_level_bcast(schedule &plan, const hierarchy &ranks, const typed_buffer &buffer) {
    if (ranks.leads()) {
        bcast_binomial(plan, ranks.leaders(), buffer, 0);
    }
    bcast_linear(plan, ranks.together(), buffer, 0);
}

void two_level_reduce(schedule &plan, const hierarchy &ranks, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive) {
    const bool root = ranks.leads() && ranks.leaders().rank == 0;
    const typed_buffer result = root            ? receive
                                : ranks.leads() ? plan.temporary(send.count, *send.type)
                                                : typed_buffer{};
    reduce_binomial(plan, ranks.together(), operation, send, result, 0);
    plan.await_all();
    if (ranks.leads()) {
        reduce_binomial(plan, ranks.leaders(), operation, result, result, 0);
    }
}

void two_level_allreduce(schedule &plan, const hierarchy &ranks, const op &operation,
                         const typed_buffer &send, const typed_buffer &receive) {
    reduce_binomial(plan, ranks.together(), operation, send, receive, 0);
    plan.await_all();
    if (ranks.leads()) {
        allreduce_reduce_scatter_allgather(plan, ranks.leaders(), operation, receive, receive);
        plan.await_all();
    }
    bcast_linear(plan, ranks.together(), receive, 0);
}

} // namespace lisle::collective
