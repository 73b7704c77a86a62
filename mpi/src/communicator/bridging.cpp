// SPDX-License-Identifier: Apache-2.0
// Across two groups: an inter-communicator from two intra-communicators whose leaders know each other,
// and an intra-communicator from an inter-communicator.
#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "communicator/child.hpp"
#include "communicator/creation.hpp"
#include "communicator/introduction.hpp"
#include "communicator/remote_exchange.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle {

group_ref remote_group_of(std::span<const std::uint64_t> names, const group &local) {
    const job &here = this_rank().get_job();
    if (names.size() % 2 != 0) {
        fail(MPI_ERR_OTHER, "the remote group's names are not whole");
    }
    std::vector<int> members;
    members.reserve(names.size() / 2);
    for (std::size_t at = 0; at != names.size(); at += 2) {
        const rank_name name{static_cast<job_id>(names[at]), static_cast<std::int64_t>(names[at + 1])};
        members.push_back(here.find_number(name));
        if (members.back() < 0) {
            fail(MPI_ERR_OTHER, "the remote group has rank ", name.number, " of a job of ", here.size(),
                 " ranks, or of a job that is not known here");
        }
        if (local.contains(members.back())) {
            fail(MPI_ERR_COMM, "the local and the remote group overlap: rank ", name.number,
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

std::vector<std::uint64_t> meet_leader(const leaders_meeting &other, const group &local) {
    std::uint64_t proposal = 0;
    auto theirs =
        exchange_lists<std::uint64_t>(other.channel, other.tag, other.there, most_words_of_names, [&] {
            proposal = next_context();
            std::vector<std::uint64_t> mine{proposal};
            const auto names = names_of(local);
            mine.insert(mine.end(), names.begin(), names.end());
            return mine;
        });
    if (theirs.size() < 3) {
        fail(MPI_ERR_OTHER, "the remote leader sent no members");
    }
    theirs.front() = std::min(theirs.front(), proposal);
    return theirs;
}

namespace {

/// The peer's message space in which two leaders meet. Throws if it is none, or has no such rank.
protocol::channel leaders_channel(const communicator *peer, int remote_leader) {
    if (peer == nullptr) {
        fail(MPI_ERR_COMM, "peer_comm is not a communicator at the local leader");
    }
    if (remote_leader < 0 || remote_leader >= peer->peer_count()) {
        fail(MPI_ERR_RANK, "remote_leader ", remote_leader, " is outside ", peer->label(), ", which has ",
             peer->peer_count(), " ranks");
    }
    return peer->channel(message_space::leaders);
}

/// Leaders that have a communicator.
class link_by_messages final : public leaders_link {
  public:
    link_by_messages(const protocol::channel &channel, int tag, int remote_leader)
        : channel_{channel}, tag_{tag}, remote_leader_{remote_leader} {}
    void swap(std::span<const std::byte> mine, std::span<std::byte> theirs) override {
        exchange_bytes(channel_, tag_, remote_leader_, mine, remote_leader_, theirs);
    }
    std::vector<std::byte> exchange(std::span<const std::byte> mine, std::size_t most) override {
        return exchange_lists<std::byte>(channel_, tag_, remote_leader_, most,
                                         [&] { return std::vector<std::byte>(mine.begin(), mine.end()); });
    }

  private:
    const protocol::channel channel_;
    const int tag_;
    const int remote_leader_;
};

/// True if these names and the members are not all of one job.
bool are_of_several_jobs(std::span<const std::uint64_t> names, const group &members) {
    const job &here = this_rank().get_job();
    const auto own = static_cast<std::uint64_t>(here.start().self().job);
    for (std::size_t at = 0; at < names.size(); at += 2) {
        if (names[at] != own) {
            return true;
        }
    }
    for (int rank = 0; rank < members.size(); ++rank) {
        if (!here.has(members.member(rank))) {
            return true;
        }
    }
    return false;
}

/// What the members of one side need to know for a merge.
struct merge_plan {
    std::uint64_t context;
    std::uint64_t local_first;
};

merge_plan plan_merge(const communicator &parent, bool high, int tag, std::uint64_t proposal) {
    struct {
        std::uint64_t context;
        std::uint64_t high;
    } const mine{proposal, high ? 1U : 0U};
    auto theirs = mine;
    exchange_bytes(parent.channel(message_space::remote_agreement), tag, 0,
                   std::as_bytes(std::span{&mine, 1}), 0, std::as_writable_bytes(std::span{&theirs, 1}));
    const bool remote_high = theirs.high != 0;
    // Where both sides say the same, any order will do on which both agree.
    const job &here = this_rank().get_job();
    const bool local_first = high != remote_high ? remote_high
                                                 : here.name_of(parent.local_group().member(0)) <
                                                       here.name_of(parent.remote_group().member(0));
    return {std::min(mine.context, theirs.context), local_first ? 1U : 0U};
}

/// The caller's merged communicator.
communicator_ref make_merged(communicator &parent, const merge_plan &plan) {
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
    shared_attempt own;
    std::optional<leaders_meeting> between;
    std::vector<std::uint64_t> met;
    own.attempt([&] {
        met = told_by_leader<std::uint64_t>(members, local_leader, most_words_of_names, [&] {
            between = leaders_meeting{leaders_channel(peer, remote_leader), tag, remote_leader};
            return meet_leader(*between, local.local_group());
        });
    });
    if (!own.failed() && are_of_several_jobs(std::span{met}.subspan(1), local.local_group())) {
        own.settle_across(members, local_leader, between); // the other group knows of them, too
        std::optional<link_by_messages> link;
        if (between) {
            link.emplace(between->channel, between->tag, between->there);
        }
        return introduce(local, local_leader, link ? &*link : nullptr);
    }
    communicator_ref made;
    own.attempt([&] {
        check_context(met.front());
        const group_ref remote = remote_group_of(std::span{met}.subspan(1), local.local_group());
        made = make_child(local, met.front(), local.local_group(), remote.get(), local.rank());
    });
    own.settle_across(members, local_leader, between);
    return made;
}

communicator_ref merge(communicator &parent, bool high) {
    if (!parent.inter()) {
        fail(MPI_ERR_COMM, parent.label(), " is not an inter-communicator");
    }
    const int tag = parent.next_agreement_tag();
    shared_attempt own;
    merge_plan plan{};
    if (parent.rank() == 0) {
        std::uint64_t proposal = 0;
        own.attempt([&] { proposal = next_context(); });
        plan = plan_merge(parent, high, tag, proposal);
    }
    party{parent.channel(message_space::agreement), tag}.broadcast(plan);
    communicator_ref made;
    own.attempt([&] {
        check_context(plan.context);
        made = make_merged(parent, plan);
    });
    own.settle(parent, tag);
    return made;
}

} // namespace lisle
