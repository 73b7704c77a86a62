// SPDX-License-Identifier: Apache-2.0
// The commonest calls as they mostly are: a short message, and nothing in its way. Each takes the arguments
// of its entry point as the user gave them and finds out itself whether they are right, mostly by what it has
// to ask anyway. False: nothing has happened; the entry point checks its arguments one by one and goes the
// general way, or says what is wrong.
#pragma once

#include "abi/check.hpp"
#include "protocol/eager/short_message.hpp"

namespace lisle::api {

[[nodiscard]] inline bool try_send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                   MPI_Comm comm) noexcept;
[[nodiscard]] inline bool try_recv(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                                   MPI_Comm comm, MPI_Status *status) noexcept;

[[gnu::always_inline]] inline bool try_send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                            int tag, MPI_Comm comm) noexcept {
    const communicator *const target = abi::communicator_in_use(comm);
    const lisle::datatype *const type = find_datatype(datatype);
    // A negative count is no short message.
    return target != nullptr && abi::is_peer(*target, dest) && tag >= 0 && (buf != nullptr || count == 0) &&
           type != nullptr &&
           protocol::try_send_short({buf, count, *type}, target->point_to_point, dest, tag);
}

[[gnu::always_inline]] inline bool try_recv(void *buf, MPI_Count count, MPI_Datatype datatype, int source,
                                            int tag, MPI_Comm comm, MPI_Status *status) noexcept {
    const communicator *const target = abi::communicator_in_use(comm);
    const lisle::datatype *const type = find_datatype(datatype);
    return target != nullptr && (abi::is_peer(*target, source) || source == MPI_ANY_SOURCE) &&
           (tag >= 0 || tag == MPI_ANY_TAG) && (buf != nullptr || count == 0) && count >= 0 &&
           type != nullptr &&
           target->point_to_point.home->try_receive_short({buf, count, *type},
                                                          {target->point_to_point.context, source, tag},
                                                          *target->point_to_point.peers, status);
}

} // namespace lisle::api
