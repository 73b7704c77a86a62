// SPDX-License-Identifier: Apache-2.0
#include "rma/creation.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "base/thread_sanitizer.hpp"
#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/memory_alignment.hpp"
#include "communicator/shared_attempt.hpp"
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

[[noreturn]] void fail_for_room(std::size_t bytes) {
    fail(MPI_ERR_NO_MEM, "there is no room for the ", bytes, " bytes of a window");
}

std::size_t rounded(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

/// A window under construction. It is made at all members or at none: what one of them has to do for it is an
/// attempt, and all say now and then how their attempts went.
class construction {
  public:
    construction(const window_request &asked, int flavor)
        : asked_{asked}, flavor_{flavor}, members_{make_private_copy(asked.parent)} {
        make_table();
    }

    /// Does a part of the caller's. @param part throws if it cannot
    template <class Part> void attempt(Part part) { own_.attempt(part); }

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
        order_by_peers();
        shared_result nothing;
        among_->agree(nothing);
        order_by_peers();
    }
    /// As note_order_by_peers(), among the members of the node.
    void order_by_peers() {
        note_acquire_by_peer([this]() -> void * {
            if (near_.one_process) {
                return nullptr;
            }
            note_release_by_peer(table_.members);
            return table_.members;
        });
    }

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
            attempt([&] {
                whole = window_memory::allocate(near_.one_process ? nullptr : near_.medium->heap(), bytes,
                                                alignment);
            });
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
            order_by_peers();
            among_->broadcast(address);
            order_by_peers();
        }
        std::byte *found = nullptr;
        attempt([&] {
            found = near_.one_process || near_.leads() || address == 0
                        ? reinterpret_cast<std::byte *>(address)
                        : near_.medium->reach(own().facts.holder, address, bytes);
            if (found == nullptr) {
                fail_for_room(bytes);
            }
        });
        return found != nullptr ? found + (own().facts.base - address) : nullptr;
    }

    /// Completes the tables and makes the window. Throws at all members if an attempt has failed at one.
    /// @param base where the caller finds its own memory
    [[nodiscard]] window *finish(void *base, window_memory memory) {
        exchange_tables();
        std::unique_ptr<window> made;
        attempt([&] {
            held_.own = std::move(memory);
            made = std::make_unique<window>(members_, table_,
                                            window_attributes{.base = base,
                                                              .size = asked_.size,
                                                              .disp_unit = static_cast<int>(asked_.unit),
                                                              .flavor = flavor_,
                                                              .model = MPI_WIN_UNIFIED},
                                            std::move(held_));
            if (asked_.hints != nullptr) {
                made->hints.apply(*asked_.hints);
            }
        });
        note_release_by_peer(table_.members); // what members of this process have entered there
        settle(); // packets of those that have left this find the window at every member
        note_acquire_by_peer([this] { return table_.members; });
        race_watch::window_made(made->members);
        return made.release();
    }

  private:
    /// Returns when all members have come. Throws at all of them if an attempt has failed at one.
    void settle() { own_.settle(*members_, members_->next_agreement_tag()); }

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
    [[nodiscard]] std::size_t table_bytes() const noexcept {
        return static_cast<std::size_t>(size()) * sizeof(member);
    }
    /// A number of the communicator's that is no message space and no key of collectives.
    [[nodiscard]] std::uint64_t block_key() const noexcept {
        constexpr std::uint64_t key_of_windows = 16;
        return members_->context() + key_of_windows;
    }

    void make_table() {
        table_notice notice;
        const int tag = members_->next_agreement_tag(); // whatever fails
        attempt([&] {
            if (asked_.hints != nullptr) {
                window_hints{}.apply(*asked_.hints); // throws what is wrong with them
            }
            near_ = find_neighbours(*members_);
            among_.emplace(members_->channel(message_space::agreement), tag, near_.ranks, near_.self);
            describe_table();
            if (near_.leads()) {
                notice = allocate_table();
            }
        });
        settle(); // the members of a node count on each other from here on
        if (near_.ranks.size() > 1) {
            among_->broadcast(notice);
        }
        attempt([&] {
            std::byte *const found = find_table(notice);
            if (found == nullptr) {
                fail(MPI_ERR_NO_MEM, "there is no room for the ", table_bytes(), " bytes with which the ",
                     size(), " members of a window synchronise");
            }
            table_.members = reinterpret_cast<member *>(found);
        });
        settle(); // all write to their tables
    }

    void describe_table() {
        const rank &self = this_rank();
        const locality &places = self.get_job().places();
        const int process = places.process_of(self.number());
        table_.process = near_.one_process ? 0 : places.process_index_on_node(process);
        table_.processes = near_.one_process ? 1 : places.processes_on(places.node_of_process(process));
        table_.medium = near_.medium;
    }

    table_notice allocate_table() {
        held_.table = window_memory::allocate(near_.one_process ? nullptr : near_.medium->heap(),
                                              table_bytes(), cache_line);
        if (near_.one_process && held_.table.get() != nullptr) {
            std::memset(held_.table.get(), 0, table_bytes());
        }
        return {near_.one_process || held_.table.open() ? reinterpret_cast<std::uint64_t>(held_.table.get())
                                                        : 0};
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

    struct row {
        int rank;
        member_facts facts;
    };

    /// The first members of the nodes tell each other what their neighbours have entered.
    void exchange_tables() {
        if (near_.ranks.size() == static_cast<std::size_t>(size())) {
            return;
        }
        meet_neighbours();
        // Who leads is told by all, since no rank knows the neighbours of another node.
        const int tag = members_->next_agreement_tag();
        shared_attempt told;
        std::vector<int> lead;
        told.attempt([&] {
            lead = party{members_->channel(message_space::agreement), tag}.allgather(near_.leads() ? 1 : 0);
        });
        std::vector<int> leaders;
        std::vector<row> rows;
        attempt([&] {
            told.check();
            for (int rank = 0; rank < size(); ++rank) {
                if (lead[static_cast<std::size_t>(rank)] != 0) {
                    leaders.push_back(rank);
                }
            }
            for (const int rank : near_.ranks) {
                rows.push_back({rank, at(rank).facts});
            }
        });
        settle(); // the leaders count on each other
        if (near_.leads()) {
            const auto self = std::ranges::find(leaders, members_->rank()) - leaders.begin();
            const party among{members_->channel(message_space::agreement), tag, std::move(leaders),
                              static_cast<int>(self)};
            attempt([&] {
                take_rows(
                    among.allgather_lists(std::span<const row>{rows}, static_cast<std::size_t>(size())));
            });
        }
    }

    void take_rows(const std::vector<row> &told) {
        for (const row &each : told) {
            if (each.rank < 0 || each.rank >= size()) {
                fail(MPI_ERR_OTHER, "a peer told of rank ", each.rank, " of a window that has ", size());
            }
            if (!std::ranges::binary_search(near_.ranks, each.rank)) {
                at(each.rank).facts = each.facts;
                at(each.rank).facts.process = -1;
            }
        }
    }

    const window_request &asked_;
    int flavor_;
    communicator_ref members_;
    neighbours near_;
    std::optional<party> among_; ///< the members of the node
    shared_attempt own_;
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
    making.attempt([&] {
        if (base == nullptr && asked.size > 0 && checks(check_level::cheap)) {
            fail(MPI_ERR_BASE, "base is a null pointer, but size is ", asked.size);
        }
    });
    const auto bytes = static_cast<std::size_t>(asked.size);
    shared_heap *const heap =
        making.near().one_process || making.near().medium == nullptr ? nullptr : making.near().medium->heap();
    making.attempt([&] { making.enter(base, bytes, heap != nullptr && heap->holds(base, bytes)); });
    return making.finish(base, {});
}

