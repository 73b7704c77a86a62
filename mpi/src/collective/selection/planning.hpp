// SPDX-License-Identifier: Apache-2.0
// What all plans have in common: what a call says of itself for checks, and its algorithm.
#pragma once

#include "collective/selection/check.hpp"
#include "collective/selection/comparison.hpp"
#include "collective/selection/plan.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::collective {

/// What a reduction is called in signatures; of static duration, or as long as predefined operations live.
[[nodiscard]] const char *operation_in_words(const op &reduction) noexcept;
/// Of a call without data and root.
[[nodiscard]] call_signature signature_of(form how, const char *name);
/// Says what the call is, for checks, and what the rank gives and takes, with its size if `bytes` are said.
/// @param given,taken null: nothing, or not known
[[gnu::cold]] void describe_call(schedule &plan, const collective_call &call, const char *name,
                                 std::int64_t root, std::int64_t bytes, const op *reduction = nullptr,
                                 const typed_buffer *given = nullptr, const typed_buffer *taken = nullptr);
/// An empty schedule. @param root unsaid if the call has none
[[nodiscard]] inline schedule plan_of(const collective_call &call, const char *name, std::int64_t root,
                                      std::int64_t bytes, const typed_buffer *given = nullptr,
                                      const typed_buffer *taken = nullptr) {
    schedule plan;
    if (comparing()) [[unlikely]] {
        describe_call(plan, call, name, root, bytes, nullptr, given, taken);
    }
    return plan;
}
/// Says what the rank gives and takes. @pre comparing()
[[gnu::cold]] void describe_claims(schedule &plan, const collective_call &call, const data_claim &given,
                                   const data_claim &taken);
/// The same of data, without their sizes. @param given,taken null: nothing
[[gnu::cold]] void describe_data(schedule &plan, const collective_call &call, const typed_buffer *given,
                                 const typed_buffer *taken);
/// Says what a rank has for itself if that is not what it takes from itself, for checks.
[[gnu::cold]] void describe_own_block(schedule &plan, const collective_call &call, const typed_buffer &given,
                                      const typed_buffer &taken);
/// Says what all ranks must list alike, for checks.
[[gnu::cold]] void describe_counts(schedule &plan, std::span<const MPI_Count> counts);

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
    check_or_write(plan, call, what, sizes{asked}, data); // as in choices::of()
}

} // namespace lisle::collective
