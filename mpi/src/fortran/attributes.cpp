// SPDX-License-Identifier: Apache-2.0
// Attributes: integers of an address's size in Fortran, pointers in C (attribute_cell.hpp). Keys have a state
// of their own, with the program's functions and its extra state, which goes with the key. A cell stays if
// its key was made in C, whose functions do not know it.
#include <algorithm>
#include <iterator>
#include <new>

#include "fortran/attribute_cell.hpp"
#include "fortran/calls.hpp"

using namespace lisle::fortran;

namespace {

using copy_function = void (*)(int *object, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out,
                               int *flag, int *ierror);
using delete_function = void (*)(int *object, int *keyval, MPI_Aint *value, MPI_Aint *extra, int *ierror);
// Those of MPI_KEYVAL_CREATE, where values are default integers.
using old_copy_function = void (*)(int *object, int *keyval, int *extra, int *in, int *out, int *flag,
                                   int *ierror);
using old_delete_function = void (*)(int *object, int *keyval, int *value, int *extra, int *ierror);

struct key_state {
    void *copy;
    void *erase;
    MPI_Aint extra;
};

/// The end of a copy function.
int give_copy(int code, int flag, MPI_Aint copied, void *out) noexcept {
    if (code == MPI_SUCCESS && flag != 0) {
        *static_cast<void **>(out) = new_cell(copied);
    }
    return code;
}

/// The end of a delete function: if it fails the attribute stays.
int give_up(int code, void *attribute) noexcept {
    if (code == MPI_SUCCESS) {
        free_cell(attribute);
    }
    return code;
}

template <class Handle>
int copy_attribute(Handle object, int keyval, void *state, void *in, void *out, int *flag) {
    const auto &key = *static_cast<key_state *>(state);
    int from = integer_of<Handle>::to(object), code = MPI_SUCCESS;
    MPI_Aint extra = key.extra, value = value_of(in), copied = 0;
    reinterpret_cast<copy_function>(key.copy)(&from, &keyval, &extra, &value, &copied, flag, &code);
    return give_copy(code, *flag, copied, out);
}

template <class Handle> int delete_attribute(Handle object, int keyval, void *given, void *state) {
    const auto &key = *static_cast<key_state *>(state);
    int from = integer_of<Handle>::to(object), code = MPI_SUCCESS;
    MPI_Aint extra = key.extra, value = value_of(given);
    reinterpret_cast<delete_function>(key.erase)(&from, &keyval, &value, &extra, &code);
    return give_up(code, given);
}

int copy_old(MPI_Comm object, int keyval, void *state, void *in, void *out, int *flag) {
    const auto &key = *static_cast<key_state *>(state);
    int from = PMPI_Comm_toint(object), code = MPI_SUCCESS, copied = 0;
    int extra = static_cast<int>(key.extra), value = static_cast<int>(value_of(in));
    reinterpret_cast<old_copy_function>(key.copy)(&from, &keyval, &extra, &value, &copied, flag, &code);
    return give_copy(code, *flag, copied, out);
}

int delete_old(MPI_Comm object, int keyval, void *given, void *state) {
    const auto &key = *static_cast<key_state *>(state);
    int from = PMPI_Comm_toint(object), code = MPI_SUCCESS;
    int extra = static_cast<int>(key.extra), value = static_cast<int>(value_of(given));
    reinterpret_cast<old_delete_function>(key.erase)(&from, &keyval, &value, &extra, &code);
    return give_up(code, given);
}

/// Whether the value of a communicator's attribute is an integer.
bool is_of_the_standard(int keyval) noexcept {
    constexpr int all[] = {MPI_TAG_UB,        MPI_HOST,         MPI_IO,    MPI_WTIME_IS_GLOBAL,
                           MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE, MPI_APPNUM};
    return std::ranges::find(all, keyval) != std::end(all);
}

template <class Create, class Copy, class Erase>
int create_key(Create *create, Copy *copy, Erase *erase, int *keyval, const key_state &state) {
    void *const memory = std::malloc(sizeof(key_state));
    return memory == nullptr ? MPI_ERR_NO_MEM
                             : create(copy, erase, std::free, keyval, new (memory) key_state{state});
}

template <class Handle>
int attach(int (*set)(Handle, int, void *), Handle object, int keyval, MPI_Aint value) {
    void *const cell = new_cell(value);
    if (cell == nullptr) {
        return MPI_ERR_NO_MEM;
    }
    const int code = set(object, keyval, cell);
    if (code != MPI_SUCCESS) {
        free_cell(cell);
    }
    return code;
}

} // namespace

