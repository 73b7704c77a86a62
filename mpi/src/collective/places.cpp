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

/// `of(member)` if that is the same for all members, otherwise nothing of its type. @param of_all what holds
/// for all ranks of the job, if anything: then no rank looks at each member, of which there may be many
template <class Found> Found common_to(const job &here, const group &members, Found of_all, auto of) {
    if (of_all != Found{} && members.highest() < here.size()) {
        return of_all;
    }
    return same_for_all(members, of) ? of(members.member(0)) : Found{};
}

} // namespace

int node_of(job &here, int rank) {
    return here.node_of(rank);
}

int process_of(job &here, int rank) {
    return here.process_of(rank);
}

fabric::shared_memory *memory_shared_by(job &here, const group &members) {
    const fabric::routes &known = this_rank().engine().routes();
    if (on_several_nodes(here, members)) {
        return nullptr;
    }
    return common_to(here, members, known.common().node, [&known](int rank) { return known.to(rank).node; });
}

bool in_one_address_space(job &here, const group &members) {
    const fabric::routes &known = this_rank().engine().routes();
    return common_to(here, members, known.common().same_address_space,
                     [&known](int rank) { return known.to(rank).same_address_space; });
}

const fabric::packet_carrier *common_carrier(job &here, const group &members) {
    const fabric::routes &known = this_rank().engine().routes();
    return common_to(here, members, known.common().carrier,
                     [&known](int rank) { return known.to(rank).carrier; });
}

bool take_turns_here(job &here, const group &members) {
    const bool takes_turns = here.workers() != 0 || here.oversubscribed();
    return takes_turns && in_one_address_space(here, members) && memory_shared_by(here, members) != nullptr;
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
    const bool in_job = members.highest() < here.size();
    return !(in_job && here.places().nodes() == 1) &&
           !same_for_all(members, [&here](int rank) { return node_of(here, rank); });
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
