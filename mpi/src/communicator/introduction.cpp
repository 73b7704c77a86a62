// SPDX-License-Identifier: Apache-2.0
#include "communicator/introduction.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/shared_secret.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/remote_exchange.hpp"
#include "communicator/shared_attempt.hpp"
#include "execution/rank.hpp"
#include "fabric/joining.hpp"
#include "fabric/routes_by_track.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

using fabric::endpoint_address;
using fabric::introduced_process;
using fabric::introduction;

/// What a rank says of itself.
struct card {
    rank_name name;
    introduced_process process;
};

shared_secret new_secret() {
    const auto made = make_secret();
    if (!made) {
        fail(MPI_ERR_OTHER, "the system gives no random numbers for the secret of two groups that meet");
    }
    return *made;
}

/// The same in either order; nobody knows it without both.
shared_secret both(const shared_secret &one, const shared_secret &other) noexcept {
    shared_secret made = one;
    std::ranges::transform(one.bytes, other.bytes, made.bytes.begin(), std::bit_xor<>{});
    return made;
}

/// Ahead of a process's address.
struct address_label {
    process_id process;
    std::uint64_t length;
};

constexpr std::size_t most_ranks = other_jobs::most;
constexpr std::size_t most_address = 4096;

card card_of(const rank &self, std::uint64_t machine) {
    const job &own = self.get_job();
    const process_id process = own.start().self();
    return {{process.job, self.number()},
            {process, own.node_of(self.number()), own.first_rank(), own.rank_count(), machine}};
}

template <class T> void append(std::vector<std::byte> &to, std::span<const T> values) {
    const std::span bytes = std::as_bytes(values);
    to.insert(to.end(), bytes.begin(), bytes.end());
}
template <class T> void append(std::vector<std::byte> &to, const T &value) {
    append(to, std::span<const T>{&value, 1});
}

/// Takes a value from the front. Throws if there is none.
template <class T> T take(std::span<const std::byte> &from) {
    T value{};
    if (from.size() < sizeof value) {
        fail(MPI_ERR_OTHER, "the other group sent less than it announced");
    }
    std::memcpy(&value, from.data(), sizeof value);
    from = from.subspan(sizeof value);
    return value;
}

std::vector<card> cards_in(std::span<const std::byte> bytes) {
    std::vector<card> cards;
    while (!bytes.empty()) {
        cards.push_back(take<card>(bytes));
        const auto &[name, process] = cards.back();
        const std::int64_t index = name.number - process.first_rank;
        if (name.job != process.id.job || process.id.index < 0 || process.node < 0 ||
            process.first_rank < 0 || process.rank_count <= 0 ||
            static_cast<std::size_t>(process.rank_count) > most_ranks || index < 0 ||
            index >= process.rank_count) {
            fail(MPI_ERR_OTHER, "the other group describes an impossible rank ", name.number);
        }
    }
    if (cards.empty() || cards.size() > most_ranks) {
        fail(MPI_ERR_OTHER, "the other group has ", cards.size(), " members");
    }
    return cards;
}

/// Each process once, in an order that is the same everywhere.
std::vector<introduced_process> processes_of(const std::vector<card> &here, const std::vector<card> &there) {
    std::vector<introduced_process> all;
    for (const std::vector<card> *const side : {&here, &there}) {
        for (const card &each : *side) {
            all.push_back(each.process);
        }
    }
    std::ranges::sort(all, {}, [](const introduced_process &each) {
        return std::pair{each.id.job, each.id.index};
    });
    const auto same = [](const introduced_process &one, const introduced_process &other) {
        return one.id == other.id;
    };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    return all;
}

/// Two processes of an introduction, by their places: the first one reaches the second.
struct acquaintance {
    std::int32_t knows;
    std::int32_t known;
};

