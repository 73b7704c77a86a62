// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/strict_types.hpp"

#include "protocol/checking/type_notes.hpp"

namespace lisle::protocol {

void refuse_strict(rank &receiver, receive_operation &receive, basic_type sent) {
    if (receive.result.bytes != 0 && receive.result.error == MPI_SUCCESS) {
        rank_type_notes.of(receiver).refuse(receive, sent, nullptr);
    }
}

} // namespace lisle::protocol