// NOLINTBEGIN(readability-non-const-parameter): Fortran passes everything by reference.
extern "C" {

// The standard's functions, which a program may also call itself.
void mpi_comm_null_copy_fn_(int *, int *, MPI_Aint *, MPI_Aint *, MPI_Aint *, int *flag, int *ierror) {
    *flag = 0;
    *ierror = MPI_SUCCESS;
}
void mpi_comm_dup_fn_(int *, int *, MPI_Aint *, MPI_Aint *in, MPI_Aint *out, int *flag, int *ierror) {
    *flag = 1;
    *out = *in;
    *ierror = MPI_SUCCESS;
}
void mpi_comm_null_delete_fn_(int *, int *, MPI_Aint *, MPI_Aint *, int *ierror) {
    *ierror = MPI_SUCCESS;
}
void mpi_null_copy_fn_(int *, int *, int *, int *, int *, int *flag, int *ierror) {
    *flag = 0;
    *ierror = MPI_SUCCESS;
}
void mpi_dup_fn_(int *, int *, int *, int *in, int *out, int *flag, int *ierror) {
    *flag = 1;
    *out = *in;
    *ierror = MPI_SUCCESS;
}
#pragma weak mpi_type_null_copy_fn_ = mpi_comm_null_copy_fn_
#pragma weak mpi_win_null_copy_fn_ = mpi_comm_null_copy_fn_
#pragma weak mpi_type_dup_fn_ = mpi_comm_dup_fn_
#pragma weak mpi_win_dup_fn_ = mpi_comm_dup_fn_
#pragma weak mpi_type_null_delete_fn_ = mpi_comm_null_delete_fn_
#pragma weak mpi_win_null_delete_fn_ = mpi_comm_null_delete_fn_
#pragma weak mpi_null_delete_fn_ = mpi_comm_null_delete_fn_

void pmpi_comm_create_keyval_(void *copy, void *erase, int *keyval, MPI_Aint *extra, int *ierror) {
    end(ierror, create_key(PMPIX_Comm_create_keyval_x, copy_attribute<MPI_Comm>, delete_attribute<MPI_Comm>,
                           keyval, {copy, erase, *extra}));
}
#pragma weak mpi_comm_create_keyval_ = pmpi_comm_create_keyval_

void pmpi_keyval_create_(void *copy, void *erase, int *keyval, int *extra, int *ierror) {
    end(ierror, create_key(PMPIX_Comm_create_keyval_x, copy_old, delete_old, keyval, {copy, erase, *extra}));
}
#pragma weak mpi_keyval_create_ = pmpi_keyval_create_

void pmpi_type_create_keyval_(void *copy, void *erase, int *keyval, MPI_Aint *extra, int *ierror) {
    end(ierror, create_key(PMPIX_Type_create_keyval_x, copy_attribute<MPI_Datatype>,
                           delete_attribute<MPI_Datatype>, keyval, {copy, erase, *extra}));
}
#pragma weak mpi_type_create_keyval_ = pmpi_type_create_keyval_

void pmpi_win_create_keyval_(void *copy, void *erase, int *keyval, MPI_Aint *extra, int *ierror) {
    end(ierror, create_key(PMPIX_Win_create_keyval_x, copy_attribute<MPI_Win>, delete_attribute<MPI_Win>,
                           keyval, {copy, erase, *extra}));
}
#pragma weak mpi_win_create_keyval_ = pmpi_win_create_keyval_

void pmpi_comm_set_attr_(int *comm, int *keyval, MPI_Aint *value, int *ierror) {
    end(ierror, attach(PMPI_Comm_set_attr, handle<MPI_Comm>(comm), *keyval, *value));
}
#pragma weak mpi_comm_set_attr_ = pmpi_comm_set_attr_

void pmpi_attr_put_(int *comm, int *keyval, int *value, int *ierror) {
    end(ierror, attach(PMPI_Comm_set_attr, handle<MPI_Comm>(comm), *keyval, *value));
}
#pragma weak mpi_attr_put_ = pmpi_attr_put_

void pmpi_comm_get_attr_(int *comm, int *keyval, MPI_Aint *value, int *flag, int *ierror) {
    void *found = nullptr;
    *flag = 0; // as it stays if the call fails
    end(ierror, PMPI_Comm_get_attr(handle<MPI_Comm>(comm), *keyval, &found, flag));
    if (*flag != 0) {
        *value = is_of_the_standard(*keyval) ? *static_cast<int *>(found) : value_of(found);
    }
}
#pragma weak mpi_comm_get_attr_ = pmpi_comm_get_attr_

void pmpi_attr_get_(int *comm, int *keyval, int *value, int *flag, int *ierror) {
    MPI_Aint found = 0;
    pmpi_comm_get_attr_(comm, keyval, &found, flag, ierror);
    if (*flag != 0) {
        *value = static_cast<int>(found);
    }
}
#pragma weak mpi_attr_get_ = pmpi_attr_get_

void pmpi_type_set_attr_(int *type, int *keyval, MPI_Aint *value, int *ierror) {
    end(ierror, attach(PMPI_Type_set_attr, handle<MPI_Datatype>(type), *keyval, *value));
}
#pragma weak mpi_type_set_attr_ = pmpi_type_set_attr_

void pmpi_type_get_attr_(int *type, int *keyval, MPI_Aint *value, int *flag, int *ierror) {
    void *found = nullptr;
    *flag = 0; // as it stays if the call fails
    end(ierror, PMPI_Type_get_attr(handle<MPI_Datatype>(type), *keyval, &found, flag));
    if (*flag != 0) {
        *value = value_of(found);
    }
}
#pragma weak mpi_type_get_attr_ = pmpi_type_get_attr_

void pmpi_win_set_attr_(int *win, int *keyval, MPI_Aint *value, int *ierror) {
    end(ierror, attach(PMPI_Win_set_attr, handle<MPI_Win>(win), *keyval, *value));
}
#pragma weak mpi_win_set_attr_ = pmpi_win_set_attr_

void pmpi_win_get_attr_(int *win, int *keyval, MPI_Aint *value, int *flag, int *ierror) {
    void *found = nullptr;
    *flag = 0; // as it stays if the call fails
    end(ierror, PMPI_Win_get_attr(handle<MPI_Win>(win), *keyval, &found, flag));
    if (*flag == 0) {
        return;
    }
    switch (*keyval) {
    case MPI_WIN_SIZE:
        *value = *static_cast<MPI_Aint *>(found);
        return;
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        *value = *static_cast<int *>(found);
        return;
    default: // MPI_WIN_BASE, and the program's own
        *value = value_of(found);
    }
}
#pragma weak mpi_win_get_attr_ = pmpi_win_get_attr_
}
// NOLINTEND(readability-non-const-parameter)
