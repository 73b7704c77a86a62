// SPDX-License-Identifier: Apache-2.0
// What all plans have in common: what a call says of itself for checks, and its algorithm.
#pragma once

#include "collective/selection/check.hpp"
#include "collective/selection/plan.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::collective {

/// What a reduction is called in signatures; of static duration, or as long as predefined operations live.
[[nodiscard]] const char *operation_in_words(const op &reduction) noexcept;
[[nodiscard]] call_signature signature_of(form how, const char *name, const char *operation,
                                          std::int64_t root, std::int64_t bytes);
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

/// What carry_out() does of calls that are not done at once, or are checked.
[[gnu::noinline]] void check_or_write(schedule &plan, const collective_call &call, operation what,
                                      const sizes &asked, const operands &data);

/// Selects the algorithm, and has it write the schedule, or do all at once if the call blocks and it can.
[[gnu::always_inline]] inline void carry_out(schedule &plan, const collective_call &call, operation what,
                                             const sizes &asked, const operands &data) {
    if (call.how == form::blocking && try_at_once(call.comm, what, asked, data)) [[likely]] {
        plan.note_done();
        return;
    }
    check_or_write(plan, call, what, asked, data);
}

} // namespace lisle::collective
