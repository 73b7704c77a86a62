// SPDX-License-Identifier: Apache-2.0
// Functions of the program that Lisle calls: they see the program's own handles, statuses and codes. What
// Lisle hands through as extra state is the program's function, with its own extra state where there is one.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "faces/calls.hpp"

namespace lisle::face {

namespace {

/// A copy of the state that the call hands through; null if there is no memory.
template <class T> T *keep(const T &state) noexcept {
    void *const memory = std::malloc(sizeof(T));
    return memory != nullptr ? new (memory) T{state} : nullptr;
}

/// An extra state that is the program's function alone.
template <class Function> Function *function_in(void *state) noexcept {
    return reinterpret_cast<Function *>(state);
}
void *state_of(any_function function) noexcept {
    return reinterpret_cast<void *>(function);
}

// ---- operations ----

template <class Length>
using user_function = void(void *in, void *inout, Length *count, theirs<MPI_Datatype> *datatype);

/// @param function counts in `Length`: more elements than that are reduced in several calls
template <class Length>
void reduce(void *in, void *inout, MPI_Count count, MPI_Datatype type, void *function) {
    constexpr MPI_Count most = std::numeric_limits<Length>::max();
    MPI_Aint lower = 0, extent = 0;
    if (count > most) {
        lisle_calls.MPI_Type_get_extent(type, &lower, &extent);
    }
    auto datatype = theirs<MPI_Datatype>::of(type);
    auto *from = static_cast<char *>(in), *into = static_cast<char *>(inout);
    for (MPI_Count done = 0; done < count;) {
        auto here = static_cast<Length>(std::min(count - done, most));
        function_in<user_function<Length>>(function)(from + done * extent, into + done * extent, &here,
                                                     &datatype);
        done += here;
    }
}

// ---- error handlers ----

template <class Handle> void handle_error(Handle object, int code, void *function) {
    auto handle = theirs<Handle>::of(object);
    int their_code = theirs_error(code);
    function_in<void(theirs<Handle> *, int *, ...)>(function)(&handle, &their_code);
}

// ---- generalized requests ----

struct request_state {
    int (*query)(void *extra, their_status *status);
    int (*free)(void *extra);
    int (*cancel)(void *extra, int complete);
    void *extra;
};

int query_request(void *state, MPI_Status *status) {
    const auto &own = *static_cast<request_state *>(state);
    their_status filled{};
    const int code = own.query(own.extra, &filled);
    to_ours(filled, *status);
    return ours_error(code);
}

int free_request(void *state) {
    auto *const own = static_cast<request_state *>(state);
    const int code = own->free(own->extra);
    std::free(own);
    return ours_error(code);
}

int cancel_request(void *state, int complete) {
    const auto &own = *static_cast<request_state *>(state);
    return ours_error(own.cancel(own.extra, complete));
}

// ---- data representations, which stay until the end ----

template <class Length> using conversion = int(void *user, theirs<MPI_Datatype>, Length count, void *file,
                                               MPI_Offset position, void *extra);

struct representation_state {
    any_function read, write;
    int (*extent)(theirs<MPI_Datatype>, MPI_Aint *extent, void *extra);
    void *extra;
};

template <class Length> conversion<Length> *conversion_in(any_function function) noexcept {
    return reinterpret_cast<conversion<Length> *>(function);
}

template <class Length>
int read_data(void *user, MPI_Datatype type, Length count, void *file, MPI_Offset position, void *state) {
    const auto &own = *static_cast<representation_state *>(state);
    return ours_error(conversion_in<Length>(own.read)(user, theirs<MPI_Datatype>::of(type), count, file,
                                                      position, own.extra));
}

template <class Length>
int write_data(void *user, MPI_Datatype type, Length count, void *file, MPI_Offset position, void *state) {
    const auto &own = *static_cast<representation_state *>(state);
    return ours_error(conversion_in<Length>(own.write)(user, theirs<MPI_Datatype>::of(type), count, file,
                                                       position, own.extra));
}

int extent_of_data(MPI_Datatype type, MPI_Aint *extent, void *state) {
    const auto &own = *static_cast<representation_state *>(state);
    return ours_error(own.extent(theirs<MPI_Datatype>::of(type), extent, own.extra));
}

representation_state *keep_representation(any_function read, any_function write, any_function extent,
                                          void *extra) noexcept {
    return keep(representation_state{
        read, write, reinterpret_cast<int (*)(theirs<MPI_Datatype>, MPI_Aint *, void *)>(extent), extra});
}

} // namespace

int op_create(any_function user_fn, int commute, theirs<MPI_Op> *op) noexcept {
    return lisle_calls.MPIX_Op_create_x(user_fn != nullptr ? reduce<int> : nullptr, nullptr, commute,
                                        state_of(user_fn), given_handle<MPI_Op>{op});
}

int op_create_c(any_function user_fn, int commute, theirs<MPI_Op> *op) noexcept {
    return lisle_calls.MPIX_Op_create_x(user_fn != nullptr ? reduce<MPI_Count> : nullptr, nullptr, commute,
                                        state_of(user_fn), given_handle<MPI_Op>{op});
}

int comm_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept {
    return lisle_calls.MPIX_Comm_create_errhandler_x(handle_error<MPI_Comm>, nullptr, state_of(function),
                                                     given_handle<MPI_Errhandler>{errhandler});
}

int file_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept {
    return lisle_calls.MPIX_File_create_errhandler_x(handle_error<MPI_File>, nullptr, state_of(function),
                                                     given_handle<MPI_Errhandler>{errhandler});
}

int session_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept {
    return lisle_calls.MPIX_Session_create_errhandler_x(
        handle_error<MPI_Session>, nullptr, state_of(function), given_handle<MPI_Errhandler>{errhandler});
}

int win_create_errhandler(any_function function, theirs<MPI_Errhandler> *errhandler) noexcept {
    return lisle_calls.MPIX_Win_create_errhandler_x(handle_error<MPI_Win>, nullptr, state_of(function),
                                                    given_handle<MPI_Errhandler>{errhandler});
}

int grequest_start(any_function query_fn, any_function free_fn, any_function cancel_fn, void *extra_state,
                   theirs<MPI_Request> *request) noexcept {
    auto *const state = keep(request_state{reinterpret_cast<int (*)(void *, their_status *)>(query_fn),
                                           reinterpret_cast<int (*)(void *)>(free_fn),
                                           reinterpret_cast<int (*)(void *, int)>(cancel_fn), extra_state});
    return state == nullptr ? MPI_ERR_NO_MEM
                            : lisle_calls.MPI_Grequest_start(query_request, free_request, cancel_request,
                                                             state, given_handle<MPI_Request>{request});
}

int register_datarep(const char *datarep, any_function read, any_function write, any_function extent,
                     void *extra_state) noexcept {
    auto *const state = keep_representation(read, write, extent, extra_state);
    return state == nullptr
               ? MPI_ERR_NO_MEM
               : lisle_calls.MPI_Register_datarep(datarep, read != nullptr ? read_data<int> : nullptr,
                                                  write != nullptr ? write_data<int> : nullptr,
                                                  extent_of_data, state);
}

int register_datarep_c(const char *datarep, any_function read, any_function write, any_function extent,
                       void *extra_state) noexcept {
    auto *const state = keep_representation(read, write, extent, extra_state);
    return state == nullptr
               ? MPI_ERR_NO_MEM
               : lisle_calls.MPI_Register_datarep_c(datarep, read != nullptr ? read_data<MPI_Count> : nullptr,
                                                    write != nullptr ? write_data<MPI_Count> : nullptr,
                                                    extent_of_data, state);
}

} // namespace lisle::face
