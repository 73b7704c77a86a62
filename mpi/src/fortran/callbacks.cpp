// SPDX-License-Identifier: Apache-2.0
// Functions of the program that MPI calls: they take integers for handles, and all by reference. What C hands
// through as extra state is the program's function, with the extra state of its own where there is one.
#include <algorithm>
#include <limits>
#include <new>

#include "fortran/calls.hpp"

using namespace lisle::fortran;

namespace {

/// A copy of the state that the call hands through; null if there is no memory.
template <class T> T *keep(const T &state) noexcept {
    void *const memory = std::malloc(sizeof(T));
    return memory != nullptr ? new (memory) T{state} : nullptr;
}

// ---- operations ----

template <class Length> using user_function = void (*)(void *in, void *inout, Length *count, int *datatype);

/// @param function what it takes counts in is `Length`: more elements than that are reduced in several calls
template <class Length>
void reduce(void *in, void *inout, MPI_Count count, MPI_Datatype type, void *function) {
    constexpr MPI_Count most = std::numeric_limits<Length>::max();
    int datatype = PMPI_Type_toint(type);
    MPI_Aint lower = 0, extent = 0;
    if (count > most) {
        PMPI_Type_get_extent(type, &lower, &extent);
    }
    auto *from = static_cast<char *>(in), *into = static_cast<char *>(inout);
    for (MPI_Count done = 0; done < count;) {
        auto here = static_cast<Length>(std::min(count - done, most));
        reinterpret_cast<user_function<Length>>(function)(from + done * extent, into + done * extent, &here,
                                                          &datatype);
        done += here;
    }
}

// ---- error handlers ----

template <class Handle> void handle_error(Handle object, int code, void *function) {
    int integer = integer_of<Handle>::to(object);
    reinterpret_cast<void (*)(int *object, int *code)>(function)(&integer, &code);
}

// ---- generalized requests ----

struct request_state {
    void (*query)(MPI_Aint *extra, MPI_Status *status, int *ierror);
    void (*free)(MPI_Aint *extra, int *ierror);
    void (*cancel)(MPI_Aint *extra, int *complete, int *ierror);
    MPI_Aint *extra; ///< the program's variable, which its functions may change
};

int query_request(void *state, MPI_Status *status) {
    const auto &own = *static_cast<request_state *>(state);
    int code = MPI_SUCCESS;
    own.query(own.extra, status, &code);
    return code;
}

int free_request(void *state) {
    auto *const own = static_cast<request_state *>(state);
    int code = MPI_SUCCESS;
    own->free(own->extra, &code);
    std::free(own);
    return code;
}

int cancel_request(void *state, int complete) {
    const auto &own = *static_cast<request_state *>(state);
    int code = MPI_SUCCESS;
    own.cancel(own.extra, &complete, &code);
    return code;
}

// ---- data representations, which stay until the end ----

template <class Length> using conversion = void (*)(void *user, int *datatype, Length *count, void *file,
                                                    MPI_Offset *position, MPI_Aint *extra, int *ierror);

struct representation_state {
    void *read;
    void *write;
    void (*extent)(int *datatype, MPI_Aint *extent, MPI_Aint *extra, int *ierror);
    MPI_Aint extra;
};

template <class Length> int convert(void *function, void *user, MPI_Datatype type, Length count, void *file,
                                    MPI_Offset position, MPI_Aint extra) {
    int datatype = PMPI_Type_toint(type), code = MPI_SUCCESS;
    reinterpret_cast<conversion<Length>>(function)(user, &datatype, &count, file, &position, &extra, &code);
    return code;
}

template <class Length>
int read_data(void *user, MPI_Datatype type, Length count, void *file, MPI_Offset position, void *state) {
    const auto &own = *static_cast<representation_state *>(state);
    return convert<Length>(own.read, user, type, count, file, position, own.extra);
}

template <class Length>
int write_data(void *user, MPI_Datatype type, Length count, void *file, MPI_Offset position, void *state) {
    const auto &own = *static_cast<representation_state *>(state);
    return convert<Length>(own.write, user, type, count, file, position, own.extra);
}

int extent_of_data(MPI_Datatype type, MPI_Aint *extent, void *state) {
    auto &own = *static_cast<representation_state *>(state);
    int datatype = PMPI_Type_toint(type), code = MPI_SUCCESS;
    own.extent(&datatype, extent, &own.extra, &code);
    return code;
}

} // namespace