/// Whom the calling process knows, if the caller speaks for it.
std::vector<std::byte> own_acquaintances(fabric::joining &meets, const introduction &all, bool speaks) {
    std::vector<std::byte> said;
    for (std::size_t place = 0; speaks && place != all.size(); ++place) {
        if (meets.knows(all.processes[place])) {
            append(said, acquaintance{static_cast<std::int32_t>(all.self), static_cast<std::int32_t>(place)});
        }
    }
    return said;
}

/// Takes in what one of the two groups has said.
void note_acquaintances(std::span<const std::byte> said, introduction &all) {
    const auto most = static_cast<std::int32_t>(all.size());
    while (!said.empty()) {
        const auto [from, to] = take<acquaintance>(said);
        if (from < 0 || from >= most || to < 0 || to >= most) {
            fail(MPI_ERR_OTHER, "the other group sent a process that does not take part");
        }
        all.knows[all.pair(static_cast<std::size_t>(from), static_cast<std::size_t>(to))] = true;
    }
}

/// The label and address of this process.
std::vector<std::byte> labelled(const endpoint_address &address) {
    std::vector<std::byte> said;
    append(said, address_label{this_rank().get_job().start().self(), address.size()});
    append(said, std::span<const std::byte>{address});
    return said;
}

/// Sorts addresses by process.
void sort_in(std::span<const std::byte> said, const introduction &all,
             std::vector<endpoint_address> &addresses) {
    while (!said.empty()) {
        const auto label = take<address_label>(said);
        const auto found = std::ranges::find(all.processes, label.process, &introduced_process::id);
        if (label.length > said.size() || found == all.processes.end()) {
            fail(MPI_ERR_OTHER, "the other group sent an address that is not sound");
        }
        const auto address = said.first(label.length);
        addresses[static_cast<std::size_t>(found - all.processes.begin())].assign(address.begin(),
                                                                                  address.end());
        said = said.subspan(label.length);
    }
}

fabric::joining &meets_of(const rank &self) {
    fabric::joining *const meets = self.tracks().routes().meets();
    if (meets == nullptr) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "ranks on modelled tiles cannot meet ranks of other jobs");
    }
    return *meets;
}

/// One of the two groups, as its members see them. What a member does alone is an attempt; all of both groups
/// hear now and then how these went.
class side {
  public:
    /// @param link at the leader
    side(communicator &local, int leader, leaders_link *link)
        : members_{local.channel(message_space::agreement), local.next_agreement_tag()}, leader_{leader},
          link_{link} {}

    /// What all members have said, one after the other.
    struct statements {
        std::vector<std::byte> here, there; ///< the own group's, the other one's
    };

    [[nodiscard]] bool leads() const noexcept { return members_.self() == leader_; }
    /// Does a part, unless one before has failed.
    template <class Part> void attempt(Part part) { own_.attempt(part); }
    /// Throws at all of both groups if a part has failed. @return the largest of all values
    std::uint64_t settle(std::uint64_t value = 0) {
        return own_.settle_across(members_, leader_, link_, value);
    }
    /// All of both groups hear what all of them say. Throws at all of them if a part has failed.
    /// @param make what the caller says, in an attempt @param most that one group can say
    template <class Make> [[nodiscard]] statements exchange(std::size_t most, Make make) {
        statements all;
        std::vector<std::byte> mine;
        attempt([&] { mine = make(); });
        shared_attempt gathering;
        gathering.attempt(
            [&] { all.here = members_.allgather_lists(std::span<const std::byte>{mine}, most); });
        attempt([&] { gathering.check(); });
        settle(); // the leaders count on each other
        if (leads()) {
            attempt([&] { all.there = link_->exchange(all.here, most); });
        }
        std::size_t length = own_.failed() ? no_list : all.there.size();
        members_.broadcast(length, leader_);
        if (length != no_list) {
            attempt([&] {
                party::check_length(length, most);
                members_.broadcast_list(all.there, length, leader_);
            });
        }
        settle();
        return all;
    }

