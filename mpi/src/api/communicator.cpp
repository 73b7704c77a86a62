// SPDX-License-Identifier: Apache-2.0
// From the communicator calls of MPI to communicators and their creation.
#include "api/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "api/mixed_sessions.hpp"
#include "api/request.hpp"
#include "api/send_buffer.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "collective/selection/one_caller.hpp"
#include "communicator/creation.hpp"
#include "communicator/predefined.hpp"
#include "communicator/session.hpp"
#include "communicator/thread_communicator.hpp"
#include "protocol/engine.hpp"
#include "protocol/send_buffer.hpp"
#include "protocol/wait.hpp"
#include "world/group_algebra.hpp"

namespace lisle::api {

namespace {

void check_inter(const communicator &comm) {
    if (!comm.inter()) {
        fail(MPI_ERR_COMM, comm.label(), " is not an inter-communicator");
    }
}

/// The communicator that the user gives up; throws if it is one that cannot be given up.
communicator &to_be_freed(MPI_Comm handle) {
    communicator *const target = find_communicator(handle);
    if (object_of<thread_communicator>(handle) != nullptr) {
        fail(MPI_ERR_COMM, "a communicator of threads is freed with MPIX_Threadcomm_free");
    }
    if (target == nullptr) {
        fail(MPI_ERR_COMM, "the communicator was freed already or never was one");
    }
    if (target->predefined()) {
        fail(MPI_ERR_COMM, target->label(), " cannot be freed");
    }
    return *target;
}

std::string_view checked_tag(const char *stringtag) {
    const std::string_view text{stringtag};
    if (text.size() >= MPI_MAX_STRINGTAG_LEN) {
        fail(MPI_ERR_ARG, "stringtag has ", text.size(), " characters, but at most ",
             MPI_MAX_STRINGTAG_LEN - 1, " are allowed");
    }
    return text;
}

/// True if no buffer holds a message of this communicator any more.
bool buffers_are_rid_of(const communicator &comm) {
    const std::uint64_t context = comm.point_to_point.context;
    const session *const origin = comm.session != 0 ? find_session(comm.session) : nullptr;
    for (protocol::send_buffer *const buffer :
         {send_buffer_of(comm), origin != nullptr ? origin->send_buffer.get() : nullptr,
          protocol::rank_send_buffer().get()}) {
        if (buffer != nullptr && !buffer->empty(context)) {
            return false;
        }
    }
    return true;
}

} // namespace

void comm_compare(communicator &comm1, communicator &comm2, int *result) {
    if (&comm1 == &comm2) {
        *result = MPI_IDENT;
        return;
    }
    abi::look_at_sessions(comm1.session, comm2.session);
    if (comm1.inter() != comm2.inter()) {
        *result = MPI_UNEQUAL;
        return;
    }
    // The constants grow from IDENT over CONGRUENT and SIMILAR to UNEQUAL, so the worse result counts.
    int worst = compare(comm1.local_group(), comm2.local_group());
    if (comm1.inter()) {
        worst = std::max(worst, compare(comm1.remote_group(), comm2.remote_group()));
    }
    *result = std::max<int>(worst, MPI_CONGRUENT);
}

void comm_create(communicator &comm, const group &members, MPI_Comm *newcomm) {
    abi::look_at_sessions(comm.session, members.session());
    const collective::one_caller alone{comm, "Comm_create"};
    *newcomm = give_handle(create_from_members(comm, members));
}

void comm_create_from_group(const group &members, const char *stringtag, info *hints, errhandler &errors,
                            MPI_Comm *newcomm) {
    if (members.size() == 0) {
        return; // MPI_GROUP_EMPTY gives MPI_COMM_NULL [MPI-5.0 7.4.2]
    }
    *newcomm = give_handle(
        create_from_group(members, checked_tag(stringtag), {hints, errhandler_ref::share(errors)}));
}

void comm_create_group(communicator &comm, const group &members, int tag, MPI_Comm *newcomm) {
    abi::look_at_sessions(comm.session, members.session());
    *newcomm = give_handle(create_among(comm, members, tag));
}

void comm_disconnect(MPI_Comm *comm) {
    // The program has completed its requests [MPI-5.0 11.10.4]; what may be under way are messages in a
    // buffer, and operations whose requests it has freed.
    communicator &target = to_be_freed(*comm);
    protocol::wait_until(this_rank(), [&target] { return buffers_are_rid_of(target); });
    abi::wait_for_freed_requests(target);
    comm_free(comm);
}

void comm_dup(communicator &comm, MPI_Comm *newcomm) {
    comm_dup_with_info(comm, nullptr, newcomm);
}

void comm_dup_with_info(communicator &comm, info *hints, MPI_Comm *newcomm) {
    const collective::one_caller alone{comm, "Comm_dup"};
    *newcomm = give_handle(duplicate(comm, hints));
}

void comm_free(MPI_Comm *comm) {
    communicator &target = to_be_freed(*comm);
    target.attributes.clear(*comm);
    if (predefined->parent == &target) {
        predefined->parent = nullptr;
    }
    target.release();
    *comm = MPI_COMM_NULL;
}

void comm_get_info(communicator &comm, MPI_Info *info_used) {
    auto hints = std::make_unique<info>();
    comm.hints.describe(*hints);
    hints->set(memory_kinds_key, memory_kinds_of(comm.session));
    *info_used = handle_of<MPI_Info>(*hints.release());
}

void comm_get_name(communicator *comm, char *comm_name, int *resultlen) {
    const std::string name = comm != nullptr ? comm->name() : "MPI_COMM_NULL";
    std::memcpy(comm_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
}

void comm_group(communicator &comm, MPI_Group *group) {
    *group = give_handle(with_session(group_ref::share(comm.local_group()), comm.session));
}

void comm_idup(communicator &comm, MPI_Comm *newcomm, MPI_Request *request) {
    comm_idup_with_info(comm, nullptr, newcomm, request);
}

void comm_idup_with_info(communicator &comm, info *hints, MPI_Comm *newcomm, MPI_Request *request) {
    protocol::request *started = nullptr;
    *newcomm = give_handle(start_duplicate(comm, hints, started));
    *request = abi::give_request(started, &comm);
}

void comm_rank(communicator &comm, int *rank) {
    *rank = comm.rank();
}

void comm_remote_group(communicator &comm, MPI_Group *group) {
    check_inter(comm);
    *group = give_handle(with_session(group_ref::share(comm.remote_group()), comm.session));
}

void comm_remote_size(communicator &comm, int *size) {
    check_inter(comm);
    *size = comm.peer_count();
}

void comm_set_info(communicator &comm, info *hints) {
    if (hints != nullptr) {
        comm.hints.apply(*hints);
    }
}

void comm_set_name(communicator &comm, const char *comm_name) {
    const std::size_t length = std::strlen(comm_name);
    if (length >= MPI_MAX_OBJECT_NAME) {
        fail(MPI_ERR_ARG, "the name has ", length, " characters, but at most ", MPI_MAX_OBJECT_NAME - 1,
             " are allowed");
    }
    comm.set_name(comm_name);
}

void comm_size(communicator &comm, int *size) {
    *size = comm.size();
}

void comm_split(communicator &comm, int color, int key, MPI_Comm *newcomm) {
    if (color < 0 && color != MPI_UNDEFINED) {
        fail(MPI_ERR_ARG, "color is ", color, "; it must not be negative, but for MPI_UNDEFINED");
    }
    const collective::one_caller alone{comm, "Comm_split"};
    *newcomm = give_handle(split(comm, color, key));
}

void comm_split_type(communicator &comm, int split_type, int key, info *hints, MPI_Comm *newcomm) {
    const bool known = split_type >= MPI_COMM_TYPE_SHARED && split_type <= MPI_COMM_TYPE_RESOURCE_GUIDED;
    if (!known && split_type != MPI_UNDEFINED) {
        fail(MPI_ERR_ARG, "split_type is ", split_type, ", which is none of MPI_COMM_TYPE_*");
    }
    *newcomm = give_handle(split_by_type(comm, split_type, key, hints));
}

void comm_test_inter(communicator &comm, int *flag) {
    *flag = comm.inter() ? 1 : 0;
}

void intercomm_create(communicator &local_comm, int local_leader, communicator *peer_comm, int remote_leader,
                      int tag, MPI_Comm *newintercomm) {
    *newintercomm = give_handle(connect_groups(local_comm, local_leader, peer_comm, remote_leader, tag));
}

void intercomm_create_from_groups(const group &local_group, int local_leader, const group *remote_group,
                                  int remote_leader, const char *stringtag, info *hints, errhandler &errors,
                                  MPI_Comm *newintercomm) {
    *newintercomm =
        give_handle(connect_from_groups(local_group, local_leader, remote_group, remote_leader,
                                        checked_tag(stringtag), {hints, errhandler_ref::share(errors)}));
}

void intercomm_merge(communicator &intercomm, int high, MPI_Comm *newintracomm) {
    *newintracomm = give_handle(merge(intercomm, high != 0));
}

} // namespace lisle::api
