// SPDX-License-Identifier: Apache-2.0
#include "rma/state/target_address.hpp"

#include "base/error.hpp"
#include "execution/rank.hpp"
#include "protocol/message/track.hpp"
#include "protocol/tracks.hpp"
#include "world/job.hpp"

namespace lisle::rma {

namespace {

[[noreturn, gnu::cold]] void out_of_range(const window_members &members, const target_data &target,
                                          const reach_of_data &reach) {
    const member_facts &facts = members.at(target.rank).facts;
    // Without the sum of these numbers, which may overflow.
    fail(MPI_ERR_RMA_RANGE, "the data at displacement ", target.disp, " (times ", facts.unit,
         " bytes) of target ", target.rank, " take bytes ", reach.first, " to ", reach.last,
         " from there, but its window has ", facts.size);
}

/// The target's own view of the window if the target is in this process, else null.
const window_members *view_of_target(const window_members &members, int target) {
    const rank *const owner = this_rank().get_job().find(members.number_of(target));
    const std::uint64_t context = members.comm().context();
    const protocol::engine *const home =
        owner != nullptr ? owner->tracks().find(protocol::track_of(context)) : nullptr;
    return home != nullptr ? registered<window_members>::find(*home, context) : nullptr;
}

/// Throws if the target has not attached the memory. A target on another node, and one that has attached more
/// than its table holds, checks that itself.
void check_attached(const window_members &members, const target_data &target) {
    const window_members *const owner = view_of_target(members, target.rank);
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    const bool attached = owner != nullptr
                              ? owner->attached.holds(static_cast<std::uint64_t>(target.disp + reach.first),
                                                      static_cast<std::size_t>(reach.last - reach.first))
                              : find_attached(members, target) != attached_table::answer::not_attached;
    if (!attached) {
        fail(MPI_ERR_RMA_RANGE, "target ", target.rank, " has not attached the ", reach.last - reach.first,
             " bytes at address ", target.disp + reach.first);
    }
}

} // namespace

attached_table::answer find_attached(const window_members &members, const target_data &target) noexcept {
    const member_facts &facts = members.at(target.rank).facts;
    if (facts.process < 0 || facts.base == 0) {
        return attached_table::answer::unknown;
    }
    const auto *const table = reinterpret_cast<const attached_table *>(
        members.table().medium->reach(facts.holder, facts.base, sizeof(attached_table)));
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    return table != nullptr ? table->find(static_cast<std::uint64_t>(target.disp + reach.first),
                                          static_cast<std::size_t>(reach.last - reach.first))
                            : attached_table::answer::unknown;
}

std::uint64_t address_of(const window_members &members, const target_data &target) {
    const member_facts &facts = members.at(target.rank).facts;
    if (members.dynamic()) [[unlikely]] {
        check_attached(members, target);
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
        out_of_range(members, target, reach);
    }
    return facts.base + static_cast<std::uint64_t>(offset);
}

std::byte *direct_address(const window_members &members, const target_data &target,
                          std::uint64_t address) noexcept {
    const reach_of_data reach = reach_of_data::of(target.count, *target.type);
    std::byte *const first = members.reach(target.rank, address + static_cast<std::uint64_t>(reach.first),
                                           static_cast<std::size_t>(reach.last - reach.first));
    return first != nullptr ? first - reach.first : nullptr;
}

} // namespace lisle::rma
