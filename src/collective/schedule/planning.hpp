// SPDX-License-Identifier: Apache-2.0
// What all plans have in common: the empty schedule, the ranks that share something, the choice of the
// algorithm, and arrays of blocks.
#pragma once

#include <vector>

#include "collective/node/at_once.hpp"
#include "collective/check.hpp"
#include "collective/process/meeting.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::collective {

/// All blocks of an array as one buffer.
[[nodiscard]] typed_buffer whole(const typed_buffer &block, int ranks) noexcept;
[[nodiscard]] typed_buffer block_of(const typed_buffer &block, int rank) noexcept;

/// Throws on inter-communicators.
void refuse_inter(const communicator &comm, const char *what);
/// The calling rank's own group with what it shares.
[[nodiscard]] inline team team_of(const occasion &on) {
    team found = own_group(on.comm);
    found.shared = on.how == form::persistent || checking() ? nullptr : board::of(on.comm);
    found.meets = on.how == form::blocking && !checking() && meeting::of(on.comm) != nullptr;
    return found;
}
/// The process of each rank, if they live in several, and several in some; otherwise nothing.
[[nodiscard]] std::vector<int> places_of(const team &team);
[[nodiscard]] call_signature signature_of(const occasion &on, const char *call, std::int64_t root,
                                          std::int64_t bytes, const op *reduction);
/// An empty schedule that says what it is for. @param root unsaid if the call has none
[[nodiscard]] inline schedule plan_of(const occasion &on, const char *call, std::int64_t root,
                                      std::int64_t bytes, const op *reduction = nullptr) {
    schedule plan;
    if (checking()) [[unlikely]] {
        plan.describe(signature_of(on, call, root, bytes, reduction));
    }
    return plan;
}

/// choose() with what the team and its board say.
[[nodiscard]] algorithm choose_among_all(const team &team, situation given);
/// The algorithm to use, for what moves data. @param bytes,posted see situation
[[nodiscard]] inline algorithm choose_for(const team &team, operation what, MPI_Count bytes,
                                          MPI_Count posted) {
    if (const first_choices *const first = usual(what); first != nullptr) [[likely]] {
        if (team.meets && bytes <= first->meeting) {
            return algorithm::meeting;
        }
        if (board *const shared = team.shared; shared != nullptr) {
            if (bytes <= first->board && shared->takes(posted)) {
                return algorithm::board;
            }
            // Where ranks do not know each other's sizes, nothing of the rest depends on them.
            if (first->direct && shared->memory_open()) {
                return algorithm::direct;
            }
        }
    }
    return choose_among_all(team, {.what = what, .bytes = bytes, .posted = posted, .meeting = team.meets});
}
/// The same for reductions, which have asked before whether they meet.
[[nodiscard]] inline algorithm choose_for(const team &team, operation what, const op &reduction,
                                          const typed_buffer &vector) {
    const MPI_Count bytes = vector.bytes();
    if (const first_choices *const first = usual(what);
        first != nullptr && team.shared != nullptr && bytes <= first->board && team.shared->takes(bytes)) {
        return algorithm::board;
    }
    return choose_among_all(team, {.what = what,
                                   .bytes = bytes,
                                   .posted = bytes,
                                   .plain = vector.type->contiguous(),
                                   .commutative = reduction.commutative()});
}

/// Has an algorithm for the team's board write its steps, or take them at once if the call blocks.
/// @param algorithm is given the schedule, or what takes the steps
template <class Algorithm>
void use_board(schedule &plan, const occasion &on, const team &team, Algorithm algorithm) {
    if (on.how != form::blocking) {
        algorithm(plan);
        return;
    }
    plan.note_done();
    communicator::count_one(on.comm.collectives);
    at_once steps{*team.shared};
    algorithm(steps);
    steps.end();
}

/// True for the only rank of a communicator, which has nobody to wait for.
[[nodiscard]] inline bool is_alone(const occasion &on) noexcept {
    return on.comm.size() == 1 && !on.comm.inter();
}
/// What that one does: it copies what it gives (nothing, if that lies there) to where it gets it.
void use_copy(schedule &plan, const occasion &on, const own_buffer &give, const typed_buffer &take);

/// The ranks meet. @param give,take,root see meeting::exchange
inline void use_meeting(schedule &plan, const occasion &on, const block_view &give, const block_view &take,
                        int root) {
    plan.note_done();
    meet(on.comm, give, take, root);
}

} // namespace lisle::collective
