// SPDX-License-Identifier: Apache-2.0
// The commonest calls as they mostly are: a short message, and nothing in its way. Each takes the arguments
// of its entry point as the user gave them and finds out itself whether they are right, mostly by what it has
// to ask anyway. False: nothing has happened; the entry point checks its arguments one by one and goes the
// general way, or says what is wrong.
#pragma once

#include <type_traits>

#include "abi/check.hpp"
#include "base/open_handles.hpp"
#include "protocol/short_path.hpp"

namespace lisle::abi {

/// @param target null: the rank may not use the communicator
[[gnu::always_inline]] inline bool send_at_once(const void *buf, MPI_Count count, MPI_Datatype datatype,
                                                int dest, int tag, const communicator *target) noexcept {
    const lisle::datatype *const type = find_datatype(datatype);
    // A negative count is no short message.
    return target != nullptr && is_peer(*target, dest) && tag >= 0 && (buf != nullptr || count == 0) &&
           type != nullptr &&
           protocol::try_send_short({buf, count, *type}, target->point_to_point, dest, tag);
}

} // namespace lisle::abi

namespace lisle::api {

[[nodiscard]] inline bool try_send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                   MPI_Comm comm) noexcept;
[[nodiscard]] inline bool try_recv(void *buf, auto count, MPI_Datatype datatype, int source, int tag,
                                   MPI_Comm comm, MPI_Status *status) noexcept;
[[nodiscard]] inline bool try_plain_isend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                          int tag, MPI_Comm comm, MPI_Request *request) noexcept;

[[gnu::always_inline]] inline bool try_send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                            int tag, MPI_Comm comm) noexcept {
    return abi::send_at_once(buf, count, datatype, dest, tag, abi::communicator_in_use(comm));
}

[[gnu::always_inline]] inline bool try_plain_isend(const void *buf, MPI_Count count, MPI_Datatype datatype,
                                                   int dest, int tag, MPI_Comm comm,
                                                   MPI_Request *request) noexcept {
    const communicator *const target = abi::communicator_in_use(comm);
    if (request == nullptr || !abi::send_at_once(buf, count, datatype, dest, tag, target)) {
        return false;
    }
    *request = handle_of<MPI_Request>(*target->point_to_point.home->completed_send());
    // With LISLE_CHECK=2, which lists requests one by one, no message takes this way.
    if (rank &self = known_rank(); self.open != nullptr) [[unlikely]] {
        self.open->count_requests(1, self.calls_alone());
    }
    return true;
}

// No message fits a negative count. The C++ interface, whose types are strict, calls the form for large
// counts.
[[gnu::always_inline]] inline bool try_recv(void *buf, auto count, MPI_Datatype datatype, int source, int tag,
                                            MPI_Comm comm, MPI_Status *status) noexcept {
    const communicator *const target = abi::communicator_in_use(comm);
    const lisle::datatype *const type = find_datatype(datatype);
    constexpr auto with =
        std::is_same_v<decltype(count), int> ? protocol::comparison::none : protocol::comparison::strict;
    return target != nullptr && (abi::is_peer(*target, source) || source == MPI_ANY_SOURCE) &&
           (tag >= 0 || tag == MPI_ANY_TAG) && (buf != nullptr || count == 0) && type != nullptr &&
           target->point_to_point.home->try_receive_short<with>({buf, count, *type},
                                                                {target->point_to_point.context, source, tag},
                                                                *target->point_to_point.peers, status);
}

} // namespace lisle::api
