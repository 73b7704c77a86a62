// SPDX-License-Identifier: Apache-2.0
// Communicators whose members all belong to the parent's groups: by colour, and by list.
#include "communicator/creation.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "communicator/child.hpp"
#include "communicator/hardware.hpp"
#include "communicator/remote_exchange.hpp"
#include "execution/rank.hpp"
#include "fabric/routes.hpp"
#include "protocol/engine.hpp"
#include "world/job.hpp"

namespace lisle {

void refuse_lost_members(const communicator &parent) {
    const protocol::channel all = parent.channel(message_space::agreement);
    if (const int error = all.home->failures().error_of(all.context, this_rank().number());
        error != MPI_SUCCESS) {
        protocol::throw_failure(error, -1);
    }
}

communicator_ref make_child(communicator &parent, std::uint64_t context, const group &local,
                            const group *remote, int self) {
    if (parent.of_threads()) {
        fail(MPI_ERR_COMM,
             "a communicator of threads (MPIX_Threadcomm_init) can be duplicated, but no others "
             "can be made of its ranks");
    }
    return make_relative(parent, context, local, remote, self);
}

communicator_ref make_relative(communicator &parent, std::uint64_t context, const group &local,
                               const group *remote, int self) {
    auto child = communicator_ref::adopt(new communicator{context, local, remote, self});
    child->errors.set(parent.errors.get());
    child->session = parent.session.load(std::memory_order_relaxed);
    return child;
}

void check_context(std::uint64_t context) {
    const job &here = this_rank().get_job();
    if (!plausible_context(context, here.size(), here.context_part()) &&
        !(is_base_context(context) && here.others().has_context_part(job_part_of(context)))) {
        fail(MPI_ERR_OTHER, "a peer proposed ", context,
             " as context of a new communicator, which is impossible");
    }
}

communicator_ref make_private_copy(communicator &parent) {
    const int tag = parent.next_agreement_tag();
    return make_together(party{parent.channel(message_space::agreement), tag}, [&parent] {
        return make_child(parent, 0, parent.local_group(), nullptr, parent.rank());
    });
}

group_ref subgroup(const group &parent, std::span<const int> ranks) {
    std::vector<int> members(ranks.size());
    std::transform(ranks.begin(), ranks.end(), members.begin(),
                   [&parent](int rank) { return parent.member(rank); });
    return make_group(std::move(members));
}

namespace {

/// What a rank says in a split.
struct choice {
    int color;
    int key;
    std::uint64_t context; ///< its proposal, taken if it becomes the new group's first rank
};

/// The ranks with this colour, in their new order.
std::vector<int> ranks_with(const std::vector<choice> &choices, int color) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < choices.size(); ++rank) {
        if (choices[rank].color == color) {
            ranks.push_back(static_cast<int>(rank));
        }
    }
    // Stable: equal keys keep the parent's order.
    std::stable_sort(ranks.begin(), ranks.end(), [&choices](int left, int right) {
        return choices[static_cast<std::size_t>(left)].key < choices[static_cast<std::size_t>(right)].key;
    });
    return ranks;
}

