// SPDX-License-Identifier: Apache-2.0
#include "protocol/message/request.hpp"

#include "protocol/message/awaited.hpp"

namespace lisle::protocol {

outcome outcome::load(const MPI_Status &status) noexcept {
    return {.source = status.MPI_SOURCE,
            .tag = status.MPI_TAG,
            .error = status.MPI_ERROR,
            .cancelled = cancelled_in(status),
            .bytes = size_in(status)};
}

void request::describe(wait_note &note) const {
    note.add({0, -1, wait_note::nobody, 0, wait_note::sort::outside});
}

void awaited_request::describe(wait_note &note) const {
    one_.describe(note);
}

} // namespace lisle::protocol
