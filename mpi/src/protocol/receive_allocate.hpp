// SPDX-License-Identifier: Apache-2.0
// Receives whose buffer is allocated once the message is matched, and its size known. A message that finds
// such a receive is captured as it is; then a thread of the receiving rank, without any lock, asks the user
// for the buffer and accepts the message into it.
#pragma once

#include "protocol/message/operation.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/progressed_request.hpp"

namespace lisle::protocol {

/// The user's functions and what they are called with.
struct allocation {
    MPIX_Allocate_function *allocate;
    void *state;
    /// If not null, it is shown the message's bytes: where they lie if this rank can read them there, so that
    /// nothing is copied, otherwise in the buffer that `allocate` gave.
    MPIX_Inspect_function *inspect = nullptr;
};

/// @param source a rank of the channel or MPI_ANY_SOURCE @param tag a tag or MPI_ANY_TAG
/// @return the error MPI_ERR_NO_MEM in it if the function gave no buffer
outcome receive_allocate(const allocation &how, const datatype &type, const channel &channel, int source,
                         int tag);
/// The non-blocking form; the caller owns the request.
[[nodiscard]] request *start_receive_allocate(const allocation &how, const datatype &type,
                                              const channel &channel, int source, int tag);
/// Receives what a matched probe has taken; null: from MPI_PROC_NULL.
outcome receive_allocate(const allocation &how, const datatype &type, unexpected_message *taken);

} // namespace lisle::protocol
