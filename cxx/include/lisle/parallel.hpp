// SPDX-License-Identifier: Apache-2.0
// Work that waiting ranks help with: lisle::parallel_for cuts a range into chunks, and ranks of the same
// process that wait in any MPI call run some of them. With another MPI library the caller does all of it.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <type_traits>

#include "lisle/detail/config.hpp"

namespace lisle {

/// Calls `function(i)` for each i in [0, count), in chunks of `grain`, and returns when all have been called.
/// They run on several threads at once, in no order; the function must not call MPI nor throw.
template <std::invocable<MPI_Count> Function>
void parallel_for(MPI_Count count, MPI_Count grain, Function &&function) {
    struct task {
        std::remove_reference_t<Function> &function;
        MPI_Count count;
        MPI_Count grain;
        void operator()(MPI_Count chunk) noexcept {
            const MPI_Count end = std::min(count, (chunk + 1) * grain);
            for (MPI_Count i = chunk * grain; i < end; ++i) {
                function(i);
            }
        }
    };
    task whole{function, count, std::max<MPI_Count>(grain, 1)};
    const MPI_Count chunks = (count + whole.grain - 1) / whole.grain;
#if LISLE_USE_EXTENSIONS
    MPIX_Parallel(
        chunks, +[](void *opaque, MPI_Count chunk) { (*static_cast<task *>(opaque))(chunk); }, &whole);
#else
    for (MPI_Count chunk = 0; chunk < chunks; ++chunk) {
        whole(chunk);
    }
#endif
}

} // namespace lisle
