// SPDX-License-Identifier: Apache-2.0
#include "collective/places.hpp"

#include <algorithm>
#include <map>

#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "world/job.hpp"

namespace lisle::collective {

namespace {

/// True if `where(member)` is the same for all members.
bool same_for_all(const group &members, auto where) {
    const auto first = where(members.member(0));
    for (int rank = 1; rank < members.size(); ++rank) {
        if (where(members.member(rank)) != first) {
            return false;
        }
    }
    return true;
}

} // namespace

int node_of(job &here, int rank) {
    return here.node_of(rank);
}

int process_of(job &here, int rank) {
    return here.process_of(rank);
}

fabric::shared_memory *memory_shared_by(job &here, const group &members) {
    return on_several_nodes(here, members)
               ? nullptr
               : fabric::common_node(this_rank().engine().routes(), members.members());
}

bool in_one_address_space(const group &members) {
    const fabric::routes &known = this_rank().engine().routes();
    const std::vector<int> ranks = members.members();
    return std::all_of(ranks.begin(), ranks.end(),
                       [&known](int rank) { return known.to(rank).same_address_space; });
}

const fabric::packet_carrier *common_carrier(const group &members) {
    const fabric::routes &known = this_rank().engine().routes();
    const auto carrier_of = [&known](int rank) { return known.to(rank).carrier; };
    return same_for_all(members, carrier_of) ? carrier_of(members.member(0)) : nullptr;
}

bool take_turns_here(job &here, const group &members) {
    const bool takes_turns = here.workers() != 0 || here.oversubscribed();
    return takes_turns && in_one_address_space(members) && memory_shared_by(here, members) != nullptr;
}

std::vector<int> workers_of(job &here, const group &members) {
    const int workers = here.workers();
    std::map<int, int> number_of;
    std::vector<int> found;
    for (int rank = 0; rank < members.size(); ++rank) {
        const int index = members.member(rank) - here.first_rank();
        int worker = workers == 0 ? rank : 0;
        while (worker + 1 < workers && here.places().worker_begin(here.process(), worker + 1) <= index) {
            ++worker;
        }
        const auto next = static_cast<int>(number_of.size());
        found.push_back(number_of.try_emplace(worker, next).first->second);
    }
    return found;
}

bool on_several_nodes(job &here, const group &members) {
    return !same_for_all(members, [&here](int rank) { return node_of(here, rank); });
}

std::vector<int> places_of(job &here, const group &members) {
    const bool one_node = !on_several_nodes(here, members);
    std::vector<int> places;
    for (int rank = 0; rank < members.size(); ++rank) {
        const int number = members.member(rank);
        places.push_back(one_node ? process_of(here, number) : node_of(here, number));
    }
    return places;
}

} // namespace lisle::collective
