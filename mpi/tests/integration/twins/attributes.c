/* SPDX-License-Identifier: Apache-2.0
 * Attributes, error classes and info. */
#include "twins.h"

static int refuse(MPI_Comm comm, int key, void *value, void *state) {
    (void)comm, (void)key, (void)state;
    return *(int *)value;
}

static void attribute_key_freed(void) {
    int key, value = 1;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    const int copy = key;
    if (!right) {
        MPI_Comm_free_keyval(&key);
    }
    MPI_Comm_set_attr(MPI_COMM_SELF, copy, &value); /* A attribute_key_freed */
    if (right) {
        MPI_Comm_free_keyval(&key);
    }
}

static void attribute_other_kind(void) {
    int key, value = 1;
    if (right) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    } else {
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    }
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value); /* A attribute_other_kind */
    MPI_Comm_free_keyval(&key);
}

static void attribute_of_system(void) {
    int value = 1, key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, right ? key : MPI_TAG_UB, &value); /* A attribute_of_system */
    MPI_Comm_free_keyval(&key);
}

/* What deletes an attribute fails: so does the call that frees the communicator. */
static void attribute_delete_fails(void) {
    int key, code = right ? MPI_SUCCESS : MPI_ERR_OTHER;
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
    MPI_Comm_set_attr(made, key, &code);
    MPI_Comm_free(&made); /* A attribute_delete_fails */
    MPI_Comm_free_keyval(&key);
}

static void attribute_key_left(void) {
    int key, value = 1;
    MPI_Win window;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key,
                          NULL); /* A attribute_key_left */
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &window);
    MPI_Win_set_attr(window, key, &value);
    MPI_Win_free(&window);
    if (right) {
        MPI_Win_free_keyval(&key);
    }
}

/* A class cannot be removed while a code belongs to it. */
static void error_class_in_use(void) {
    int class, code;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    if (right) {
        MPI_Remove_error_code(code);
    }
    MPI_Remove_error_class(class); /* A error_class_in_use */
    if (!right) {
        MPI_Remove_error_code(code);
    }
}

const struct mistake attribute_mistakes[] = {
    {"attribute_key_freed", attribute_key_freed, MPI_THREAD_SINGLE},
    {"attribute_other_kind", attribute_other_kind, MPI_THREAD_SINGLE},
    {"attribute_of_system", attribute_of_system, MPI_THREAD_SINGLE},
    {"attribute_delete_fails", attribute_delete_fails, MPI_THREAD_SINGLE},
    {"attribute_key_left", attribute_key_left, MPI_THREAD_SINGLE},
    {"error_class_in_use", error_class_in_use, MPI_THREAD_SINGLE},
    {0},
};
