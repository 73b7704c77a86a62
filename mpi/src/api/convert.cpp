// SPDX-License-Identifier: Apache-2.0
// Handles to and from integers: a constant is its own value, an object has a place in the table of
// base/handle_integers.hpp.
#include "api/convert.hpp"

#include "base/handle_integers.hpp"

namespace lisle::api {

namespace {

/// @param null the integer of the null handle
template <class Handle> int to_integer(Handle handle, object_kind kind, Handle null) {
    const std::uintptr_t value = handle_value(handle);
    if (value < first_dynamic_handle) {
        return static_cast<int>(value);
    }
    auto *const target = reinterpret_cast<object *>(handle);
    if (value % alignof(object) != 0 || target->kind() != kind) {
        return static_cast<int>(handle_value(null));
    }
    return integer_of(*target);
}

template <class Handle> Handle from_integer(int integer, object_kind kind, Handle null) {
    if (integer >= 0 && static_cast<std::uintptr_t>(integer) < first_dynamic_handle) {
        return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(integer));
    }
    object *const target = object_with_integer(integer);
    return target != nullptr && target->kind() == kind ? handle_of<Handle>(*target) : null;
}

} // namespace

int comm_toint(MPI_Comm comm) {
    return to_integer(comm, object_kind::communicator, MPI_COMM_NULL);
}
int errhandler_toint(MPI_Errhandler errhandler) {
    return to_integer(errhandler, object_kind::errhandler, MPI_ERRHANDLER_NULL);
}
int group_toint(MPI_Group group) {
    return to_integer(group, object_kind::group, MPI_GROUP_NULL);
}
int info_toint(MPI_Info info) {
    return to_integer(info, object_kind::info, MPI_INFO_NULL);
}
int message_toint(MPI_Message message) {
    return to_integer(message, object_kind::message, MPI_MESSAGE_NULL);
}
int op_toint(MPI_Op op) {
    return to_integer(op, object_kind::op, MPI_OP_NULL);
}
int request_toint(MPI_Request request) {
    return to_integer(request, object_kind::request, MPI_REQUEST_NULL);
}
int session_toint(MPI_Session session) {
    return to_integer(session, object_kind::session, MPI_SESSION_NULL);
}
int type_toint(MPI_Datatype datatype) {
    return to_integer(datatype, object_kind::datatype, MPI_DATATYPE_NULL);
}

MPI_Comm comm_fromint(int comm) {
    return from_integer(comm, object_kind::communicator, MPI_COMM_NULL);
}
MPI_Errhandler errhandler_fromint(int errhandler) {
    return from_integer(errhandler, object_kind::errhandler, MPI_ERRHANDLER_NULL);
}
MPI_Group group_fromint(int group) {
    return from_integer(group, object_kind::group, MPI_GROUP_NULL);
}
MPI_Info info_fromint(int info) {
    return from_integer(info, object_kind::info, MPI_INFO_NULL);
}
MPI_Message message_fromint(int message) {
    return from_integer(message, object_kind::message, MPI_MESSAGE_NULL);
}
MPI_Op op_fromint(int op) {
    return from_integer(op, object_kind::op, MPI_OP_NULL);
}
MPI_Request request_fromint(int request) {
    return from_integer(request, object_kind::request, MPI_REQUEST_NULL);
}
MPI_Session session_fromint(int session) {
    return from_integer(session, object_kind::session, MPI_SESSION_NULL);
}
MPI_Datatype type_fromint(int datatype) {
    return from_integer(datatype, object_kind::datatype, MPI_DATATYPE_NULL);
}

int win_toint(MPI_Win win) {
    return to_integer(win, object_kind::window, MPI_WIN_NULL);
}
MPI_Win win_fromint(int win) {
    return from_integer(win, object_kind::window, MPI_WIN_NULL);
}

int file_toint(MPI_File file) {
    return to_integer(file, object_kind::file, MPI_FILE_NULL);
}
MPI_File file_fromint(int file) {
    return from_integer(file, object_kind::file, MPI_FILE_NULL);
}

} // namespace lisle::api
