// SPDX-License-Identifier: Apache-2.0
#include "rma/target.hpp"

#include "base/error.hpp"
#include "execution/rank.hpp"
#include "protocol/message/track.hpp"
#include "protocol/tracks.hpp"
#include "rma/messages/registry.hpp"
#include "rma/window.hpp"
#include "world/job.hpp"

namespace lisle::rma {

namespace {

[[noreturn, gnu::cold]] void out_of_range(const window &on, const target_data &target,
                                          const reach_of_data &reach) {
    const member_facts &facts = on.at(target.rank).facts;
    // Not the sum of all: it may be more than a number holds, which is how some come here.
    fail(MPI_ERR_RMA_RANGE, "the data at displacement ", target.disp, " (times ", facts.unit,
         " bytes) of target ", target.rank, " take bytes ", reach.first, " to ", reach.last,
         " from there, but its window has ", facts.size);
}

/// The target's own window if its rank is one of this process, else null.
const window *window_of_target(const window &on, int target) {
    const rank *const owner = this_rank().get_job().find(on.number_of(target));
    const std::uint64_t context = on.comm().context();
    const protocol::engine *const home =
        owner != nullptr ? owner->tracks().find(protocol::track_of(context)) : nullptr;
    return home != nullptr ? registry::find(*home, context) : nullptr;
}

/// Of a target on another node, and of one that has attached more than its table says, the memory is checked
/// there.
void check_attached(const window &on, const target_data &target) {
    const window *const owner = window_of_target(on, target.rank);
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    const bool attached = owner != nullptr
                              ? owner->attached.holds(static_cast<std::uint64_t>(target.disp + reach.first),
                                                      static_cast<std::size_t>(reach.last - reach.first))
                              : find_attached(on, target) != attached_table::answer::not_attached;
    if (!attached) {
        fail(MPI_ERR_RMA_RANGE, "target ", target.rank, " has not attached the ", reach.last - reach.first,
             " bytes at address ", target.disp + reach.first);
    }
}

} // namespace

attached_table::answer find_attached(const window &on, const target_data &target) noexcept {
    const member_facts &facts = on.at(target.rank).facts;
    if (facts.process < 0 || facts.base == 0) {
        return attached_table::answer::unknown;
    }
    const auto *const table = reinterpret_cast<const attached_table *>(
        on.table().medium->reach(facts.holder, facts.base, sizeof(attached_table)));
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    return table != nullptr ? table->find(static_cast<std::uint64_t>(target.disp + reach.first),
                                          static_cast<std::size_t>(reach.last - reach.first))
                            : attached_table::answer::unknown;
}

std::uint64_t address_of(window &on, const target_data &target) {
    const member_facts &facts = on.at(target.rank).facts;
    if (on.dynamic()) [[unlikely]] {
        check_attached(on, target);
        return static_cast<std::uint64_t>(target.disp);
    }
    if (target.disp < 0) [[unlikely]] {
        fail(MPI_ERR_DISP, "target_disp is ", target.disp, "; it must not be negative");
    }
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    MPI_Count offset = 0, end = 0;
    if (__builtin_mul_overflow(static_cast<MPI_Count>(target.disp), facts.unit, &offset) ||
        __builtin_add_overflow(offset, reach.last, &end) || offset + reach.first < 0 ||
        end > static_cast<MPI_Count>(facts.size)) [[unlikely]] {
        out_of_range(on, target, reach);
    }
    return facts.base + static_cast<std::uint64_t>(offset);
}

std::byte *direct_address(const window &on, const target_data &target, std::uint64_t address) noexcept {
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    std::byte *const first = on.reach(target.rank, address + static_cast<std::uint64_t>(reach.first),
                                      static_cast<std::size_t>(reach.last - reach.first));
    return first != nullptr ? first - reach.first : nullptr;
}

} // namespace lisle::rma
