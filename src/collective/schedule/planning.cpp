// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule/planning.hpp"

#include <algorithm>
#include <cstdio>

#include "collective/check.hpp"
#include "collective/schedule/local_steps.hpp"
#include "base/error.hpp"
#include "world/job.hpp"
#include "execution/rank.hpp"

namespace lisle::collective {

typed_buffer whole(const typed_buffer &block, int ranks) noexcept {
    typed_buffer all = block;
    all.count *= ranks;
    return all;
}

typed_buffer block_of(const typed_buffer &block, int rank) noexcept {
    return part(block, rank * block.count, block.count);
}

void refuse_inter(const communicator &comm, const char *what) {
    if (comm.inter()) {
        fail(MPI_ERR_COMM, what, " is not defined on inter-communicators");
    }
}

std::vector<int> places_of(const team &team) {
    const locality &places_of_job = this_rank().get_job().places();
    if (places_of_job.processes() == 1 || places_of_job.processes() == places_of_job.ranks()) {
        return {};
    }
    std::vector<int> places;
    for (int rank = 0; rank < team.size; ++rank) {
        places.push_back(places_of_job.process_of(team.channel->peers->member(rank)));
    }
    std::vector<int> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    const auto different = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    return different > 1 && different < team.size ? places : std::vector<int>{};
}

call_signature signature_of(const occasion &on, const char *call, std::int64_t root, std::int64_t bytes,
                            const op *reduction) {
    call_signature what;
    std::snprintf(what.call, sizeof what.call, "%s", call);
    if (reduction != nullptr) {
        std::snprintf(what.operation, sizeof what.operation, "%s",
                      reduction->predefined()    ? reduction->name()
                      : reduction->commutative() ? "a user's operation that commutes"
                                                 : "a user's operation");
    }
    if (!on.comm.inter()) { // where groups have different parts, and roots other names
        what.root = root;
        what.bytes = bytes;
    }
    return what;
}

algorithm choose_among_all(const team &team, situation given) {
    board *const shared = team.shared;
    given.ranks = team.size;
    given.board = shared != nullptr && shared->takes(given.posted);
    given.one_process = shared != nullptr && shared->one_process();
    given.direct = shared != nullptr && (given.one_process || (given.plain && shared->memory_open()));
    given.two_levels = has_two_levels(given.what) && !places_of(team).empty();
    return choose(given);
}

void use_copy(schedule &plan, const occasion &on, const own_buffer &give, const typed_buffer &take) {
    if (on.how != form::blocking || checking()) {
        if (give) {
            plan.copy(*give, take);
        }
        return;
    }
    plan.note_done();
    communicator::count_one(on.comm.collectives);
    if (give && is_to_copy(*give, take)) {
        local_steps{nullptr}.take(copy_step{*give, take});
    }
}

} // namespace lisle::collective
