// SPDX-License-Identifier: Apache-2.0
// From the calls of MPI about errors to error handlers and codes.
#include "api/errhandler.hpp"

#include <algorithm>
#include <cstring>

#include "abi/file_codes.hpp"
#include "api/extension.hpp"
#include "base/checks.hpp"
#include "base/error.hpp"
#include "communicator/error_codes.hpp"
#include "communicator/failed_call.hpp"

namespace lisle::api {

void add_error_class(int *errorclass) {
    *errorclass = lisle::add_error_class();
}

void add_error_code(int errorclass, int *errorcode) {
    *errorcode = lisle::add_error_code(errorclass);
}

void add_error_string(int errorcode, const char *string) {
    lisle::add_error_string(errorcode, string);
}

void comm_call_errhandler(communicator &comm, int errorcode) {
    if (!is_error_code(errorcode)) {
        fail(MPI_ERR_ARG, errorcode, " is no error code");
    }
    call_errhandler(comm.errors, comm.handle(), "MPI_Comm_call_errhandler", errorcode);
}

void comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function});
}

void comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *function, MPIX_Destructor_function *destructor,
                              void *state, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function, destructor, state});
}

void comm_get_errhandler(communicator &comm, MPI_Errhandler *handler) {
    *handler = handle_of_errhandler(*comm.errors.get().give());
}

void comm_set_errhandler(communicator &comm, errhandler &handler) {
    if (!handler.predefined() && handler.action != errhandler_kind::comm) {
        fail(MPI_ERR_ERRHANDLER, "the error handler was made for another sort of object than communicators");
    }
    comm.errors.set(errhandler_ref::share(handler));
}

void errhandler_free(MPI_Errhandler *handler) {
    errhandler *const target = find_errhandler(*handler);
    if (target == nullptr) {
        fail(MPI_ERR_ERRHANDLER, "the error handler was freed already or never was one");
    }
    target->release();
    *handler = MPI_ERRHANDLER_NULL;
}

namespace {
/// The program asks what a code means. Before MPI_Init it has none of ours.
void note_question(int errorcode) {
    if (rank *const self = rank_at_once(); self != nullptr && checks(check_level::all)) {
        abi::rank_file_codes.of(*self).asked(errorcode);
    }
}
} // namespace

void error_class(int errorcode, int *errorclass) {
    note_question(errorcode);
    *errorclass = class_of_error(errorcode);
}

namespace {
void give_text(const std::string &text, char *string, int *resultlen) {
    const std::size_t length = std::min<std::size_t>(text.size(), MPI_MAX_ERROR_STRING - 1);
    std::memcpy(string, text.data(), length);
    string[length] = '\0';
    *resultlen = static_cast<int>(length);
}
} // namespace

void error_string(int errorcode, char *string, int *resultlen) {
    note_question(errorcode);
    give_text(detailed_text_of_error(errorcode), string, resultlen);
}

void error_sentence(int errorcode, char *string, int *resultlen) {
    give_text(sentence_of_error(errorcode), string, resultlen);
}

namespace {
/// @param file null: MPI_FILE_NULL
errhandler_slot &errors_of(file::open_file *file) {
    return file != nullptr ? file->comm().errors : errors_without_file();
}
} // namespace

void file_call_errhandler(file::open_file *fh, int errorcode) {
    if (!is_error_code(errorcode)) {
        fail(MPI_ERR_ARG, errorcode, " is no error code");
    }
    call_errhandler(errors_of(fh), fh != nullptr ? fh->handle() : MPI_FILE_NULL, "MPI_File_call_errhandler",
                    errorcode);
}

void file_get_errhandler(file::open_file *fh, MPI_Errhandler *handler) {
    *handler = handle_of_errhandler(*errors_of(fh).get().give());
}

void file_set_errhandler(file::open_file *fh, errhandler &handler) {
    if (!handler.predefined() && handler.action != errhandler_kind::file) {
        fail(MPI_ERR_ERRHANDLER, "the error handler was made for another sort of object than files");
    }
    errors_of(fh).set(errhandler_ref::share(handler));
}

void file_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function});
}

void file_create_errhandler_x(MPIX_File_errhandler_function_x *function, MPIX_Destructor_function *destructor,
                              void *state, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function, destructor, state});
}

void remove_error_class(int errorclass) {
    lisle::remove_error_class(errorclass);
}

void remove_error_code(int errorcode) {
    lisle::remove_error_code(errorcode);
}

void remove_error_string(int errorcode) {
    lisle::remove_error_string(errorcode);
}

void session_create_errhandler(MPI_Session_errhandler_function *function, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function});
}

void session_create_errhandler_x(MPIX_Session_errhandler_function_x *function,
                                 MPIX_Destructor_function *destructor, void *state, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function, destructor, state});
}

void session_call_errhandler(session &session, int errorcode) {
    if (!is_error_code(errorcode)) {
        fail(MPI_ERR_ARG, errorcode, " is no error code");
    }
    call_errhandler(session.errors, session.handle(), "MPI_Session_call_errhandler", errorcode);
}

void session_get_errhandler(session &session, MPI_Errhandler *handler) {
    *handler = handle_of_errhandler(*session.errors.get().give());
}

void session_set_errhandler(session &session, errhandler &handler) {
    if (!handler.predefined() && handler.action != errhandler_kind::session) {
        fail(MPI_ERR_ERRHANDLER, "the error handler was made for another sort of object than sessions");
    }
    session.errors.set(errhandler_ref::share(handler));
}

void win_call_errhandler(rma::window &win, int errorcode) {
    if (!is_error_code(errorcode)) {
        fail(MPI_ERR_ARG, errorcode, " is no error code");
    }
    call_errhandler(win.errors, win.handle(), "MPI_Win_call_errhandler", errorcode);
}

void win_get_errhandler(rma::window &win, MPI_Errhandler *handler) {
    *handler = handle_of_errhandler(*win.errors.get().give());
}

void win_set_errhandler(rma::window &win, errhandler &handler) {
    if (!handler.predefined() && handler.action != errhandler_kind::win) {
        fail(MPI_ERR_ERRHANDLER, "the error handler was made for another sort of object than windows");
    }
    win.errors.set(errhandler_ref::share(handler));
}

void win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function});
}

void win_create_errhandler_x(MPIX_Win_errhandler_function_x *function, MPIX_Destructor_function *destructor,
                             void *state, MPI_Errhandler *created) {
    *created = handle_of<MPI_Errhandler>(*new errhandler{function, destructor, state});
}

} // namespace lisle::api
