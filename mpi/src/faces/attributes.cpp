// SPDX-License-Identifier: Apache-2.0
// Attributes: values of the predefined ones are the program's constants. Its functions are called by
// with_state.cpp.
#include "faces/calls.hpp"

namespace lisle::face {

namespace {

/// The value of a predefined attribute, which is the address of an integer, as a constant of the other
/// interface. Its place is a variable of this library, so each rank has its own where ranks are threads.
template <auto Theirs> void *translated_value(const void *ours, int &place) noexcept {
    place = Theirs(*static_cast<const int *>(ours));
    return &place;
}

void translate_of_communicator(int keyval, void *attribute_val) noexcept {
    static int host, io, last_code;
    auto *const value = static_cast<void **>(attribute_val);
    switch (keyval) {
    case MPI_HOST:
        *value = translated_value<theirs_rank>(*value, host);
        break;
    case MPI_IO:
        *value = translated_value<theirs_rank>(*value, io);
        break;
    case MPI_LASTUSEDCODE:
        *value = translated_value<theirs_error>(*value, last_code);
        break;
    default:
        break;
    }
}

void translate_of_window(int keyval, void *attribute_val) noexcept {
    static int flavors[4], model;
    auto *const value = static_cast<void **>(attribute_val);
    if (keyval == MPI_WIN_CREATE_FLAVOR) {
        // Windows of several flavors may be looked at by turns.
        const int flavor = *static_cast<const int *>(*value);
        *value = translated_value<theirs_flavor>(*value, flavors[(flavor - MPI_WIN_FLAVOR_CREATE) & 3]);
    } else if (keyval == MPI_WIN_MODEL) {
        *value = translated_value<theirs_model>(*value, model);
    }
}

} // namespace

int comm_create_keyval(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept {
    return comm_create_keyval_x(copy, erase, nullptr, keyval, extra_state);
}
int type_create_keyval(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept {
    return type_create_keyval_x(copy, erase, nullptr, keyval, extra_state);
}
int win_create_keyval(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept {
    return win_create_keyval_x(copy, erase, nullptr, keyval, extra_state);
}
int keyval_create(any_function copy, any_function erase, int *keyval, void *extra_state) noexcept {
    return comm_create_keyval(copy, erase, keyval, extra_state);
}

int comm_get_attr(theirs<MPI_Comm> comm, int keyval, void *attribute_val, int *flag) noexcept {
    const int key = ours_keyval(keyval);
    const int code = lisle_calls.MPI_Comm_get_attr(comm.ours(), key, attribute_val, flag);
    if (code == MPI_SUCCESS && *flag != 0) {
        translate_of_communicator(key, attribute_val);
    }
    return code;
}
int attr_get(theirs<MPI_Comm> comm, int keyval, void *attribute_val, int *flag) noexcept {
    return comm_get_attr(comm, keyval, attribute_val, flag);
}
int type_get_attr(theirs<MPI_Datatype> datatype, int keyval, void *attribute_val, int *flag) noexcept {
    return lisle_calls.MPI_Type_get_attr(datatype.ours(), ours_keyval(keyval), attribute_val, flag);
}
int win_get_attr(theirs<MPI_Win> win, int keyval, void *attribute_val, int *flag) noexcept {
    const int key = ours_keyval(keyval);
    const int code = lisle_calls.MPI_Win_get_attr(win.ours(), key, attribute_val, flag);
    if (code == MPI_SUCCESS && *flag != 0) {
        translate_of_window(key, attribute_val);
    }
    return code;
}

} // namespace lisle::face
