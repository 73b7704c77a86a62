// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule/planning.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "collective/algorithms/by_fabric.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/check.hpp"
#include "collective/schedule/launch.hpp"
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

const char *operation_in_words(const op &reduction) noexcept {
    return reduction.predefined()    ? reduction.name()
           : reduction.commutative() ? "a user's operation that commutes"
                                     : "a user's operation";
}

call_signature signature_of(form how, const char *name, const char *operation, std::int64_t root,
                            std::int64_t bytes) {
    call_signature what{.call = {}};
    // A non-blocking or persistent call does not match a blocking one [MPI-5.0 6.12].
    switch (how) {
    case form::blocking:
        std::strncpy(what.call, name, sizeof what.call - 1);
        break;
    case form::nonblocking:
        std::snprintf(what.call, sizeof what.call, "I%c%s", std::tolower(name[0]), name + 1);
        break;
    case form::persistent:
        std::snprintf(what.call, sizeof what.call, "%s_init", name);
        break;
    }
    if (operation != nullptr) {
        std::strncpy(what.operation, operation, sizeof what.operation - 1);
    }
    what.root = root;
    what.bytes = bytes;
    what.sum = sum_of(what);
    return what;
}

void describe_call(schedule &plan, const collective_call &call, const char *name, std::int64_t root,
                   std::int64_t bytes, const op *reduction) {
    const bool inter = call.comm.inter(); // where groups have different parts, and roots other names
    plan.describe(
        signature_of(call.how, name, reduction != nullptr ? operation_in_words(*reduction) : nullptr,
                     inter ? call_signature::unsaid : root, inter ? call_signature::unsaid : bytes));
}

void describe_elements(call_signature &what, const typed_buffer &data) {
    if (const auto basic = uniform_basic_type(*data.type)) {
        what.elements = static_cast<std::uint64_t>(*basic);
    } else if (what.bytes == data.bytes()) {
        const type_signature all = repeated(data.type->signature(), data.count);
        what.elements = all.known() ? said_sum(all) : 0;
    }
    what.outline = outline_of(*data.type, data.count);
    what.sum = sum_of(what);
}

void describe_elements(schedule &plan, const typed_buffer &data) {
    call_signature what = plan.signature();
    describe_elements(what, data);
    plan.describe(what);
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
    if (call.how == form::blocking && !by_messages_alone() && !comm.inter()) {
        given.message = comm.size() == 2 && asked.bytes <= most_in_message;
        given.in_process = in_process_collective::of(comm) != nullptr;
        given.pair = comm.size() == 2 && !given.in_process && area != nullptr && area->takes(asked.for_other);
    }
    if (const hierarchy *const levels = comm.inter() ? nullptr : hierarchy::of(comm);
        levels != nullptr && shortlist_of(what).two_level && value_of(setting::recovery) == 0) {
        given.several_places = true;
        given.places_in_order = levels->in_order();
    }
    if (const member_collectives *const own = collectives_of_fabric(comm); own != nullptr) {
        given.mesh = true;
        given.in_pairs = own->in_pairs();
    }
    return choose(given);
}

algorithm select_within(const team &ranks, operation what, const sizes &asked) {
    return choose(situation_of(what, asked, ranks.size, ranks.shared));
}

void use_copy(schedule &plan, const collective_call &call, const own_buffer &give, const typed_buffer &take) {
    if (call.how != form::blocking || by_messages_alone()) {
        if (give) {
            plan.copy(*give, take);
        }
        return;
    }
    refuse_revoked(call.comm);
    plan.note_done();
    communicator::count_one(call.comm.collectives);
    if (give && is_to_copy(*give, take)) {
        local_steps{nullptr}.take(copy_step{*give, take});
    }
}

} // namespace lisle::collective