window *allocate_window(const window_request &asked) {
    construction making{asked, MPI_WIN_FLAVOR_ALLOCATE};
    const auto bytes = static_cast<std::size_t>(asked.size);
    window_memory memory;
    making.attempt([&] {
        memory = window_memory::allocate(making.heap(), bytes, memory_alignment(asked.hints));
        if (memory.get() == nullptr) {
            fail_for_room(bytes);
        }
        making.enter(memory.get(), bytes, memory.open());
    });
    std::byte *const base = memory.get();
    return making.finish(base, std::move(memory));
}

window *allocate_shared_window(const window_request &asked) {
    construction making{asked, MPI_WIN_FLAVOR_SHARED};
    std::size_t alignment = 0;
    making.attempt([&] { alignment = memory_alignment(asked.hints); });
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
        making.attempt(
            [&] { memory = window_memory::allocate(heap, sizeof(attached_table), alignof(attached_table)); });
    }
    auto *const table = memory.open() ? new (memory.get()) attached_table : nullptr;
    making.attempt([&] { making.enter(table, 0, false); });
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
    // Not a barrier's schedule, which needs memory.
    shared_attempt{}.settle(freed->comm(), freed->comm().next_agreement_tag());
    // Answers may be on their way to this rank's notice still.
    protocol::wait_until(freed->home(), [freed] { return freed->messages.target.idle(); });
    delete freed;
}

} // namespace lisle::rma
