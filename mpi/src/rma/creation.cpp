// SPDX-License-Identifier: Apache-2.0
#include "rma/creation.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/memory_alignment.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank.hpp"
#include "fabric/local/shared_heap.hpp"
#include "fabric/routes.hpp"
#include "protocol/engine.hpp"
#include "protocol/wait.hpp"
#include "rma/races/watch.hpp"
#include "rma/synchronization.hpp"
#include "world/job.hpp"

namespace lisle::rma {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t page = 4096;

/// The members of a window on the calling rank's node: those whose table it shares.
struct neighbours {
    std::vector<int> ranks;                  ///< in the window, ascending
    int self = 0;                            ///< the caller's index among them
    fabric::shared_memory *medium = nullptr; ///< null: there is only the caller
    bool one_process = true;
    int elsewhere = -1; ///< number in the job of one in another process; -1: there is none
    [[nodiscard]] bool leads() const noexcept { return self == 0; }
};

neighbours find_neighbours(const communicator &members) {
    const fabric::routes &routes = members.point_to_point.home->routes();
    const group &all = members.local_group();
    const fabric::route &own = routes.to(all.member(members.rank()));
    neighbours found;
    found.medium = own.node;
    for (int rank = 0; rank < all.size(); ++rank) {
        const fabric::route &way = routes.to(all.member(rank));
        if (rank != members.rank() && (own.node == nullptr || way.node != own.node)) {
            continue;
        }
        if (rank == members.rank()) {
            found.self = static_cast<int>(found.ranks.size());
        }
        if (rank != members.rank() && !way.same_address_space) {
            found.one_process = false;
            found.elsewhere = all.member(rank);
        }
        found.ranks.push_back(rank);
    }
    return found;
}

/// What the first member of a node tells the others of the table that it has made.
struct table_notice {
    std::uint64_t address = 0; ///< of its process; 0: a block under the window's context
};

std::size_t rounded(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

/// A window under construction.
class construction {
  public:
    construction(const window_request &asked, int flavor)
        : asked_{checked(asked)}, flavor_{flavor}, members_{make_private_copy(asked.parent)},
          near_{find_neighbours(*members_)}, among_{members_->channel(message_space::agreement),
                                                    members_->next_agreement_tag(), near_.ranks, near_.self} {
        make_table();
    }

    [[nodiscard]] const neighbours &near() const noexcept { return near_; }
    [[nodiscard]] int size() const noexcept { return members_->size(); }
    [[nodiscard]] member &own() const noexcept { return table_.members[members_->rank()]; }
    [[nodiscard]] member &at(int rank) const noexcept { return table_.members[rank]; }

    /// Where memory is to be allocated that the node's processes share; null: anywhere.
    [[nodiscard]] shared_heap *heap() const {
        return near_.one_process || near_.medium == nullptr || value_of(setting::shared_heap) == 0
                   ? nullptr
                   : near_.medium->heap();
    }

    /// Returns when the members of the node have entered what they have to say so far.
    void meet_neighbours() {
        if (near_.ranks.size() == static_cast<std::size_t>(size())) {
            meet(*members_);
        } else {
            int nothing = 0;
            static_cast<void>(among_.allgather(nothing));
        }
    }

    /// Enters that the caller has no memory. All members then fail in finish(), where they hear of it.
    void enter_failure() { own().facts = {.holder = this_rank().number(), .failed = true}; }

    /// Enters the caller's memory.
    void enter(const void *base, std::size_t bytes, bool open) {
        // Of a window whose ranks share its memory, and of a dynamic one that does not say what is attached,
        // no other process has to change it.
        const bool private_memory =
            !open && (flavor_ == MPI_WIN_FLAVOR_CREATE || flavor_ == MPI_WIN_FLAVOR_ALLOCATE ||
                      (flavor_ == MPI_WIN_FLAVOR_DYNAMIC && base != nullptr));
        const bool copied =
            private_memory && near_.elsewhere >= 0 && near_.medium->memory_open(near_.elsewhere);
        if (flavor_ == MPI_WIN_FLAVOR_CREATE || flavor_ == MPI_WIN_FLAVOR_ALLOCATE) {
            expose(base, bytes);
        }
        own().facts = {.base = reinterpret_cast<std::uint64_t>(base),
                       .size = bytes,
                       .unit = asked_.unit,
                       .holder = this_rank().number(),
                       .process = table_.process,
                       .open = open,
                       .copied = copied,
                       .exposed = held_.exposed.key().has_value(),
                       .key = held_.exposed.key().value_or(0)};
    }

    /// Gives all members of the node places in one piece of memory, which the first of them allocates, in the
    /// order of their ranks. Returns the caller's. @param step what each part's length is rounded up to
    [[nodiscard]] std::byte *share_memory(std::size_t step, std::size_t alignment, window_memory &whole) {
        meet_neighbours();
        std::uint64_t bytes = 0;
        for (const int rank : near_.ranks) {
            bytes += rounded(at(rank).facts.size, step);
        }
        bytes = std::max<std::uint64_t>(bytes, 1); // nothing has no place that others could find
        std::uint64_t address = 0;
        if (near_.leads()) {
            whole =
                window_memory::allocate(near_.one_process ? nullptr : near_.medium->heap(), bytes, alignment);
            if (near_.one_process || whole.open()) {
                address = reinterpret_cast<std::uint64_t>(whole.get());
            }
            std::uint64_t next = address;
            for (const int rank : near_.ranks) {
                member_facts &facts = at(rank).facts;
                facts.base = next;
                facts.holder = this_rank().number();
                facts.process = table_.process;
                facts.open = whole.open();
                next += rounded(facts.size, step);
            }
        }
        if (near_.ranks.size() > 1) {
            among_.broadcast(address);
        }
        std::byte *const found = near_.one_process || near_.leads() || address == 0
                                     ? reinterpret_cast<std::byte *>(address)
                                     : near_.medium->reach(own().facts.holder, address, bytes);
        if (found == nullptr) {
            own().facts.failed = true;
            return nullptr;
        }
        return found + (own().facts.base - address);
    }

    /// Completes the tables and makes the window. Throws at all members if one has no memory. @param base
    /// where the caller finds its own memory
    [[nodiscard]] window *finish(void *base, window_memory memory) {
        exchange_tables();
        held_.own = std::move(memory);
        auto made = std::make_unique<window>(members_, table_,
                                             window_attributes{.base = base,
                                                               .size = asked_.size,
                                                               .disp_unit = static_cast<int>(asked_.unit),
                                                               .flavor = flavor_,
                                                               .model = MPI_WIN_UNIFIED},
                                             std::move(held_));
        if (asked_.hints != nullptr) {
            made->hints.apply(*asked_.hints);
        }
        meet(*members_); // packets of those that have left this find the window at every member
        fail_together();
        race_watch::window_made(made->members);
        return made.release();
    }

  private:
    void fail_together() {
        const member *const end = table_.members + size();
        const member *const failed = std::find_if(static_cast<const member *>(table_.members), end,
                                                  [](const member &each) { return each.facts.failed; });
        if (failed == end) {
            return;
        }
        const auto rank = failed - table_.members;
        meet(*members_); // all have looked: the table may go
        fail(MPI_ERR_NO_MEM, "there is no room for the memory of a window at rank ", rank, " of ",
             asked_.parent.label());
    }
    /// Lets the members on other nodes copy to and from the caller's memory, if one network that can reaches
    /// them all: a key is that network's. (Ranks of other jobs are reached by another one.)
    void expose(const void *base, std::size_t bytes) {
        const fabric::routes &routes = members_->point_to_point.home->routes();
        fabric::remote_memory *common = nullptr;
        for (int rank = 0; rank < size() && bytes != 0; ++rank) {
            if (std::ranges::binary_search(near_.ranks, rank)) {
                continue;
            }
            fabric::remote_memory *const memory = routes.to(members_->local_group().member(rank)).memory;
            if (memory == nullptr || (common != nullptr && memory != common)) {
                return;
            }
            common = memory;
        }
        if (common != nullptr) {
            held_.exposed = exposed_memory{*common, base, bytes};
        }
    }
    /// Throws what can be said before others are involved.
    static const window_request &checked(const window_request &asked) {
        if (asked.hints != nullptr) {
            window_hints{}.apply(*asked.hints);
        }
        return asked;
    }
    [[nodiscard]] std::size_t table_bytes() const noexcept {
        return static_cast<std::size_t>(size()) * sizeof(member);
    }
    /// A number of the communicator's that is no message space and no key of collectives.
    [[nodiscard]] std::uint64_t block_key() const noexcept {
        constexpr std::uint64_t key_of_windows = 16;
        return members_->context() + key_of_windows;
    }

    void make_table() {
        const rank &self = this_rank();
        const locality &places = self.get_job().places();
        const int process = places.process_of(self.number());
        table_.process = places.process_index_on_node(process);
        table_.processes = near_.one_process ? 1 : places.processes_on(places.node_of_process(process));
        if (near_.one_process) {
            table_.process = 0;
        }
        table_.medium = near_.medium;
        table_notice notice;
        if (near_.leads()) {
            held_.table = window_memory::allocate(near_.one_process ? nullptr : near_.medium->heap(),
                                                  table_bytes(), cache_line);
            if (near_.one_process || held_.table.open()) {
                notice.address = reinterpret_cast<std::uint64_t>(held_.table.get());
            }
            if (near_.one_process && held_.table.get() != nullptr) {
                std::memset(held_.table.get(), 0, table_bytes());
            }
        }
        if (near_.ranks.size() > 1) {
            among_.broadcast(notice);
        }
        std::byte *const found = find_table(notice);
        if (found == nullptr) {
            fail(MPI_ERR_NO_MEM, "there is no room for the ", table_bytes(), " bytes with which the ", size(),
                 " members of a window synchronise");
        }
        table_.members = reinterpret_cast<member *>(found);
    }

    std::byte *find_table(const table_notice &notice) {
        if (near_.one_process) {
            return reinterpret_cast<std::byte *>(notice.address);
        }
        if (notice.address == 0) {
            held_.block = block_share{*near_.medium, block_key(), table_bytes() + cache_line,
                                      static_cast<int>(near_.ranks.size())};
            return held_.block.get();
        }
        if (near_.leads()) {
            return held_.table.get();
        }
        return near_.medium->reach(members_->local_group().member(near_.ranks.front()), notice.address,
                                   table_bytes());
    }

    /// The first members of the nodes tell each other what their neighbours have entered.
    void exchange_tables() {
        if (near_.ranks.size() == static_cast<std::size_t>(size())) {
            return;
        }
        meet_neighbours();
        struct row {
            int rank;
            member_facts facts;
        };
        // Who leads is told by all, since no rank knows the neighbours of another node.
        std::vector<unsigned char> leads(static_cast<std::size_t>(size()));
        leads[0] = near_.leads() ? 1 : 0;
        const int tag = members_->next_agreement_tag();
        const auto all = party{members_->channel(message_space::agreement), tag}.allgather(leads[0]);
        if (!near_.leads()) {
            return;
        }
        std::vector<int> leaders;
        for (int rank = 0; rank < size(); ++rank) {
            if (all[static_cast<std::size_t>(rank)] != 0) {
                leaders.push_back(rank);
            }
        }
        const auto self = std::ranges::find(leaders, members_->rank()) - leaders.begin();
        std::vector<row> rows;
        for (const int rank : near_.ranks) {
            rows.push_back({rank, at(rank).facts});
        }
        const party among{members_->channel(message_space::agreement), tag, leaders, static_cast<int>(self)};
        for (const row &told :
             among.allgather_lists(std::span<const row>{rows}, static_cast<std::size_t>(size()))) {
            if (told.rank < 0 || told.rank >= size()) {
                fail(MPI_ERR_OTHER, "a peer told of rank ", told.rank, " of a window that has ", size());
            }
            if (!std::ranges::binary_search(near_.ranks, told.rank)) {
                at(told.rank).facts = told.facts;
                at(told.rank).facts.process = -1;
            }
        }
    }

    const window_request &asked_;
    int flavor_;
    communicator_ref members_;
    neighbours near_;
    party among_;
    member_table table_;
    held_memory held_;
};

bool is_set(const info *hints, const char *key) {
    const auto value = hints != nullptr ? hints->get(key) : std::nullopt;
    return value == "true";
}

} // namespace

window *create_window(const window_request &asked, void *base) {
    construction making{asked, MPI_WIN_FLAVOR_CREATE};
    const auto bytes = static_cast<std::size_t>(asked.size);
    shared_heap *const heap =
        making.near().one_process || making.near().medium == nullptr ? nullptr : making.near().medium->heap();
    making.enter(base, bytes, heap != nullptr && heap->holds(base, bytes));
    return making.finish(base, {});
}

window *allocate_window(const window_request &asked) {
    const std::size_t alignment = memory_alignment(asked.hints);
    construction making{asked, MPI_WIN_FLAVOR_ALLOCATE};
    const auto bytes = static_cast<std::size_t>(asked.size);
    window_memory memory = window_memory::allocate(making.heap(), bytes, alignment);
    std::byte *const base = memory.get();
    if (base == nullptr) {
        making.enter_failure();
    } else {
        making.enter(base, bytes, memory.open());
    }
    return making.finish(base, std::move(memory));
}

window *allocate_shared_window(const window_request &asked) {
    const std::size_t alignment = memory_alignment(asked.hints);
    construction making{asked, MPI_WIN_FLAVOR_SHARED};
    if (making.near().ranks.size() != static_cast<std::size_t>(making.size())) {
        fail(MPI_ERR_RMA_SHARED, "only ", making.near().ranks.size(), " of the ", making.size(),
             " ranks share memory with this one: use the communicator that MPI_Comm_split_type makes with "
             "MPI_COMM_TYPE_SHARED");
    }
    making.enter(nullptr, static_cast<std::size_t>(asked.size), false);
    window_memory whole;
    // Parts that need not touch begin with a page each, so that no two ranks write to one line.
    std::byte *const base =
        making.share_memory(is_set(asked.hints, "alloc_shared_noncontig") ? page : 1, alignment, whole);
    return making.finish(base, std::move(whole));
}

window *create_dynamic_window(const window_request &asked) {
    construction making{asked, MPI_WIN_FLAVOR_DYNAMIC};
    window_memory memory;
    if (shared_heap *const heap = making.heap()) {
        memory = window_memory::allocate(heap, sizeof(attached_table), alignof(attached_table));
    }
    auto *const table = memory.open() ? new (memory.get()) attached_table : nullptr;
    making.enter(table, 0, false);
    window *const made = making.finish(MPI_BOTTOM, std::move(memory));
    if (table != nullptr) {
        made->members.attached.publish_in(*table);
    }
    return made;
}

void free_window(window *freed) {
    freed->access.check_over();
    {
        const std::scoped_lock guard{freed->exposure.mutex};
        if (freed->exposure.open) {
            fail(MPI_ERR_RMA_SYNC, "the window is freed although its memory is exposed by MPI_Win_post: call "
                                   "MPI_Win_wait first");
        }
    }
    freed->attributes.clear(freed->handle());
    race_watch::window_ends(freed->members);
    freed->messages.origin.end();
    meet(freed->comm());
    // Answers may be on their way to this rank's notice still.
    protocol::wait_until(freed->home(), [freed] { return freed->messages.target.idle(); });
    delete freed;
}

} // namespace lisle::rma
