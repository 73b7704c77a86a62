// SPDX-License-Identifier: Apache-2.0
// What all plans have in common: the empty schedule, the ranks that share something, the choice of the
// algorithm, and arrays of blocks.
#pragma once

#include <vector>

#include "collective/algorithms/hierarchy.hpp"
#include "collective/check.hpp"
#include "collective/node/immediate_steps.hpp"
#include "collective/node/pair.hpp"
#include "collective/process/in_process.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::collective {

/// All blocks of an array as one buffer.
[[nodiscard]] typed_buffer whole(const typed_buffer &block, int ranks) noexcept;
[[nodiscard]] typed_buffer block_of(const typed_buffer &block, int rank) noexcept;

/// Throws on inter-communicators.
void refuse_inter(const communicator &comm, const char *what);
/// True if the call may use the collective area: persistent ones may be started in different orders by
/// different ranks; and non-blocking ones that turn out not to fit together must leave nothing half done that
/// ranks share.
[[nodiscard]] inline bool may_use_area(const collective_call &call) noexcept {
    return call.how == form::blocking ? !by_messages_alone() : call.how == form::nonblocking && !comparing();
}
/// The calling rank's own group with what it shares. @pre select() has been asked, which looks for the area
[[nodiscard]] inline team team_of(const collective_call &call) {
    team found = own_group(call.comm);
    found.shared = may_use_area(call) ? collective_area::found(call.comm) : nullptr;
    return found;
}
/// What a reduction is called in signatures; of static duration, or as long as predefined operations live.
[[nodiscard]] const char *operation_in_words(const op &reduction) noexcept;
[[nodiscard]] call_signature signature_of(form how, const char *name, const char *operation,
                                          std::int64_t root, std::int64_t bytes);
/// Says in a signature what the call's data are.
void describe_elements(call_signature &what, const typed_buffer &data);
/// Says what the call is, for checks.
[[gnu::cold]] void describe_call(schedule &plan, const collective_call &call, const char *name,
                                 std::int64_t root, std::int64_t bytes, const op *reduction);
/// An empty schedule. @param root unsaid if the call has none
[[nodiscard]] inline schedule plan_of(const collective_call &call, const char *name, std::int64_t root,
                                      std::int64_t bytes, const op *reduction = nullptr) {
    schedule plan;
    if (comparing()) [[unlikely]] {
        describe_call(plan, call, name, root, bytes, reduction);
    }
    return plan;
}
/// Says of what type the call's data is, for checks.
[[gnu::cold]] void describe_elements(schedule &plan, const typed_buffer &data);
inline void say_elements(schedule &plan, const typed_buffer &data) {
    if (comparing() && data.type != nullptr) [[unlikely]] {
        describe_elements(plan, data);
    }
}

/// The same where ranks may have different numbers of elements: who has none may name any type.
inline void say_elements_if_any(schedule &plan, const typed_buffer &data) {
    if (comparing() && data.bytes() > 0) [[unlikely]] {
        describe_elements(plan, data);
    }
}

/// What a call asks of the selection, see situation.
struct sizes {
    MPI_Count bytes = 0, posted = 0, for_other = 0;
    const op *reduction = nullptr;      ///< null: the call moves data only
    const datatype *elements = nullptr; ///< of the reduction

    [[nodiscard]] bool predefined() const noexcept { return reduction == nullptr || reduction->predefined(); }
    [[nodiscard]] bool plain() const noexcept {
        return reduction == nullptr || (reduction->predefined() && elements->contiguous());
    }
};
/// What moves blocks of so many bytes. @param posted,for_other see situation
[[nodiscard]] inline sizes of_blocks(MPI_Count bytes, MPI_Count posted, MPI_Count for_other) noexcept {
    return {.bytes = bytes, .posted = posted, .for_other = for_other};
}
[[nodiscard]] inline sizes of_vector(const op &reduction, const typed_buffer &vector) noexcept {
    const MPI_Count bytes = vector.bytes();
    return {.bytes = bytes,
            .posted = bytes,
            .for_other = bytes,
            .reduction = &reduction,
            .elements = vector.type};
}