// NOLINTBEGIN(readability-non-const-parameter): Fortran passes everything by reference.
extern "C" {

void pmpi_op_create_(void *function, int *commute, int *op, int *ierror) {
    end(ierror, PMPIX_Op_create_x(reduce<int>, nullptr, *commute, function, given_handle<MPI_Op>{op}));
}
#pragma weak mpi_op_create_ = pmpi_op_create_

void pmpi_op_create_c_(void *function, int *commute, int *op, int *ierror) {
    end(ierror, PMPIX_Op_create_x(reduce<MPI_Count>, nullptr, *commute, function, given_handle<MPI_Op>{op}));
}
#pragma weak mpi_op_create_c_ = pmpi_op_create_c_

void pmpi_comm_create_errhandler_(void *function, int *made, int *ierror) {
    end(ierror, PMPIX_Comm_create_errhandler_x(handle_error<MPI_Comm>, nullptr, function,
                                               given_handle<MPI_Errhandler>{made}));
}
#pragma weak mpi_comm_create_errhandler_ = pmpi_comm_create_errhandler_

void pmpi_file_create_errhandler_(void *function, int *made, int *ierror) {
    end(ierror, PMPIX_File_create_errhandler_x(handle_error<MPI_File>, nullptr, function,
                                               given_handle<MPI_Errhandler>{made}));
}
#pragma weak mpi_file_create_errhandler_ = pmpi_file_create_errhandler_

void pmpi_session_create_errhandler_(void *function, int *made, int *ierror) {
    end(ierror, PMPIX_Session_create_errhandler_x(handle_error<MPI_Session>, nullptr, function,
                                                  given_handle<MPI_Errhandler>{made}));
}
#pragma weak mpi_session_create_errhandler_ = pmpi_session_create_errhandler_

void pmpi_win_create_errhandler_(void *function, int *made, int *ierror) {
    end(ierror, PMPIX_Win_create_errhandler_x(handle_error<MPI_Win>, nullptr, function,
                                              given_handle<MPI_Errhandler>{made}));
}
#pragma weak mpi_win_create_errhandler_ = pmpi_win_create_errhandler_

void pmpi_grequest_start_(void (*query)(MPI_Aint *, MPI_Status *, int *), void (*free)(MPI_Aint *, int *),
                          void (*cancel)(MPI_Aint *, int *, int *), MPI_Aint *extra, int *request,
                          int *ierror) {
    auto *const state = keep(request_state{query, free, cancel, extra});
    end(ierror, state == nullptr ? MPI_ERR_NO_MEM
                                 : PMPI_Grequest_start(query_request, free_request, cancel_request, state,
                                                       given_handle<MPI_Request>{request}));
}
#pragma weak mpi_grequest_start_ = pmpi_grequest_start_

void mpi_conversion_fn_null_(void *, int *, int *, void *, MPI_Offset *, MPI_Aint *, int *ierror) {
    *ierror = MPI_ERR_CONVERSION; // not to be called
}
#pragma weak mpi_conversion_fn_null_c_ = mpi_conversion_fn_null_
}

namespace {
template <class Function> Function *unless_null(const void *given, Function &converts) {
    return given == reinterpret_cast<void *>(mpi_conversion_fn_null_) ? nullptr : &converts;
}
} // namespace

extern "C" {

void pmpi_register_datarep_(char *name, void *read, void *write,
                            void (*extent)(int *, MPI_Aint *, MPI_Aint *, int *), MPI_Aint *extra,
                            int *ierror, std::size_t name_length) {
    auto *const state = keep(representation_state{read, write, extent, *extra});
    end(ierror, state == nullptr
                    ? MPI_ERR_NO_MEM
                    : PMPI_Register_datarep(text{name, name_length}, unless_null(read, read_data<int>),
                                            unless_null(write, write_data<int>), extent_of_data, state));
}
#pragma weak mpi_register_datarep_ = pmpi_register_datarep_

void pmpi_register_datarep_c_(char *name, void *read, void *write,
                              void (*extent)(int *, MPI_Aint *, MPI_Aint *, int *), MPI_Aint *extra,
                              int *ierror, std::size_t name_length) {
    auto *const state = keep(representation_state{read, write, extent, *extra});
    end(ierror, state == nullptr ? MPI_ERR_NO_MEM
                                 : PMPI_Register_datarep_c(
                                       text{name, name_length}, unless_null(read, read_data<MPI_Count>),
                                       unless_null(write, write_data<MPI_Count>), extent_of_data, state));
}
#pragma weak mpi_register_datarep_c_ = pmpi_register_datarep_c_
}
// NOLINTEND(readability-non-const-parameter)
