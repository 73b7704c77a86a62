// SPDX-License-Identifier: Apache-2.0
#include "communicator/introduction.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/shared_secret.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/remote_exchange.hpp"
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

/// What leaders say before the cards.
struct opening {
    std::uint64_t context;
    shared_secret secret;
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
    std::uint32_t length;
    std::int32_t error; ///< MPI_SUCCESS, or why the process has no endpoint
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

/// The label and address of this process, if the caller speaks for it. @param find may throw
template <class Find>
std::vector<std::byte> own_address(Find find, bool speaks, std::exception_ptr &failure) {
    address_label label{this_rank().get_job().start().self(), 0, MPI_SUCCESS};
    endpoint_address address;
    try {
        address = find();
    } catch (const std::exception &caught) {
        failure = std::current_exception();
        label.error = error_of(caught).code();
    }
    std::vector<std::byte> said;
    if (speaks) {
        label.length = static_cast<std::uint32_t>(address.size());
        append(said, label);
        append(said, std::span<const std::byte>{address});
    }
    return said;
}

/// Sorts addresses by process. Throws if a process has none for a reason of its own.
void sort_in(std::span<const std::byte> said, const introduction &all,
             std::vector<endpoint_address> &addresses) {
    while (!said.empty()) {
        const auto label = take<address_label>(said);
        const auto found = std::ranges::find(all.processes, label.process, &introduced_process::id);
        if (label.length > said.size() || found == all.processes.end()) {
            fail(MPI_ERR_OTHER, "the other group sent an address that is not sound");
        }
        if (label.error != MPI_SUCCESS) {
            fail(label.error, "process ", label.process.index,
                 " of one of the jobs cannot be reached by others");
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

/// A group with a link at its leader: each exchange is told to all.
class side {
  public:
    side(communicator &local, int leader)
        : members_{local.channel(message_space::agreement), local.next_agreement_tag()}, leader_{leader} {}

    [[nodiscard]] const party &members() const noexcept { return members_; }
    void meet(const std::function<std::unique_ptr<leaders_link>()> &how) {
        static_cast<void>(told_by_leader<std::byte>(members_, leader_, 0, [&] {
            link_ = how();
            return std::vector<std::byte>{};
        }));
    }
    /// At the leader, see leaders_link.
    [[nodiscard]] std::optional<shared_secret> secret() const {
        return link_ ? link_->secret() : std::nullopt;
    }
    /// What all members of the own group say, one after the other.
    [[nodiscard]] std::vector<std::byte> gather(const std::vector<std::byte> &own, std::size_t most) const {
        return members_.allgather_lists(std::span<const std::byte>{own}, most);
    }
    [[nodiscard]] std::vector<std::byte> exchange(std::span<const std::byte> mine, std::size_t most) {
        return told_by_leader<std::byte>(members_, leader_, most,
                                         [&] { return link_->exchange(mine, most); });
    }

  private:
    const party members_;
    const int leader_;
    std::unique_ptr<leaders_link> link_;
};

/// The calling rank's part in an introduction, until it has its communicator.
class taking_part {
  public:
    explicit taking_part(fabric::joining &in) : in_{in}, begun_{in.begin()} {}
    ~taking_part() { in_.end(begun_); }
    taking_part(const taking_part &) = delete;
    taking_part &operator=(const taking_part &) = delete;

  private:
    fabric::joining &in_;
    const std::uint64_t begun_;
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
    std::set<std::uint64_t> refused; // machines
    for (std::size_t each = 0; each != all.size(); ++each) {
        all.in_memory[each] = all.has_neighbours(each);
        if (all.in_memory[each] && successes[each].empty()) {
            refused.insert(all.processes[each].machine);
        }
    }
    for (std::size_t each = 0; each != all.size(); ++each) {
        all.in_memory[each] = all.in_memory[each] && !refused.contains(all.processes[each].machine);
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

communicator_ref introduce(communicator &local, int leader,
                           const std::function<std::unique_ptr<leaders_link>()> &meet) {
    rank &self = this_rank();
    fabric::joining &meets = meets_of(self);
    const taking_part part{meets};
    side ours{local, leader};
    const std::vector<card> here = ours.members().allgather(card_of(self, meets.machine()));
    ours.meet(meet);

    opening mine{next_context_for_other_jobs(), new_secret()};
    std::vector<std::byte> said;
    if (const auto known = ours.secret()) { // the other leader knows it as well
        mine.secret = *known;
        append(said, opening{mine.context, {}});
    } else {
        append(said, mine);
    }
    append(said, std::span{here});
    const auto heard = ours.exchange(said, sizeof(opening) + most_ranks * sizeof(card));
    std::span<const std::byte> rest{heard};
    const auto theirs = take<opening>(rest);
    const std::vector<card> there = cards_in(rest);

    // What the leaders have proposed.
    opening agreed = mine;
    ours.members().broadcast(agreed, leader);
    agreed = {std::min(agreed.context, theirs.context), both(agreed.secret, theirs.secret)};
    const process_id process = self.get_job().start().self();
    introduction all{agreed.secret, processes_of(here, there), 0, {}, {}};
    all.self = static_cast<std::size_t>(std::ranges::find(all.processes, process, &introduced_process::id) -
                                        all.processes.begin());
    all.knows.resize(all.size() * all.size());
    all.in_memory.resize(all.size());

    const auto speaker =
        std::ranges::find_if(here, [&](const card &each) { return each.process.id == process; });
    const bool speaks = speaker->name.number == self.number();
    const std::size_t most_known = all.size() * all.size() * sizeof(acquaintance);
    const auto known_here = ours.gather(own_acquaintances(meets, all, speaks), most_known);
    note_acquaintances(known_here, all);
    note_acquaintances(ours.exchange(known_here, most_known), all);

    std::exception_ptr failure;
    // What all processes that `find` something say, by process.
    const auto exchange = [&](auto find) {
        const std::size_t most = all.size() * (sizeof(address_label) + most_address);
        const auto addresses_here = ours.gather(own_address(find, speaks, failure), most);
        const auto addresses_there = ours.exchange(addresses_here, most);
        std::vector<endpoint_address> found(all.size());
        sort_in(addresses_here, all, found);
        sort_in(addresses_there, all, found);
        return found;
    };
    try {
        if (all.any([&](std::size_t each) { return all.has_neighbours(each); })) {
            meet_in_memory(meets, all, exchange);
        }
        std::vector<endpoint_address> addresses;
        if (all.any([&](std::size_t each) { return all.uses_network(each); })) {
            addresses =
                exchange([&] { return all.uses_network(all.self) ? meets.open(all) : endpoint_address{}; });
        }
        meets.reach(all, std::move(addresses));
        check_context(agreed.context);
    } catch (...) {
        meets.give_up(all);
        if (failure) {
            std::rethrow_exception(failure);
        }
        throw;
    }
    self.engine().use_new_fabrics();

    std::vector<std::uint64_t> names;
    for (const card &each : there) {
        names.push_back(static_cast<std::uint64_t>(each.name.job));
        names.push_back(static_cast<std::uint64_t>(each.name.number));
    }
    const group_ref remote = remote_group_of(names, local.local_group());
    return make_child(local, agreed.context, local.local_group(), remote.get(), local.rank());
}

} // namespace lisle
