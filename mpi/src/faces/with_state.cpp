// SPDX-License-Identifier: Apache-2.0
// Callbacks with a state of their own (MPIX_Op_create_x and its kin), on which the Fortran procedures of a
// face are built, and attributes.
#include <cstdlib>
#include <new>

#include "faces/calls.hpp"

namespace lisle::face {

namespace {

struct callback {
    any_function function; ///< the first of two where there are two
    any_function second;
    MPIX_Destructor_function *destroy;
    void *extra;
};

callback *keep_callback(const callback &state) noexcept {
    void *const memory = std::malloc(sizeof(callback));
    return memory != nullptr ? new (memory) callback{state} : nullptr;
}

void end_callback(void *state) {
    auto *const own = static_cast<callback *>(state);
    if (own->destroy != nullptr) {
        own->destroy(own->extra);
    }
    std::free(own);
}

/// Makes an object with a callback, whose state goes if the object is not made.
template <class Make> int make_with(const callback &state, Make make) noexcept {
    callback *const own = keep_callback(state);
    if (own == nullptr) {
        return MPI_ERR_NO_MEM;
    }
    const int code = make(own);
    if (code != MPI_SUCCESS) {
        std::free(own);
    }
    return code;
}

void reduce_with(void *in, void *inout, MPI_Count count, MPI_Datatype type, void *state) {
    const auto &own = *static_cast<callback *>(state);
    using function = void (*)(void *, void *, MPI_Count, theirs<MPI_Datatype>, void *);
    reinterpret_cast<function>(own.function)(in, inout, count, theirs<MPI_Datatype>::of(type), own.extra);
}

template <class Handle> void handle_error_with(Handle object, int code, void *state) {
    const auto &own = *static_cast<callback *>(state);
    using function = void (*)(theirs<Handle>, int, void *);
    reinterpret_cast<function>(own.function)(theirs<Handle>::of(object), theirs_error(code), own.extra);
}

template <class Handle>
int copy_value_with(Handle object, int keyval, void *state, void *in, void *out, int *flag) {
    const auto &own = *static_cast<callback *>(state);
    using function = int (*)(theirs<Handle>, int, void *, void *, void *, int *);
    return ours_error(reinterpret_cast<function>(own.function)(
        theirs<Handle>::of(object), theirs_keyval(keyval), own.extra, in, out, flag));
}

template <class Handle> int erase_value_with(Handle object, int keyval, void *value, void *state) {
    const auto &own = *static_cast<callback *>(state);
    using function = int (*)(theirs<Handle>, int, void *, void *);
    return ours_error(reinterpret_cast<function>(own.second)(theirs<Handle>::of(object),
                                                             theirs_keyval(keyval), value, own.extra));
}

template <class Handle, class Make> int create_errhandler_with(Make make, any_function function,
                                                               any_function destructor, void *extra,
                                                               theirs<MPI_Errhandler> *errhandler) noexcept {
    return make_with({function, nullptr, reinterpret_cast<MPIX_Destructor_function *>(destructor), extra},
                     [&](callback *own) {
                         return make(handle_error_with<Handle>, end_callback, own,
                                     given_handle<MPI_Errhandler>{errhandler});
                     });
}

template <class Handle, class Make> int create_keyval_with(Make make, any_function copy, any_function erase,
                                                           any_function destructor, int *keyval,
                                                           void *extra) noexcept {
    return make_with({copy, erase, reinterpret_cast<MPIX_Destructor_function *>(destructor), extra},
                     [&](callback *own) {
                         return make(copy != nullptr ? copy_value_with<Handle> : nullptr,
                                     erase != nullptr ? erase_value_with<Handle> : nullptr, end_callback,
                                     given_value<theirs_keyval>{keyval}, own);
                     });
}

} // namespace

int op_create_x(any_function user_fn, any_function destructor, int commute, void *extra,
                theirs<MPI_Op> *op) noexcept {
    return make_with({user_fn, nullptr, reinterpret_cast<MPIX_Destructor_function *>(destructor), extra},
                     [&](callback *own) {
                         return lisle_calls.MPIX_Op_create_x(reduce_with, end_callback, commute, own,
                                                             given_handle<MPI_Op>{op});
                     });
}

int comm_create_errhandler_x(any_function function, any_function destructor, void *extra,
                             theirs<MPI_Errhandler> *errhandler) noexcept {
    return create_errhandler_with<MPI_Comm>(lisle_calls.MPIX_Comm_create_errhandler_x, function, destructor,
                                            extra, errhandler);
}
int file_create_errhandler_x(any_function function, any_function destructor, void *extra,
                             theirs<MPI_Errhandler> *errhandler) noexcept {
    return create_errhandler_with<MPI_File>(lisle_calls.MPIX_File_create_errhandler_x, function, destructor,
                                            extra, errhandler);
}
int session_create_errhandler_x(any_function function, any_function destructor, void *extra,
                                theirs<MPI_Errhandler> *errhandler) noexcept {
    return create_errhandler_with<MPI_Session>(lisle_calls.MPIX_Session_create_errhandler_x, function,
                                               destructor, extra, errhandler);
}
int win_create_errhandler_x(any_function function, any_function destructor, void *extra,
                            theirs<MPI_Errhandler> *errhandler) noexcept {
    return create_errhandler_with<MPI_Win>(lisle_calls.MPIX_Win_create_errhandler_x, function, destructor,
                                           extra, errhandler);
}

int comm_create_keyval_x(any_function copy, any_function erase, any_function destructor, int *keyval,
                         void *extra) noexcept {
    return create_keyval_with<MPI_Comm>(lisle_calls.MPIX_Comm_create_keyval_x, copy, erase, destructor,
                                        keyval, extra);
}
int type_create_keyval_x(any_function copy, any_function erase, any_function destructor, int *keyval,
                         void *extra) noexcept {
    return create_keyval_with<MPI_Datatype>(lisle_calls.MPIX_Type_create_keyval_x, copy, erase, destructor,
                                            keyval, extra);
}
int win_create_keyval_x(any_function copy, any_function erase, any_function destructor, int *keyval,
                        void *extra) noexcept {
    return create_keyval_with<MPI_Win>(lisle_calls.MPIX_Win_create_keyval_x, copy, erase, destructor, keyval,
                                       extra);
}

} // namespace lisle::face
