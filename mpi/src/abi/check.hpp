// SPDX-License-Identifier: Apache-2.0
// Argument checks of the generated entry points, one for each sort of argument. Each is inlined and
// throws through a cold function; `argument` is the parameter's name in the standard.
#pragma once

#include "abi/entry.hpp"
#include "communicator/predefined.hpp"
#include "communicator/session.hpp"
#include "datatype/predefined.hpp"
#include "file/open_file.hpp"
#include "protocol/message/request.hpp"
#include "rma/window.hpp"

namespace lisle {
class op;
[[nodiscard]] const op *find_op(MPI_Op handle) noexcept;
} // namespace lisle

namespace lisle::abi {

/// How sentences speak of a sort of handle.
struct handle_sort {
    int error_class;
    const char *noun;
    const char *null_name;
};

[[noreturn, gnu::cold]] void bad_handle(const handle_sort &sort, std::uintptr_t value, bool is_null,
                                        const char *argument);
[[noreturn, gnu::cold]] void bad_rank(const communicator &comm, int rank, const char *argument,
                                      int error_class);
[[noreturn, gnu::cold]] void bad_target(const rma::window &win, int rank, const char *argument);
[[noreturn, gnu::cold]] void bad_tag(int tag, const char *argument);
[[noreturn, gnu::cold]] void bad_number(int error_class, MPI_Count value, const char *argument);
[[noreturn, gnu::cold]] void null_pointer(int error_class, const char *argument);
[[gnu::cold]] void check_null_buffer(MPI_Count count, MPI_Datatype type, const char *argument, int peer);
[[noreturn, gnu::cold]] void uncommitted(const char *argument);
[[noreturn, gnu::cold]] void unfitting_errhandler(const char *argument);

inline constexpr handle_sort comm_handle{MPI_ERR_COMM, "communicator", "MPI_COMM_NULL"};
inline constexpr handle_sort group_handle{MPI_ERR_GROUP, "group", "MPI_GROUP_NULL"};
inline constexpr handle_sort datatype_handle{MPI_ERR_TYPE, "datatype", "MPI_DATATYPE_NULL"};
inline constexpr handle_sort op_handle{MPI_ERR_OP, "operation", "MPI_OP_NULL"};
inline constexpr handle_sort errhandler_handle{MPI_ERR_ERRHANDLER, "error handler", "MPI_ERRHANDLER_NULL"};
inline constexpr handle_sort info_handle{MPI_ERR_INFO, "info object", "MPI_INFO_NULL"};
inline constexpr handle_sort session_handle{MPI_ERR_SESSION, "session", "MPI_SESSION_NULL"};
inline constexpr handle_sort window_handle{MPI_ERR_WIN, "window", "MPI_WIN_NULL"};
inline constexpr handle_sort file_handle{MPI_ERR_FILE, "file", "MPI_FILE_NULL"};
inline constexpr handle_sort request_handle{MPI_ERR_REQUEST, "request", "MPI_REQUEST_NULL"};

/// What a lookup found. Throws if it found nothing.
template <class Object, class Handle>
Object &found(Object *object, const handle_sort &sort, Handle handle, Handle null, const char *argument) {
    if (object == nullptr) [[unlikely]] {
        bad_handle(sort, handle_value(handle), handle == null, argument);
    }
    return *object;
}

/// The communicator behind a handle if the rank may use it now; null: ask further.
[[nodiscard, gnu::always_inline]] inline communicator *communicator_in_use(MPI_Comm handle) noexcept {
    const rank *const self = rank_at_once();
    if (self == nullptr) [[unlikely]] {
        return nullptr;
    }
    if (handle == MPI_COMM_WORLD) [[likely]] {
        return self->world;
    }
    return self->models_in_use.load(std::memory_order_relaxed) != 0 ? object_of<communicator>(handle)
                                                                    : nullptr;
}

inline communicator &to_communicator(MPI_Comm handle, const char *argument) {
    return found(find_communicator(handle), comm_handle, handle, MPI_COMM_NULL, argument);
}
/// require_running() and to_communicator() in one.
[[gnu::cold, gnu::noinline]] communicator &look_up_communicator(MPI_Comm handle, const char *argument);
inline communicator &to_communicator_in_use(MPI_Comm handle, const char *argument) {
    communicator *const found = communicator_in_use(handle);
    return found != nullptr ? *found : look_up_communicator(handle, argument);
}
/// Null for MPI_COMM_NULL.
inline communicator *to_communicator_or_null(MPI_Comm handle, const char *argument) {
    return handle == MPI_COMM_NULL ? nullptr : &to_communicator(handle, argument);
}
inline const group &to_group(MPI_Group handle, const char *argument) {
    return found(find_group(handle), group_handle, handle, MPI_GROUP_NULL, argument);
}
/// Null for MPI_GROUP_NULL.
inline const group *to_group_or_null(MPI_Group handle, const char *argument) {
    return handle == MPI_GROUP_NULL ? nullptr : &to_group(handle, argument);
}
inline session &to_session(MPI_Session handle, const char *argument) {
    return found(find_session(handle), session_handle, handle, MPI_SESSION_NULL, argument);
}
inline rma::window &to_window(MPI_Win handle, const char *argument) {
    return found(rma::find_window(handle), window_handle, handle, MPI_WIN_NULL, argument);
}
/// Null for MPI_WIN_NULL.
inline rma::window *to_window_or_null(MPI_Win handle, const char *argument) {
    return handle == MPI_WIN_NULL ? nullptr : &to_window(handle, argument);
}
inline file::open_file &to_file(MPI_File handle, const char *argument) {
    return found(file::find_file(handle), file_handle, handle, MPI_FILE_NULL, argument);
}
/// Null for MPI_FILE_NULL.
inline file::open_file *to_file_or_null(MPI_File handle, const char *argument) {
    return handle == MPI_FILE_NULL ? nullptr : &to_file(handle, argument);
}
inline const op &to_op(MPI_Op handle, const char *argument) {
    return found(find_op(handle), op_handle, handle, MPI_OP_NULL, argument);
}
inline errhandler &to_errhandler(MPI_Errhandler handle, const char *argument) {
    return found(find_errhandler(handle), errhandler_handle, handle, MPI_ERRHANDLER_NULL, argument);
}
/// One that was made for objects of this sort.
inline errhandler &to_errhandler_for(errhandler_kind sort, MPI_Errhandler handle, const char *argument) {
    errhandler &handler = to_errhandler(handle, argument);
    if (!handler.predefined() && handler.action != sort) [[unlikely]] {
        unfitting_errhandler(argument);
    }
    return handler;
}
inline const datatype &to_datatype(MPI_Datatype handle, const char *argument) {
    return found(find_datatype(handle), datatype_handle, handle, MPI_DATATYPE_NULL, argument);
}
/// Null for MPI_DATATYPE_NULL.
inline const datatype *to_datatype_or_null(MPI_Datatype handle, const char *argument) {
    return handle == MPI_DATATYPE_NULL ? nullptr : &to_datatype(handle, argument);
}
/// A type for moving data with.
inline const datatype &to_committed(MPI_Datatype handle, const char *argument) {
    const datatype &type = to_datatype(handle, argument);
    if (!type.committed()) [[unlikely]] {
        uncommitted(argument);
    }
    return type;
}
/// The same for an argument that is ignored in some calls (MPI_IN_PLACE, not the root): then any type.
inline const datatype &to_committed_if(bool significant, MPI_Datatype handle, const char *argument) {
    return to_committed(significant ? handle : MPI_BYTE, argument);
}
/// The type of `count` elements to or from `peer`. With MPI_PROC_NULL there is no message, and any type will
/// do; for a message of no elements MPI_DATATYPE_NULL will.
[[gnu::always_inline]] inline const datatype &to_committed_for(int peer, MPI_Count count, MPI_Datatype handle,
                                                               const char *argument) {
    const datatype *const type = find_datatype(handle);
    if (type == nullptr || !type->committed()) [[unlikely]] {
        const bool meaningless = peer == MPI_PROC_NULL || (count == 0 && handle == MPI_DATATYPE_NULL);
        return to_committed(meaningless ? MPI_BYTE : handle, argument);
    }
    return *type;
}
/// Null for MPI_INFO_NULL.
inline info *to_info_or_null(MPI_Info handle, const char *argument) {
    return handle == MPI_INFO_NULL ? nullptr
                                   : &found(find_info(handle), info_handle, handle, MPI_INFO_NULL, argument);
}
inline info *to_info(MPI_Info handle, const char *argument) {
    return &found(find_info(handle), info_handle, handle, MPI_INFO_NULL, argument);
}
inline protocol::request &to_request(MPI_Request handle, const char *argument) {
    return found(object_of<protocol::request>(handle), request_handle, handle, MPI_REQUEST_NULL, argument);
}
/// Null for MPI_REQUEST_NULL.
inline protocol::request *to_request_or_null(MPI_Request handle, const char *argument) {
    return handle == MPI_REQUEST_NULL ? nullptr : &to_request(handle, argument);
}

template <class T> void check_pointer(T *pointer, const char *argument, int error_class = MPI_ERR_ARG) {
    if (pointer == nullptr) [[unlikely]] {
        null_pointer(error_class, argument);
    }
}

/// An array that has elements must be there.
template <class T> void check_array(T *array, MPI_Count count, const char *argument, int error_class) {
    if (array == nullptr && count > 0) [[unlikely]] {
        null_pointer(error_class, argument);
    }
}

inline void check_not_negative(MPI_Count value, const char *argument, int error_class = MPI_ERR_COUNT) {
    if (value < 0) [[unlikely]] {
        bad_number(error_class, value, argument);
    }
}

/// A null address is MPI_BOTTOM: it makes sense with a derived type only, which may hold addresses, or if
/// there is no message.
inline void check_buffer(const void *buffer, MPI_Count count, MPI_Datatype type, const char *argument,
                         int peer = 0) {
    if (buffer == nullptr) [[unlikely]] {
        check_null_buffer(count, type, argument, peer);
    }
}

/// One comparison for both ends of the range.
inline bool is_peer(const communicator &comm, int rank) noexcept {
    const int count = comm.peer_count();
    if (count < 0) {
        __builtin_unreachable(); // so that callers know that a peer's rank is not negative
    }
    return static_cast<unsigned>(rank) < static_cast<unsigned>(count);
}
inline void check_dest(const communicator &comm, int rank, const char *argument) {
    if (!is_peer(comm, rank) && rank != MPI_PROC_NULL) [[unlikely]] {
        bad_rank(comm, rank, argument, MPI_ERR_RANK);
    }
}
inline void check_rank(const communicator &comm, int rank, const char *argument) {
    if (!is_peer(comm, rank)) [[unlikely]] {
        bad_rank(comm, rank, argument, MPI_ERR_RANK);
    }
}
inline void check_source(const communicator &comm, int rank, const char *argument) {
    if (!is_peer(comm, rank) && rank != MPI_ANY_SOURCE && rank != MPI_PROC_NULL) [[unlikely]] {
        bad_rank(comm, rank, argument, MPI_ERR_RANK);
    }
}
inline void check_root(const communicator &comm, int rank, const char *argument) {
    if (!is_peer(comm, rank) && !(comm.inter() && (rank == MPI_ROOT || rank == MPI_PROC_NULL))) [[unlikely]] {
        bad_rank(comm, rank, argument, MPI_ERR_ROOT);
    }
}

/// A rank of the window, or MPI_PROC_NULL.
inline void check_target(const rma::window &win, int rank, const char *argument) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(win.size()) && rank != MPI_PROC_NULL)
        [[unlikely]] {
        bad_target(win, rank, argument);
    }
}

/// True at the process that root-only arguments are for.
inline bool at_root(const communicator &comm, int root) noexcept {
    return comm.inter() ? root == MPI_ROOT : root == comm.rank();
}
/// True at the processes that the arguments of all but the root are for: in an intra-communicator
/// everywhere, in an inter-communicator in the group without the root.
inline bool beside_root(const communicator &comm, int root) noexcept {
    return !comm.inter() || root >= 0;
}

inline void check_tag(int tag, const char *argument) {
    if (tag < 0) [[unlikely]] {
        bad_tag(tag, argument);
    }
}
inline void check_tag_or_any(int tag, const char *argument) {
    if (tag < 0 && tag != MPI_ANY_TAG) [[unlikely]] {
        bad_tag(tag, argument);
    }
}

} // namespace lisle::abi
