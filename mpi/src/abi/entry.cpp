// SPDX-License-Identifier: Apache-2.0
// The cold half of the entry points: what happens when something is wrong.
#include "abi/entry.hpp"

#include <string_view>

#include "abi/file_codes.hpp"
#include "base/checks.hpp"
#include "communicator/errhandler.hpp"
#include "communicator/session.hpp"
#include "rma/window.hpp"

namespace lisle::abi {

void fail_not_running(world_phase phase) {
    fail(MPI_ERR_OTHER, phase == world_phase::before_init ? "called before MPI_Init or MPI_Session_init"
                                                          : "called after MPI_Finalize");
}

void fail_too_large(MPI_Count value, const char *argument) {
    fail(MPI_ERR_VALUE_TOO_LARGE, argument, " would be ", value,
         ", which does not fit: call the form of this function that ends in _c");
}

told_error hear(communicator *comm, const char *call, const std::exception &error) {
    const mpi_error known = error_of(error);
    return hear_of_error(known.about() != nullptr ? known.about() : comm, call, known);
}

told_error hear(session *about, const char *call, const std::exception &error) {
    if (about == nullptr) {
        return hear(static_cast<communicator *>(nullptr), call, error);
    }
    const mpi_error known = error_of(error);
    return hear_with(*about->errors.get(), about->handle(), call, known);
}

told_error hear(rma::window *about, const char *call, const std::exception &error) {
    if (about == nullptr) {
        return hear(static_cast<communicator *>(nullptr), call, error);
    }
    const mpi_error known = error_of(error);
    return hear_with(*about->errors.get(), about->handle(), call, known);
}

told_error hear(const errhandler *about, const char *call, const std::exception &error) {
    if (about == nullptr) {
        return hear(static_cast<communicator *>(nullptr), call, error);
    }
    const mpi_error known = error_of(error);
    if (about->action == errhandler_kind::session) {
        return hear_with(*about, MPI_SESSION_NULL, call, known);
    }
    return hear_with(*about, MPI_COMM_NULL, call, known);
}

int code_of(const std::exception &error) {
    return error_of(error).code();
}

void fail_unsupported() {
    fail(MPI_ERR_UNSUPPORTED_OPERATION, "Lisle does not have this call yet");
}

told_error hear_of_file(communicator *about, const char *call, const std::exception &error) {
    const mpi_error known = error_of(error);
    const told_error told = about != nullptr
                                ? hear_of_error(about, call, known)
                                : hear_with(*errors_without_file().get(), MPI_FILE_NULL, call, known);
    // Many a program deletes a file that need not be there.
    const bool may_fail = std::string_view{call} == "MPI_File_delete";
    if (told.function.how == nullptr && !may_fail && checks(check_level::all)) {
        rank_file_codes->returned(told.code, sentence(call, ": ", known.what()));
    }
    return told;
}

} // namespace lisle::abi