    /// A secret that all of both groups know, and nobody else.
    [[nodiscard]] shared_secret agree_on_secret() {
        std::optional<shared_secret> known; // by both leaders already, so it need not be said
        shared_secret agreed;
        if (leads()) {
            attempt([&] {
                known = link_->secret();
                agreed = known ? *known : new_secret();
            });
        }
        const auto said = exchange(sizeof agreed, [&] {
            std::vector<std::byte> mine;
            if (leads() && !known) {
                append(mine, agreed);
            }
            return mine;
        });
        members_.broadcast(agreed, leader_);
        std::span<const std::byte> there{said.there};
        if (!there.empty()) {
            attempt([&] { agreed = both(agreed, take<shared_secret>(there)); });
        }
        return agreed;
    }

  private:
    const party members_;
    const int leader_;
    shared_attempt own_;
    leaders_link *const link_;
};

/// The calling rank's part in an introduction, until it has its communicator.
class taking_part {
  public:
    explicit taking_part(fabric::joining &in) noexcept : in_{in} {}
    ~taking_part() {
        if (begun_ != 0) {
            in_.end(begun_);
        }
    }
    void begin() { begun_ = in_.begin(); }
    taking_part(const taking_part &) = delete;
    taking_part &operator=(const taking_part &) = delete;

  private:
    fabric::joining &in_;
    std::uint64_t begun_ = 0; ///< 0: it has not
};

/// Lets neighbours share memory where all of a machine can. @param exchange what all say, by process
template <class Exchange>
void meet_in_memory(fabric::joining &meets, introduction &all, const Exchange &exchange) {
    const bool takes_part = all.has_neighbours(all.self);
    const std::vector<endpoint_address> offers =
        exchange([&] { return takes_part ? meets.offer_memory(all) : endpoint_address{}; });
    // One byte: the process has opened it.
    const std::vector<endpoint_address> successes = exchange([&] {
        return takes_part && meets.open_memory(all, offers) ? endpoint_address(1) : endpoint_address{};
    });
    for (std::size_t each = 0; each != all.size(); ++each) {
        all.in_memory[each] = all.has_neighbours(each);
    }
    for (std::size_t each = 0; each != all.size(); ++each) {
        if (!all.has_neighbours(each) || !successes[each].empty()) {
            continue;
        }
        for (std::size_t other = 0; other != all.size(); ++other) {
            all.in_memory[other] =
                all.in_memory[other] && all.processes[other].machine != all.processes[each].machine;
        }
    }
}

} // namespace

std::vector<std::uint64_t> names_of(const group &members) {
    const job &here = this_rank().get_job();
    std::vector<std::uint64_t> words;
    words.reserve(2 * static_cast<std::size_t>(members.size()));
    for (int rank = 0; rank < members.size(); ++rank) {
        const rank_name name = here.name_of(members.member(rank));
        words.push_back(static_cast<std::uint64_t>(name.job));
        words.push_back(static_cast<std::uint64_t>(name.number));
    }
    return words;
}

namespace {

/// What the members of both groups say of themselves.
struct members_of_both {
    std::vector<card> here, there;

