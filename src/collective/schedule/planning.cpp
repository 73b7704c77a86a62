// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule/planning.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/check.hpp"
#include "collective/schedule/local_steps.hpp"

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

call_signature signature_of(const collective_call &call, const char *name, std::int64_t root,
                            std::int64_t bytes, const op *reduction) {
    call_signature what;
    // A non-blocking or persistent call does not match a blocking one [MPI-5.0 6.12].
    switch (call.how) {
    case form::blocking:
        std::snprintf(what.call, sizeof what.call, "%s", name);
        break;
    case form::nonblocking:
        std::snprintf(what.call, sizeof what.call, "I%c%s", std::tolower(name[0]), name + 1);
        break;
    case form::persistent:
        std::snprintf(what.call, sizeof what.call, "%s_init", name);
        break;
    }
    if (reduction != nullptr) {
        std::snprintf(what.operation, sizeof what.operation, "%s",
                      reduction->predefined()    ? reduction->name()
                      : reduction->commutative() ? "a user's operation that commutes"
                                                 : "a user's operation");
    }
    if (!call.comm.inter()) { // where groups have different parts, and roots other names
        what.root = root;
        what.bytes = bytes;
    }
    return what;
}

namespace {

/// What the sizes and an area say.
situation situation_of(operation what, const sizes &asked, int ranks, collective_area *area) {
    situation given{.what = what,
                    .bytes = asked.bytes,
                    .posted = asked.posted,
                    .for_other = asked.for_other,
                    .ranks = ranks};
    if (asked.reduction != nullptr) {
        given.contiguous = asked.elements->contiguous();
        given.predefined = asked.reduction->predefined();
        given.commutative = asked.reduction->commutative();
    }
    if (area != nullptr) {
        given.shared_memory = area->takes(asked.posted);
        given.one_process = area->one_process();
        given.single_copy = given.one_process || (given.contiguous && area->memory_open());
    }
    return given;
}

} // namespace

algorithm select_from_table(const collective_call &call, operation what, const sizes &asked) {
    const communicator &comm = call.comm;
    collective_area *const area = may_use_area(call) && !comm.inter() ? collective_area::of(comm) : nullptr;
    situation given = situation_of(what, asked, comm.inter() ? comm.peer_count() : comm.size(), area);
    given.inter = comm.inter();
    if (call.how == form::blocking && !checking() && !comm.inter()) {
        given.message = comm.size() == 2 && asked.bytes <= most_in_message;
        given.in_process = in_process_collective::of(comm) != nullptr;
        given.pair = comm.size() == 2 && !given.in_process && area != nullptr && area->takes(asked.for_other);
    }
    if (const hierarchy *const levels = comm.inter() ? nullptr : hierarchy::of(comm);
        levels != nullptr && shortlist_of(what).two_level && value_of(setting::recovery) == 0) {
        given.several_places = true;
        given.places_in_order = levels->in_order();
    }
    return choose(given);
}

algorithm select_within(const team &ranks, operation what, const sizes &asked) {
    return choose(situation_of(what, asked, ranks.size, ranks.shared));
}

void use_copy(schedule &plan, const collective_call &call, const own_buffer &give, const typed_buffer &take) {
    if (call.how != form::blocking || checking()) {
        if (give) {
            plan.copy(*give, take);
        }
        return;
    }
    plan.note_done();
    communicator::count_one(call.comm.collectives);
    if (give && is_to_copy(*give, take)) {
        local_steps{nullptr}.take(copy_step{*give, take});
    }
}

} // namespace lisle::collective
