// SPDX-License-Identifier: Apache-2.0
// How communicators come from communicators. All of it is collective as the standard says, and sends no
// more messages than agreeing on a context and on the members takes. New communicators inherit the
// parent's error handler. A null result means that the calling rank gets none (MPI_COMM_NULL).
#pragma once

#include <string_view>

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"

namespace lisle {

namespace protocol {
class request;
}

/// MPI_Comm_dup, with the attributes' copy functions; `hints` may be null.
[[nodiscard]] communicator_ref duplicate(communicator &parent, const info *hints);
/// MPI_Comm_idup: the communicator may be used when the request is complete.
/// @param started is set to a request that the caller owns
[[nodiscard]] communicator_ref start_duplicate(communicator &parent, const info *hints,
                                               protocol::request *&started);
/// A communicator of the same groups in the message spaces that every communicator has for its shadow: no
/// rank has to hear from another one. All shadows of a communicator are in the same spaces.
/// @pre not the shadow of a shadow
[[nodiscard]] communicator_ref make_shadow(communicator &parent);
/// MPI_Comm_split. @param color not negative, or MPI_UNDEFINED
[[nodiscard]] communicator_ref split(communicator &parent, int color, int key);
/// MPI_Comm_split_type. @param split_type one of MPI_COMM_TYPE_*, or MPI_UNDEFINED
/// @param hints may be null; is told what MPI_COMM_TYPE_HW_UNGUIDED has split by
[[nodiscard]] communicator_ref split_by_type(communicator &parent, int split_type, int key, info *hints);
/// MPI_Comm_create.
[[nodiscard]] communicator_ref create_from_members(communicator &parent, const group &members);
/// MPI_Comm_create_group: collective over the members only.
[[nodiscard]] communicator_ref create_among(communicator &parent, const group &members, int tag);
/// MPI_Intercomm_create. @param peer significant at the local leader only
[[nodiscard]] communicator_ref connect_groups(communicator &local, int local_leader, communicator *peer,
                                              int remote_leader, int tag);
/// What a communicator gets that inherits nothing.
struct creation_options {
    const info *hints; ///< may be null
    errhandler_ref errors;
};
/// MPI_Comm_create_from_group: collective over the members. @param name what tells it from others
[[nodiscard]] communicator_ref create_from_group(const group &members, std::string_view name,
                                                 const creation_options &options);
/// MPI_Intercomm_create_from_groups. @param remote,remote_leader significant at the local leader only
[[nodiscard]] communicator_ref connect_from_groups(const group &local, int local_leader, const group *remote,
                                                   int remote_leader, std::string_view name,
                                                   const creation_options &options);
/// MPI_Intercomm_merge. @param high whether the local group comes second
[[nodiscard]] communicator_ref merge(communicator &parent, bool high);

} // namespace lisle
