// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/scan.hpp"

namespace lisle::collective {

namespace {

/// The rounds: calls combine(first) whenever `place` holds the next earlier contribution.
template <class Combine> void each_earlier(schedule &plan, const team &team, const typed_buffer &value,
                                           const typed_buffer &place, Combine combine) {
    for (std::int64_t distance = 1; distance < team.size; distance *= 2) {
        const bool earlier = team.rank >= distance;
        if (earlier) {
            plan.receive(place, team, static_cast<int>(team.rank - distance));
        }
        if (team.rank + distance < team.size) {
            plan.send(value, team, static_cast<int>(team.rank + distance));
        }
        plan.await_all();
        if (earlier) {
            combine(distance == 1);
        }
    }
}

} // namespace

void scan_doubling(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive) {
    const typed_buffer place = plan.temporary(send.count, *send.type);
    plan.copy(send, receive);
    each_earlier(plan, team, receive, place, [&](bool) { plan.reduce(operation, place, receive); });
}

void exscan_doubling(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive) {
    const typed_buffer value = plan.temporary(send.count, *send.type);
    const typed_buffer place = plan.temporary(send.count, *send.type);
    plan.copy(send, value);
    each_earlier(plan, team, value, place, [&](bool first) {
        if (first) {
            plan.copy(place, receive);
        } else {
            plan.reduce(operation, place, receive);
        }
        plan.reduce(operation, place, value);
    });
}

void scan_linear(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive) {
    plan.copy(send, receive);
    if (team.rank > 0) {
        const typed_buffer place = plan.temporary(send.count, *send.type);
        plan.await(plan.receive(place, team, team.rank - 1));
        plan.reduce(operation, place, receive);
    }
    if (team.rank + 1 < team.size) {
        plan.send(receive, team, team.rank + 1);
    }
}

void exscan_linear(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive) {
    if (team.rank == 0) {
        if (team.size > 1) {
            plan.send(send, team, 1);
        }
        return;
    }
    const bool passes_on = team.rank + 1 < team.size;
    // A copy of the own contribution becomes what is passed on; in place, it is overwritten meanwhile.
    const typed_buffer value = passes_on ? plan.temporary(send.count, *send.type) : typed_buffer{};
    if (passes_on) {
        plan.copy(send, value);
    }
    plan.await(plan.receive(receive, team, team.rank - 1));
    if (passes_on) {
        plan.reduce(operation, receive, value);
        plan.send(value, team, team.rank + 1);
    }
}

} // namespace lisle::collective