int index_of(const std::vector<int> &ranks, int rank) {
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

std::uint64_t first_proposal(const std::vector<choice> &choices, const std::vector<int> &ranks) {
    const std::uint64_t proposal = choices[static_cast<std::size_t>(ranks.front())].context;
    check_context(proposal);
    return proposal;
}

/// Throws if a member is not in the parent.
void check_members(const group &members, const group &parent) {
    for (int index = 0; index < members.size(); ++index) {
        if (!parent.contains(members.member(index))) {
            fail(MPI_ERR_GROUP, "rank ", index, " of the group (rank ", members.member(index),
                 " of the job) is not in the communicator");
        }
    }
}

/// Agrees on a context among the members of a new intra-communicator; all others get nothing.
communicator_ref create_intra(communicator &parent, const group &members, message_space space, int tag) {
    check_members(members, parent.local_group());
    const int self = members.rank_of(this_rank().number());
    if (self == MPI_UNDEFINED) {
        return {};
    }
    return make_together(party{parent.channel(space), tag, members, self},
                         [&] { return make_child(parent, 0, members, nullptr, self); });
}

/// The members' ranks in the parent.
std::vector<std::uint64_t> ranks_of(const group &members, const group &parent) {
    std::vector<std::uint64_t> ranks(static_cast<std::size_t>(members.size()));
    for (int index = 0; index < members.size(); ++index) {
        ranks[static_cast<std::size_t>(index)] =
            static_cast<std::uint64_t>(parent.rank_of(members.member(index)));
    }
    return ranks;
}

/// The members that the remote group has named by their ranks there.
group_ref members_named(const std::vector<std::uint64_t> &ranks, const group &remote) {
    const auto size = static_cast<std::size_t>(remote.size());
    std::vector<int> plain;
    std::vector<bool> seen(size);
    for (const std::uint64_t rank : ranks) {
        if (rank >= size || seen[rank]) {
            fail(MPI_ERR_GROUP, "the remote group sent rank ", rank, " twice or beyond its ", size, " ranks");
        }
        seen[rank] = true;
        plain.push_back(static_cast<int>(rank));
    }
    return subgroup(remote, plain);
}

communicator_ref create_inter(communicator &parent, const group &members, int tag) {
    check_members(members, parent.local_group());
    shared_attempt own;
    std::vector<std::uint64_t> theirs;
    const auto remote_size = static_cast<std::size_t>(parent.remote_group().size());
    own.attempt([&] {
        theirs = exchange_with_remote<std::uint64_t>(parent, tag, remote_size,
                                                     [&] { return ranks_of(members, parent.local_group()); });
    });
    const int self = members.rank_of(this_rank().number());
    return make_together(parent, tag, own, [&] {
        const group_ref remote = members_named(theirs, parent.remote_group());
        return remote->size() != 0 && self != MPI_UNDEFINED
                   ? make_child(parent, 0, members, remote.get(), self)
                   : communicator_ref{};
    });
}

/// The calling rank's part of a split by these choices. Nothing: it gets no communicator.
communicator_ref make_part(communicator &parent, int color, const std::vector<choice> &choices,
                           const std::vector<choice> &remote_choices) {
    const auto ranks = ranks_with(choices, color);
    const int self = index_of(ranks, parent.rank());
    const group_ref local = subgroup(parent.local_group(), ranks);
    const std::uint64_t context = first_proposal(choices, ranks);
    if (!parent.inter()) {
        return make_child(parent, context, *local, nullptr, self);
    }
    const auto remote_ranks = ranks_with(remote_choices, color);
    if (remote_ranks.empty()) {
        return {};
    }
    // Both sides see both proposals: the smaller one counts.
    return make_child(parent, std::min(context, first_proposal(remote_choices, remote_ranks)), *local,
                      subgroup(parent.remote_group(), remote_ranks).get(), self);
}

/// @param own what the caller has done for it so far
/// @param finish completes the caller's part, if there is one
template <class Finish>
communicator_ref split_with(communicator &parent, int color, int key, shared_attempt own, Finish finish) {
    const int tag = parent.next_agreement_tag();
    choice mine{color, key, 0};
    own.attempt([&] { mine.context = next_context(); });
    // The others count on what the caller says, whatever has failed so far.
    shared_attempt told;
    shared_attempt heard;
    std::vector<choice> choices;
    std::vector<choice> remote_choices;
    told.attempt([&] { choices = party{parent.channel(message_space::agreement), tag}.allgather(mine); });
    if (parent.inter()) {
        const auto remote_size = static_cast<std::size_t>(parent.remote_group().size());
        heard.attempt([&] {
            remote_choices = exchange_with_remote<choice>(parent, tag, remote_size, [&] {
                told.check();
                return choices;
            });
        });
    }
    communicator_ref part;
    own.attempt([&] {
        told.check();
        heard.check();
        if (color != MPI_UNDEFINED) {
            part = make_part(parent, color, choices, remote_choices);
        }
        if (part) {
            finish(*part);
        }
    });
    own.settle(parent, tag);
    return part;
}

} // namespace

communicator_ref split(communicator &parent, int color, int key) {
    return split_with(parent, color, key, {}, [](communicator &) {});
}