/// The algorithm for a call, from the whole table.
[[nodiscard]] algorithm select_from_table(const collective_call &call, operation what, const sizes &asked);
/// The algorithm for what some ranks of a communicator do among themselves, in messages or in their area.
[[nodiscard]] algorithm select_within(const team &ranks, operation what, const sizes &asked);

/// The algorithm for a call. Short calls of ranks that share memory, which are most, are decided by the
/// shortlist that the table begins with. Calls that need no plan have asked before (immediate_calls.hpp).
[[nodiscard, gnu::always_inline]] inline algorithm select(const collective_call &call, operation what,
                                                          const sizes &asked) {
    const communicator &comm = call.comm;
    if (comm.inter() || comm.size() == 1 || !may_use_area(call) || is_forced(what)) [[unlikely]] {
        return select_from_table(call, what, asked);
    }
    const shortlist &first = shortlist_of(what);
    const bool blocking = call.how == form::blocking;
    const bool turns = blocking && in_process_collective::of(comm) != nullptr;
    if (turns && asked.bytes <= first.in_process && asked.predefined()) {
        return algorithm::in_process;
    }
    if (collective_area *const area = collective_area::of(comm); area != nullptr) {
        if (blocking && !turns && comm.size() == 2 && asked.for_other <= first.pair && asked.plain() &&
            area->takes(asked.for_other)) {
            return algorithm::pair;
        }
        if (asked.bytes <= first.shared_memory && area->takes(asked.posted)) {
            return algorithm::shared_memory;
        }
        // Within a process that is all. Where ranks do not know each other's sizes, nothing of the rest
        // depends on them.
        if ((first.single_copy && area->memory_open()) || (first.single_copy_within && area->one_process())) {
            return algorithm::single_copy;
        }
    }
    return select_from_table(call, what, asked);
}

/// The two levels of a call, with the area of the calling rank's place where the call may use one.
/// @pre algorithm::two_level is chosen @param root_or_leader see two_levels
template <class... RootOrLeader>
[[nodiscard]] two_levels levels_of(const collective_call &call, RootOrLeader... root_or_leader) {
    hierarchy &levels = *hierarchy::of(call.comm);
    return {levels, own_group(call.comm), may_use_area(call) ? levels.area(call.comm) : nullptr,
            root_or_leader...};
}

/// From here on the call is done without a schedule.
inline void begin_at_once(schedule &plan, const collective_call &call) {
    plan.note_done();
    if (comparing()) [[unlikely]] {
        compare_calls(call.comm, plan.signature());
    }
}

/// Has an algorithm for the team's area write its steps, or take them at once if the call blocks.
/// @param algorithm is given the schedule, or what takes the steps
template <class Algorithm>
void use_area(schedule &plan, const collective_call &call, const team &team, Algorithm algorithm) {
    if (call.how != form::blocking) {
        algorithm(plan);
        return;
    }
    begin_at_once(plan, call);
    communicator::count_one(call.comm.collectives);
    immediate_steps steps{*team.shared};
    algorithm(steps);
    steps.end();
}

/// The only rank of a communicator copies what it gives (nothing, if that lies there) to where it gets it.
void use_copy(schedule &plan, const collective_call &call, const own_buffer &give, const typed_buffer &take);

/// Two ranks do at once what the result is told to do.
[[nodiscard]] inline pair use_pair(schedule &plan, const collective_call &call, operation what,
                                   MPI_Count bytes) {
    begin_at_once(plan, call);
    return {call.comm, what, bytes};
}

/// @param give,take,root see in_process_collective::exchange()
inline void use_in_process(schedule &plan, const collective_call &call, const block_view &give,
                           const block_view &take, int root) {
    begin_at_once(plan, call);
    exchange_in_process(call.comm, give, take, root);
}

} // namespace lisle::collective
