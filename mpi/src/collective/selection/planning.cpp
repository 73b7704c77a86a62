// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/planning.hpp"

#include <cctype>
#include <cstdio>
#include <cstring>

namespace lisle::collective {

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

void describe_elements(schedule &plan, const typed_buffer &data) {
    call_signature what = plan.signature();
    if (const auto basic = uniform_basic_type(*data.type)) {
        what.elements = static_cast<std::uint64_t>(*basic);
    } else if (what.bytes == data.bytes()) {
        const type_signature all = repeated(data.type->signature(), data.count);
        what.elements = all.known() ? said_sum(all) : 0;
    }
    what.outline = outline_of(*data.type, data.count);
    what.sum = sum_of(what);
    plan.describe(what);
}

void check_or_write(schedule &plan, const collective_call &call, operation what, const sizes &asked,
                    const operands &data) {
    const row &use = select(call.comm, call.how, what, asked);
    if (use.how.at_once != nullptr && call.how == form::blocking && !by_messages_alone()) {
        plan.note_done();
        compare_calls(call.comm, plan.signature());
        use.how.do_at_once(call.comm, asked.bytes, data);
        return;
    }
    team ranks = own_group(call.comm);
    ranks.shared = may_use_area(call.how) ? collective_area::found(call.comm) : nullptr;
    use.how.write(plan, {ranks, &call.comm, may_use_area(call.how)}, data);
}

} // namespace lisle::collective