namespace {

/// The first rank of the communicator on the calling rank's node; the calling rank where ranks share no
/// memory.
int color_of_node(const communicator &parent) {
    const rank &self = this_rank();
    const job &here = self.get_job();
    if (self.engine().routes().to(self.number()).node == nullptr) {
        return parent.rank();
    }
    int first = 0;
    while (here.node_of(parent.local_group().member(first)) != here.node_of(self.number())) {
        ++first;
    }
    return first;
}

/// The colour for parts of this sort: the part that the calling rank is restricted to.
int color_of_place(const communicator &parent, std::string_view type) {
    constexpr int most_processors = 1 << 13; // of a node: the kernel's own limit
    if (type == shared_memory_type) {
        return color_of_node(parent);
    }
    const auto *const known = std::ranges::find(hardware_types, type);
    if (known == std::end(hardware_types)) {
        return MPI_UNDEFINED;
    }
    const int part = find_hardware_place()[static_cast<std::size_t>(known - hardware_types)];
    return part >= 0 ? color_of_node(parent) * most_processors + part : MPI_UNDEFINED;
}

/// What a rank says of the part that it is to get.
struct bid {
    bool asks;
    int node;
    hardware_place place;
};

/// The largest sort of parts that cuts the ranks which ask for one, and that they all are restricted to: the
/// calling rank's part, or MPI_UNDEFINED. `name` is that of the sort. @param bids of those that ask
int color_by_bids(const bid &mine, std::span<const bid> bids, std::string_view &name) {
    if (std::ranges::any_of(bids, [&](const bid &each) { return each.node != mine.node; })) {
        name = shared_memory_type;
        return mine.node;
    }
    for (std::size_t i = 0; i < mine.place.size(); ++i) {
        const bool all = std::ranges::all_of(bids, [i](const bid &each) { return each.place[i] >= 0; });
        if (all && std::ranges::any_of(
                       bids, [&](const bid &each) { return each.place[i] != bids.front().place[i]; })) {
            name = hardware_types[i];
            return mine.place[i];
        }
    }
    return MPI_UNDEFINED;
}

/// The same, among the parent's ranks. Those that name another type take part, too.
int color_unguided(communicator &parent, bool asks, std::string_view &name, shared_attempt &own) {
    bid mine{asks, 0, {}};
    own.attempt([&] {
        mine.node = color_of_node(parent);
        mine.place = asks ? find_hardware_place() : hardware_place{};
    });
    shared_attempt told;
    std::vector<bid> bids;
    told.attempt([&] {
        bids = party{parent.channel(message_space::agreement), parent.next_agreement_tag()}.allgather(mine);
    });
    int color = MPI_UNDEFINED;
    own.attempt([&] {
        told.check();
        std::erase_if(bids, [](const bid &each) { return !each.asks; });
        color = asks ? color_by_bids(mine, bids, name) : MPI_UNDEFINED;
    });
    return color;
}

/// For the types that name a resource.
int color_guided(const communicator &parent, int split_type, const info *hints) {
    const auto hint = [hints](const char *key) { return hints != nullptr ? hints->get(key) : std::nullopt; };
    const auto resource = hint("mpi_hw_resource_type");
    if (split_type == MPI_COMM_TYPE_RESOURCE_GUIDED) {
        if (const auto set = hint("mpi_pset_name"); set && !resource) {
            return *set == "mpi://WORLD" ? 0 : *set == "mpi://SELF" ? parent.rank() : MPI_UNDEFINED;
        }
    }
    return resource ? color_of_place(parent, *resource) : MPI_UNDEFINED;
}

int color_by_type(communicator &parent, int split_type, const info *hints, std::string_view &name,
                  shared_attempt &own) {
    const int unguided = color_unguided(parent, split_type == MPI_COMM_TYPE_HW_UNGUIDED, name, own);
    int color = MPI_UNDEFINED;
    own.attempt([&] {
        switch (split_type) {
        case MPI_COMM_TYPE_SHARED:
            color = color_of_place(parent, shared_memory_type);
            break;
        case MPI_COMM_TYPE_HW_UNGUIDED:
            color = unguided;
            break;
        case MPI_COMM_TYPE_RESOURCE_GUIDED:
        case MPI_COMM_TYPE_HW_GUIDED:
            color = color_guided(parent, split_type, hints);
            break;
        default:
            break;
        }
    });
    return color;
}

} // namespace

communicator_ref split_by_type(communicator &parent, int split_type, int key, info *hints) {
    std::string_view name;
    shared_attempt own;
    const int color = color_by_type(parent, split_type, hints, name, own);
    return split_with(parent, color, key, own, [&](communicator &part) {
        if (hints == nullptr) {
            return;
        }
        part.hints.apply(*hints);
        if (!name.empty()) {
            hints->set("mpi_hw_resource_type", std::string{name}); // [MPI-5.0 7.4.2]
        }
    });
}

communicator_ref create_from_members(communicator &parent, const group &members) {
    const int tag = parent.next_agreement_tag();
    refuse_lost_members(parent);
    return parent.inter() ? create_inter(parent, members, tag)
                          : create_intra(parent, members, message_space::agreement, tag);
}

communicator_ref create_among(communicator &parent, const group &members, int tag) {
    if (parent.inter()) {
        fail(MPI_ERR_COMM, parent.label(), " is an inter-communicator");
    }
    return create_intra(parent, members, message_space::tagged_agreement, tag);
}

} // namespace lisle