    /// True if the calling rank speaks for its process, which several may belong to.
    [[nodiscard]] bool speaks(const rank &self) const {
        const process_id process = self.get_job().start().self();
        const auto first =
            std::ranges::find_if(here, [&](const card &each) { return each.process.id == process; });
        return first->name.number == self.number();
    }
    /// All processes, none of which knows any other yet.
    [[nodiscard]] introduction processes(const shared_secret &secret, const process_id &own) const {
        introduction all{secret, processes_of(here, there), 0, {}, {}};
        all.self = static_cast<std::size_t>(std::ranges::find(all.processes, own, &introduced_process::id) -
                                            all.processes.begin());
        all.knows.resize(all.size() * all.size());
        all.in_memory.resize(all.size());
        return all;
    }
    [[nodiscard]] std::vector<std::uint64_t> names_there() const {
        std::vector<std::uint64_t> names;
        for (const card &each : there) {
            names.push_back(static_cast<std::uint64_t>(each.name.job));
            names.push_back(static_cast<std::uint64_t>(each.name.number));
        }
        return names;
    }
};

/// Lets all processes reach each other. Throws at all ranks if one cannot.
void reach_all(side &ours, fabric::joining &meets, introduction &all, bool speaks) {
    // What all processes that `find` something say, by process.
    const auto exchange = [&](auto find) {
        const std::size_t most = all.size() * (sizeof(address_label) + most_address);
        const auto said = ours.exchange(most, [&] {
            const endpoint_address found = find(); // at every rank: the first one of a process does it
            return speaks ? labelled(found) : std::vector<std::byte>{};
        });
        std::vector<endpoint_address> by_process;
        ours.attempt([&] {
            by_process.resize(all.size());
            sort_in(said.here, all, by_process);
            sort_in(said.there, all, by_process);
        });
        ours.settle();
        return by_process;
    };
    if (all.any([&](std::size_t each) { return all.has_neighbours(each); })) {
        meet_in_memory(meets, all, exchange);
    }
    std::vector<endpoint_address> addresses;
    if (all.any([&](std::size_t each) { return all.uses_network(each); })) {
        addresses =
            exchange([&] { return all.uses_network(all.self) ? meets.open(all) : endpoint_address{}; });
    }
    ours.attempt([&] {
        meets.reach(all, std::move(addresses));
        this_rank().engine().use_new_fabrics();
    });
    ours.settle(); // of the ranks of a process only the first to call may have met a failure
}

} // namespace

communicator_ref introduce(communicator &local, int leader,
                           const std::function<std::unique_ptr<leaders_link>()> &meet) {
    const party members{local.channel(message_space::agreement), local.next_agreement_tag()};
    // A member that has failed shows before the leader waits for the other group, perhaps for ever.
    shared_attempt{}.settle(members);
    std::unique_ptr<leaders_link> link;
    static_cast<void>(told_by_leader<std::byte>(members, leader, 0, [&] {
        link = meet();
        return std::vector<std::byte>{};
    }));
    return introduce(local, leader, link.get());
}

communicator_ref introduce(communicator &local, int leader, leaders_link *link) {
    rank &self = this_rank();
    fabric::joining &meets = meets_of(self);
    const process_id process = self.get_job().start().self();
    side ours{local, leader, link};
    taking_part part{meets};
    ours.attempt([&] { part.begin(); });
    std::uint64_t proposal = 0;
    ours.attempt([&] { proposal = ours.leads() ? next_context_for_other_jobs() : 0; });
    const std::uint64_t context = ours.settle(proposal);
    const shared_secret secret = ours.agree_on_secret();
    const auto cards = ours.exchange(most_ranks * sizeof(card), [&] {
        std::vector<std::byte> said;
        append(said, card_of(self, meets.machine()));
        return said;
    });
    members_of_both members;
    introduction all{};
    ours.attempt([&] {
        members = {cards_in(cards.here), cards_in(cards.there)};
        all = members.processes(secret, process);
    });
    ours.settle();

    const bool speaks = members.speaks(self);
    const auto known = ours.exchange(all.size() * all.size() * sizeof(acquaintance),
                                     [&] { return own_acquaintances(meets, all, speaks); });
    ours.attempt([&] {
        note_acquaintances(known.here, all);
        note_acquaintances(known.there, all);
    });
    ours.settle();
    communicator_ref made;
    try {
        reach_all(ours, meets, all, speaks);
        ours.attempt([&] {
            check_context(context);
            const group_ref remote = remote_group_of(members.names_there(), local.local_group());
            made = make_child(local, context, local.local_group(), remote.get(), local.rank());
        });
        ours.settle();
    } catch (...) {
        meets.give_up(all);
        throw;
    }
    return made;
}

} // namespace lisle
