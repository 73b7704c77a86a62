// SPDX-License-Identifier: Apache-2.0
// Across two groups: an inter-communicator from two intra-communicators whose leaders know each other,
// and an intra-communicator from an inter-communicator.
#include <algorithm>

#include "base/error.hpp"
#include "communicator/child.hpp"
#include "communicator/creation.hpp"
#include "communicator/remote_exchange.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle {

group_ref remote_group_of(std::span<const std::uint64_t> numbers, const group &local) {
    const int job_size = this_rank().get_job().size();
    std::vector<int> members;
    members.reserve(numbers.size());
    for (const std::uint64_t number : numbers) {
        if (number >= static_cast<std::uint64_t>(job_size)) {
            fail(MPI_ERR_OTHER, "the remote group has rank ", number, " of a job of ", job_size, " ranks");
        }
        members.push_back(static_cast<int>(number));
        if (local.contains(members.back())) {
            fail(MPI_ERR_COMM, "the local and the remote group overlap: rank ", number,
                 " of the job is in both");
        }
    }
    std::vector<int> sorted = members;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
        fail(MPI_ERR_OTHER, "the remote group has rank ", *twice, " of the job twice");
    }
    return make_group(std::move(members));
}

namespace {

/// The context and the remote group's members, which the leader learns from its peer.
std::vector<std::uint64_t> meet(const communicator &local, const communicator *peer, int remote_leader,
                                int tag) {
    if (peer == nullptr) {
        fail(MPI_ERR_COMM, "peer_comm is not a communicator at the local leader");
    }
    if (remote_leader < 0 || remote_leader >= peer->peer_count()) {
        fail(MPI_ERR_RANK, "remote_leader ", remote_leader, " is outside ", peer->label(), ", which has ",
             peer->peer_count(), " ranks");
    }
    std::vector<std::uint64_t> mine{next_context()};
    for (int rank = 0; rank < local.size(); ++rank) {
        mine.push_back(static_cast<std::uint64_t>(local.local_group().member(rank)));
    }
    const auto most = static_cast<std::size_t>(this_rank().get_job().size()) + 1;
    auto theirs = exchange_lists(peer->channel(message_space::leaders), tag, remote_leader, mine, most);
    if (theirs.size() < 2) {
        fail(MPI_ERR_OTHER, "the remote leader sent no members");
    }
    theirs.front() = std::min(theirs.front(), mine.front());
    return theirs;
}

/// What the members of one side need to know for a merge.
struct merge_plan {
    std::uint64_t context;
    std::uint64_t local_first;
};

merge_plan plan_merge(const communicator &parent, bool high, int tag) {
    const std::vector<std::uint64_t> mine{next_context(), high ? 1U : 0U};
    const auto theirs = exchange_lists(parent.channel(message_space::remote_agreement), tag, 0, mine, 2);
    if (theirs.size() != 2) {
        fail(MPI_ERR_OTHER, "the remote group sent ", theirs.size(), " values instead of 2");
    }
    const bool remote_high = theirs[1] != 0;
    // Where both sides say the same, any order will do on which both agree.
    const bool local_first =
        high != remote_high ? remote_high : parent.local_group().member(0) < parent.remote_group().member(0);
    return {std::min(mine[0], theirs[0]), local_first ? 1U : 0U};
}

} // namespace

communicator_ref connect_groups(communicator &local, int local_leader, communicator *peer, int remote_leader,
                                int tag) {
    if (local.inter()) {
        fail(MPI_ERR_COMM, "local_comm is an inter-communicator");
    }
    if (local_leader < 0 || local_leader >= local.size()) {
        fail(MPI_ERR_RANK, "local_leader ", local_leader, " is outside ", local.label(), ", which has ",
             local.size(), " ranks");
    }
    const party members{local.channel(message_space::agreement), local.next_agreement_tag()};
    const auto met = told_by_leader<std::uint64_t>(members, local_leader,
                                                   static_cast<std::size_t>(this_rank().get_job().size()) + 1,
                                                   [&] { return meet(local, peer, remote_leader, tag); });
    check_context(met.front());
    const group_ref remote = remote_group_of(std::span{met}.subspan(1), local.local_group());
    return make_child(local, met.front(), local.local_group(), remote.get(), local.rank());
}

communicator_ref merge(communicator &parent, bool high) {
    if (!parent.inter()) {
        fail(MPI_ERR_COMM, parent.label(), " is not an inter-communicator");
    }
    const int tag = parent.next_agreement_tag();
    merge_plan plan{};
    if (parent.rank() == 0) {
        plan = plan_merge(parent, high, tag);
    }
    party{parent.channel(message_space::agreement), tag}.broadcast(plan);
    check_context(plan.context);
    const bool local_first = plan.local_first != 0;
    const group &first = local_first ? parent.local_group() : parent.remote_group();
    const group &second = local_first ? parent.remote_group() : parent.local_group();
    std::vector<int> members = first.members();
    const std::vector<int> behind = second.members();
    members.insert(members.end(), behind.begin(), behind.end());
    const group_ref everyone = make_group(std::move(members));
    return make_child(parent, plan.context, *everyone, nullptr,
                      parent.rank() + (local_first ? 0 : first.size()));
}

} // namespace lisle
