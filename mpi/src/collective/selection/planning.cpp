// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/planning.hpp"

#include "collective/selection/one_caller.hpp"
#include "protocol/once_there_is_memory.hpp"

#include <cctype>
#include <cstdio>
#include <cstring>

namespace lisle::collective {

const char *operation_in_words(const op &reduction) noexcept {
    return reduction.predefined()    ? reduction.name()
           : reduction.commutative() ? "a user's operation that commutes"
                                     : "a user's operation";
}

namespace {

/// But for the sum, and for what the rank gives and takes.
call_signature named(form how, const char *name, const char *operation, std::int64_t root) {
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
    return what;
}

/// @param sized whether its bytes are said
data_claim claim_of_any(const typed_buffer *data, bool sized) {
    return data != nullptr && data->type != nullptr
               ? claim_of(*data, sized ? data->bytes() : data_claim::unsaid)
               : data_claim{};
}

} // namespace

call_signature signature_of(form how, const char *name) {
    call_signature what = named(how, name, nullptr, call_signature::unsaid);
    what.sum = sum_of(what);
    return what;
}

void describe_call(schedule &plan, const collective_call &call, const char *name, std::int64_t root,
                   std::int64_t bytes, const op *reduction, const typed_buffer *given,
                   const typed_buffer *taken) {
    const bool inter = call.comm.inter(); // where groups have different parts
    call_signature what =
        named(call.how, name, reduction != nullptr ? operation_in_words(*reduction) : nullptr, root);
    const bool sized = bytes >= 0 && !inter;
    if (given != nullptr) {
        what.given = claim_of_any(given, sized);
    } else if (sized && taken == nullptr) {
        what.given.bytes = bytes;
    }
    if (taken != nullptr && !inter) { // else it comes from the other group
        what.taken = claim_of_any(taken, sized);
    }
    what.sum = taken == nullptr || fit_together(what.given, what.taken) ? sum_of(what) : 0;
    plan.describe(what);
}

void describe_claims(schedule &plan, const collective_call &call, const data_claim &given,
                     const data_claim &taken) {
    call_signature what = plan.signature();
    what.given = given;
    if (!call.comm.inter()) { // else it comes from the other group
        what.taken = taken;
    }
    what.sum = fit_together(what.given, what.taken) ? sum_of(what) : 0;
    plan.describe(what);
}

void describe_data(schedule &plan, const collective_call &call, const typed_buffer *given,
                   const typed_buffer *taken) {
    describe_claims(plan, call, claim_of_any(given, false), claim_of_any(taken, false));
}

void describe_own_block(schedule &plan, const collective_call &call, const typed_buffer &given,
                        const typed_buffer &taken) {
    if (call.comm.inter()) {
        return; // no rank has anything for itself
    }
    const data_claim mine = claim_of(given, given.bytes());
    const data_claim wanted = claim_of(taken, taken.bytes());
    if (!fit_together(mine, wanted)) {
        call_signature what = plan.signature();
        what.given = mine;
        what.taken = wanted;
        what.sum = 0;
        plan.describe(what);
    }
}

void describe_counts(schedule &plan, std::span<const MPI_Count> counts) {
    call_signature what = plan.signature();
    for (const MPI_Count count : counts) {
        what.counts = (what.counts + static_cast<std::uint64_t>(count) + 1) * 0x9e3779b97f4a7c15;
    }
    what.sum = what.sum != 0 ? sum_of(what) : 0;
    plan.describe(what);
}

void check_or_write(schedule &plan, const collective_call &call, operation what, const sizes &asked,
                    const operands &data) {
    const row &use = select(call.comm, call.how, what, asked);
    if (use.how.at_once != nullptr && call.how == form::blocking && !by_messages(what)) {
        plan.note_done();
        const call_signature said = plan.signature();
        const one_caller alone{call.comm, said.call};
        compare_calls(call.comm, said);
        protocol::once_there_is_memory(*call.comm.collective.home,
                                       [&] { use.how.do_at_once(call.comm, asked.bytes, data); });
        return;
    }
    team ranks = own_group(call.comm);
    ranks.shared = may_use_area(call.how, what) ? collective_area::found(call.comm) : nullptr;
    use.how.write(plan, {ranks, &call.comm, may_use_area(call.how, what)}, data);
}

} // namespace lisle::collective
