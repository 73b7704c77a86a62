// SPDX-License-Identifier: Apache-2.0
#include "collective/at_once.hpp"

#include "collective/shown.hpp"
#include "runtime/error.hpp"

namespace lisle::collective {

void at_once::reduce_shown(const op &operation, result_place place, int member, MPI_Count first,
                           const typed_buffer &to) {
    const MPI_Count elements = shown_elements(where_, to.count, *to.type);
    local_.take(
        reduce_shown_step{&operation, to, temporary(elements, *to.type).address, first, member, place});
}

void at_once::complain() const {
    fail(local_.error(), local_.describe());
}

} // namespace lisle::collective
