// SPDX-License-Identifier: Apache-2.0
// From the attribute calls of MPI to attribute sets.
#include "api/attribute.hpp"

#include "base/error.hpp"
#include "communicator/type_attributes.hpp"
#include "communicator/world_attributes.hpp"
#include "datatype/predefined.hpp"

namespace lisle::api {

namespace {

void check_changeable(int keyval) {
    if (is_world_attribute(keyval)) {
        fail(MPI_ERR_KEYVAL, "keyval ", keyval, " is one of the standard's, which cannot be changed");
    }
}

/// The user's "void *" is the address of a pointer.
void store(const void *value, void *into) {
    *static_cast<const void **>(into) = value;
}

void get(const attribute_set &attributes, keyval_kind kind, int keyval, void *into, int *flag) {
    void *value = nullptr;
    *flag = attributes.get(kind, keyval, &value) ? 1 : 0;
    if (*flag != 0) {
        store(value, into);
    }
}

void free(keyval_kind kind, int *keyval) {
    free_keyval(kind, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
}

} // namespace

void attr_delete(communicator &comm, int keyval) {
    comm_delete_attr(comm, keyval);
}

void attr_get(communicator &comm, int keyval, void *attribute_val, int *flag) {
    comm_get_attr(comm, keyval, attribute_val, flag);
}

void attr_put(communicator &comm, int keyval, void *attribute_val) {
    comm_set_attr(comm, keyval, attribute_val);
}

void comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *erase,
                        int *comm_keyval, void *extra_state) {
    *comm_keyval = create_keyval<MPI_Comm>(copy, erase, extra_state);
}

void comm_create_keyval_x(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *erase,
                          MPIX_Destructor_function *destroy, int *comm_keyval, void *extra_state) {
    *comm_keyval = create_keyval<MPI_Comm>(copy, erase, extra_state, destroy);
}

void comm_delete_attr(communicator &comm, int comm_keyval) {
    check_changeable(comm_keyval);
    comm.attributes.erase(comm.handle(), comm_keyval);
}

void comm_free_keyval(int *comm_keyval) {
    free(keyval_kind::comm, comm_keyval);
}

void comm_get_attr(communicator &comm, int comm_keyval, void *attribute_val, int *flag) {
    if (is_world_attribute(comm_keyval)) {
        const bool shown = comm.session == 0 || is_session_attribute(comm_keyval);
        const int *const value = shown ? world_attribute(comm_keyval) : nullptr;
        *flag = value != nullptr ? 1 : 0;
        if (value != nullptr) {
            store(value, attribute_val);
        }
        return;
    }
    get(comm.attributes, keyval_kind::comm, comm_keyval, attribute_val, flag);
}

void comm_set_attr(communicator &comm, int comm_keyval, void *attribute_val) {
    check_changeable(comm_keyval);
    comm.attributes.set(comm.handle(), comm_keyval, attribute_val);
}

void keyval_create(MPI_Copy_function *copy, MPI_Delete_function *erase, int *keyval, void *extra_state) {
    comm_create_keyval(copy, erase, keyval, extra_state);
}

void keyval_free(int *keyval) {
    comm_free_keyval(keyval);
}

void type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *erase,
                        int *type_keyval, void *extra_state) {
    *type_keyval = create_keyval<MPI_Datatype>(copy, erase, extra_state);
}

void type_create_keyval_x(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *erase,
                          MPIX_Destructor_function *destroy, int *type_keyval, void *extra_state) {
    *type_keyval = create_keyval<MPI_Datatype>(copy, erase, extra_state, destroy);
}

void type_delete_attr(const datatype &type, int type_keyval) {
    attributes_of(type).erase(datatype_handle(type), type_keyval);
}

void type_free_keyval(int *type_keyval) {
    free(keyval_kind::type, type_keyval);
}

void type_get_attr(const datatype &type, int type_keyval, void *attribute_val, int *flag) {
    get(attributes_of(type), keyval_kind::type, type_keyval, attribute_val, flag);
}

void type_set_attr(const datatype &type, int type_keyval, void *attribute_val) {
    attributes_of(type).set(datatype_handle(type), type_keyval, attribute_val);
}

namespace {

/// The value of one of the standard's attributes of a window; null: `keyval` is none of them.
const void *standard_value(const rma::window &win, int keyval) noexcept {
    switch (keyval) {
    case MPI_WIN_BASE:
        return win.facts.base;
    case MPI_WIN_SIZE:
        return &win.facts.size;
    case MPI_WIN_DISP_UNIT:
        return &win.facts.disp_unit;
    case MPI_WIN_CREATE_FLAVOR:
        return &win.facts.flavor;
    case MPI_WIN_MODEL:
        return &win.facts.model;
    default:
        return nullptr;
    }
}

bool is_window_attribute(int keyval) noexcept {
    return keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL;
}

void check_window_changeable(int keyval) {
    if (is_window_attribute(keyval)) {
        fail(MPI_ERR_KEYVAL, "keyval ", keyval, " is one of the standard's, which cannot be changed");
    }
}

} // namespace

void win_delete_attr(rma::window &win, int win_keyval) {
    check_window_changeable(win_keyval);
    win.attributes.erase(win.handle(), win_keyval);
}

void win_get_attr(rma::window &win, int win_keyval, void *attribute_val, int *flag) {
    if (is_window_attribute(win_keyval)) {
        store(standard_value(win, win_keyval), attribute_val);
        *flag = 1;
        return;
    }
    get(win.attributes, keyval_kind::win, win_keyval, attribute_val, flag);
}

void win_set_attr(rma::window &win, int win_keyval, void *attribute_val) {
    check_window_changeable(win_keyval);
    win.attributes.set(win.handle(), win_keyval, attribute_val);
}

void win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *erase, int *win_keyval,
                       void *extra_state) {
    *win_keyval = create_keyval<MPI_Win>(copy, erase, extra_state);
}

void win_create_keyval_x(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *erase,
                         MPIX_Destructor_function *destroy, int *win_keyval, void *extra_state) {
    *win_keyval = create_keyval<MPI_Win>(copy, erase, extra_state, destroy);
}

void win_free_keyval(int *win_keyval) {
    free(keyval_kind::win, win_keyval);
}

} // namespace lisle::api
