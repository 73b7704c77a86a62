// SPDX-License-Identifier: Apache-2.0
#include "collective/planning.hpp"

#include <algorithm>
#include <cstdio>

#include "collective/check.hpp"
#include "runtime/error.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"

namespace lisle::collective {

typed_buffer whole(const typed_buffer &block, int ranks) noexcept {
    typed_buffer all = block;
    all.count *= ranks;
    return all;
}

typed_buffer block_of(const typed_buffer &block, int rank) noexcept {
    return part(block, rank * block.count, block.count);
}

const typed_buffer &block_of(std::span<const typed_buffer> blocks, int rank) noexcept {
    return blocks[static_cast<std::size_t>(rank)];
}

void refuse_inter(const communicator &comm, const char *what) {
    if (comm.inter()) {
        fail(MPI_ERR_COMM, what, " is not defined on inter-communicators");
    }
}

team team_of(const occasion &on) {
    team found = own_group(on.comm);
    found.shared = on.how == form::persistent || checking() ? nullptr : board::of(on.comm);
    return found;
}

std::vector<int> places_of(const team &team) {
    job &job = this_rank().get_job();
    const job_segment &segment = job.segment();
    if (segment.processes() == 1 || segment.processes() == segment.ranks()) {
        return {};
    }
    std::vector<int> places;
    for (int rank = 0; rank < team.size; ++rank) {
        places.push_back(segment.process_of(team.channel->peers->member(rank)));
    }
    std::vector<int> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    const auto different = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    return different > 1 && different < team.size ? places : std::vector<int>{};
}

schedule plan_of(const occasion &on, const char *call, std::int64_t root, std::int64_t bytes,
                 const op *reduction) {
    schedule plan;
    if (checking()) [[unlikely]] {
        call_signature what;
        std::snprintf(what.call, sizeof what.call, "%s", call);
        if (reduction != nullptr) {
            std::snprintf(what.operation, sizeof what.operation, "%s",
                          reduction->predefined() ? reduction->name() : "a user's operation");
        }
        if (!on.comm.inter()) { // where groups have different parts, and roots other names
            what.root = root;
            what.bytes = bytes;
        }
        plan.describe(what);
    }
    return plan;
}

algorithm choose_for(schedule &plan, const occasion &on, const team &team, situation given) {
    board *const shared = team.shared;
    given.ranks = team.size;
    given.board = shared != nullptr && shared->takes(given.posted);
    given.one_process = shared != nullptr && shared->one_process();
    given.direct = shared != nullptr && (given.one_process || (given.plain && shared->memory_open()));
    given.two_levels = !places_of(team).empty();
    const algorithm chosen = choose(given);
    if (on.how == form::blocking && (chosen == algorithm::board || chosen == algorithm::direct)) {
        plan.take_at_once(*shared);
    }
    return chosen;
}

algorithm choose_for(schedule &plan, const occasion &on, const team &team, operation what, MPI_Count bytes,
                     MPI_Count posted) {
    return choose_for(plan, on, team, {.what = what, .bytes = bytes, .posted = posted});
}

algorithm choose_for(schedule &plan, const occasion &on, const team &team, operation what,
                     const op &reduction, const typed_buffer &vector) {
    return choose_for(plan, on, team,
                      {.what = what,
                       .bytes = vector.bytes(),
                       .posted = vector.bytes(),
                       .plain = vector.type->contiguous(),
                       .commutative = reduction.commutative()});
}

block_list equal_blocks(const typed_buffer &block, int ranks) {
    block_list blocks;
    for (int rank = 0; rank < ranks; ++rank) {
        blocks.push_back(block_of(block, rank));
    }
    return blocks;
}

} // namespace lisle::collective
