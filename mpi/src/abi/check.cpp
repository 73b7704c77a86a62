// SPDX-License-Identifier: Apache-2.0
// The sentences of failed argument checks.
#include "abi/check.hpp"

namespace lisle::abi {

communicator &look_up_communicator(MPI_Comm handle, const char *argument) {
    require_running();
    return to_communicator(handle, argument);
}

namespace {
/// @param value of a handle that is not null
bool is_unfinished(std::uintptr_t value) noexcept {
    return value >= first_dynamic_handle && value % alignof(object) == 0 &&
           reinterpret_cast<const object *>(value)->kind() == object_kind::unfinished_communicator;
}
} // namespace

void bad_handle(const handle_sort &sort, std::uintptr_t value, bool is_null, const char *argument) {
    if (is_null) {
        fail(sort.error_class, argument, " is ", sort.null_name);
    }
    if (value == 0) {
        fail(sort.error_class, argument, " is a null pointer, not a ", sort.noun);
    }
    if (sort.error_class == MPI_ERR_COMM && is_unfinished(value)) {
        fail(sort.error_class, argument,
             " is a communicator that MPI_Comm_idup has begun to make: wait for its request first");
    }
    fail(sort.error_class, argument, " (", reinterpret_cast<const void *>(value), ") is not a valid ",
         sort.noun, "; it was freed or never was one");
}

void bad_rank(const communicator &comm, int rank, const char *argument, int error_class) {
    // The two parameters that are plainly ranks need no name.
    const bool plain = std::string_view{argument} == "dest" || std::string_view{argument} == "source";
    const std::string subject = plain ? sentence("rank ", rank) : sentence(argument, " rank ", rank);
    const int size = comm.peer_count();
    fail(error_class, subject, " is outside ", comm.label(), ", which has ", size,
         comm.inter() ? " remote" : "", size == 1 ? " rank" : " ranks");
}

void bad_target(const rma::window &win, int rank, const char *argument) {
    const std::string name = win.members.name.get();
    fail(MPI_ERR_RANK, argument, " ", rank, " is outside ", name.empty() ? "the window" : name,
         ", which has ", win.size(), win.size() == 1 ? " rank" : " ranks");
}

void bad_tag(int tag, const char *argument) {
    fail(MPI_ERR_TAG, argument, " is ", tag, "; tags are 0 to ", std::numeric_limits<int>::max());
}

void bad_number(int error_class, MPI_Count value, const char *argument) {
    fail(error_class, argument, " is ", value, "; it must not be negative");
}

void null_pointer(int error_class, const char *argument) {
    fail(error_class, argument, " is a null pointer");
}

void check_null_buffer(MPI_Count count, MPI_Datatype type, const char *argument, int peer) {
    if (count > 0 && handle_value(type) < first_dynamic_handle && peer != MPI_PROC_NULL) {
        fail(MPI_ERR_BUFFER, argument, " is a null pointer although there are ", count, " elements");
    }
}

void uncommitted(const char *argument) {
    fail(MPI_ERR_TYPE, argument, " is a datatype that was not committed: call MPI_Type_commit first");
}

void unfitting_errhandler(const char *argument) {
    fail(MPI_ERR_ERRHANDLER, argument, " was made for another sort of object");
}

} // namespace lisle::abi
