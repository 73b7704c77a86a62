// SPDX-License-Identifier: Apache-2.0
// Which blocking calls need no plan, since planning would be most of their time: barriers and reductions of
// ranks that take turns in one process, and short reductions of two ranks. The table of the selection decides
// here as everywhere.
#pragma once

#include "collective/node/collective_area.hpp"
#include "collective/process/in_process.hpp"
#include "collective/schedule/planning.hpp"

namespace lisle::collective {

/// Where a blocking reduction runs if it runs as an in-process collective; else null.
/// @param bytes of the vector
[[nodiscard, gnu::always_inline]] inline in_process_collective *
in_process_for(communicator &comm, operation what, const op &reduction, MPI_Count bytes,
               const datatype &type) {
    in_process_collective *const shared = in_process_collective::of(comm);
    if (shared == nullptr || by_messages_alone() || !reduction.predefined()) {
        return nullptr;
    }
    if (is_forced(what)) [[unlikely]] {
        const sizes asked{
            .bytes = bytes, .posted = bytes, .for_other = bytes, .reduction = &reduction, .elements = &type};
        return select_from_table({comm, form::blocking}, what, asked) == algorithm::in_process ? shared
                                                                                               : nullptr;
    }
    return bytes <= shortlist_of(what).in_process ? shared : nullptr;
}

/// The same for a blocking barrier.
[[nodiscard]] inline in_process_collective *in_process_for_barrier(communicator &comm) {
    constexpr operation what = operation::barrier;
    in_process_collective *const shared = in_process_collective::of(comm);
    const bool chosen =
        shared != nullptr && !comparing() &&
        (is_forced(what) ? select_from_table({comm, form::blocking}, what, {}) == algorithm::in_process
                         : shortlist_of(what).in_process >= 0);
    return chosen ? shared : nullptr;
}

/// How two ranks reduce without a plan: as a scan of one or two messages, as a pair, or not at all.
enum class between_two : unsigned char { planned, message, pair };

/// @pre comm.size() == 2
[[nodiscard, gnu::always_inline]] inline between_two
select_between_two(communicator &comm, operation what, const op &reduction, const typed_buffer &vector) {
    if (comm.inter() || by_messages_alone() || !reduction.predefined() || !vector.type->contiguous())
        [[unlikely]] {
        return between_two::planned;
    }
    if (is_forced(what)) [[unlikely]] {
        const algorithm forced =
            select_from_table({comm, form::blocking}, what, of_vector(reduction, vector));
        return forced == algorithm::message ? between_two::message
               : forced == algorithm::pair  ? between_two::pair
                                            : between_two::planned;
    }
    const MPI_Count bytes = vector.bytes();
    const shortlist &first = shortlist_of(what);
    if (first.message && bytes <= most_in_message) {
        return between_two::message;
    }
    if (bytes > first.pair || in_process_collective::of(comm) != nullptr) {
        return between_two::planned;
    }
    collective_area *const area = collective_area::of(comm);
    return area != nullptr && area->takes(bytes) ? between_two::pair : between_two::planned;
}

} // namespace lisle::collective
