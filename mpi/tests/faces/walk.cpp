// SPDX-License-Identifier: Apache-2.0
// What crosses between a program of another MPI's binary interface and Lisle, sort by sort: handles that
// callbacks see, constants, statuses, codes, integers of Fortran, strings cut to the program's room.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int rank, size;

void expect(bool holds, const char *what) {
    if (!holds) {
        std::fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

// ---- callbacks see the program's own handles ----

void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    expect(*type == MPI_INT, "a reduction sees its datatype");
    for (int i = 0; i < *count; ++i) {
        static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
    }
}

int copied, deleted, key;

int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
    expect(comm == MPI_COMM_WORLD && keyval == key && extra == &copied, "a copy function sees its arguments");
    *static_cast<void **>(out) = in;
    *flag = 1;
    ++copied;
    return MPI_SUCCESS;
}

int erase(MPI_Comm, int keyval, void *value, void *extra) {
    expect(keyval == key && value == &rank && extra == &copied, "a delete function sees its arguments");
    ++deleted;
    return MPI_SUCCESS;
}

int heard_code;
MPI_Comm heard_comm = MPI_COMM_NULL;

void hear(MPI_Comm *comm, int *code, ...) {
    heard_comm = *comm;
    heard_code = *code;
}

int query(void *extra, MPI_Status *status) {
    MPI_Status_set_elements(status, MPI_DOUBLE, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_PROC_NULL;
    status->MPI_TAG = MPI_ANY_TAG;
    *static_cast<int *>(extra) += 1;
    return MPI_SUCCESS;
}
int free_state(void *extra) {
    *static_cast<int *>(extra) += 10;
    return MPI_SUCCESS;
}
int cancel(void *, int) {
    return MPI_SUCCESS;
}

void check_callbacks() {
    MPI_Op op;
    int mine = rank + 1, sum = 0;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    expect(sum == size * (size + 1) / 2, "a user's operation reduces");
    MPI_Op_free(&op);
    expect(op == MPI_OP_NULL, "a freed operation is null");

    MPI_Comm duplicate;
    MPI_Comm_create_keyval(copy, erase, &key, &copied);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_free(&duplicate);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    expect(copied == 1 && deleted == 2, "attribute functions are called");
    expect(key == MPI_KEYVAL_INVALID, "a freed key is invalid");
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    void *value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(duplicate, key, &value, &flag);
    expect(flag != 0 && value == &rank, "MPI_COMM_DUP_FN copies");
    MPI_Comm_free(&duplicate);
    MPI_Comm_free_keyval(&key);

    MPI_Errhandler handler, found;
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    const int code = MPI_Send(&mine, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD);
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    expect(heard_comm == MPI_COMM_WORLD && heard_code == code && error_class == MPI_ERR_RANK,
           "an error handler hears");
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
    expect(found == handler, "the handler is found again");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
    expect(found == MPI_ERRORS_ARE_FATAL, "a predefined handler is the program's object");

    MPI_Request request;
    MPI_Status status;
    int calls = 0, count = 0;
    MPI_Grequest_start(query, free_state, cancel, &calls, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    expect(calls == 11 && count == 3 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG &&
               request == MPI_REQUEST_NULL,
           "a generalized request tells its status");
}

void check_statuses() {
    MPI_Request requests[3];
    MPI_Status statuses[3], one;
    int in[3] = {}, out = rank, count = 0, cancelled = 1;
    MPI_Irecv(in, 3, MPI_INT, (rank + size - 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + 2, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    MPI_Test_cancelled(&statuses[0], &cancelled);
    expect(statuses[0].MPI_SOURCE == (rank + size - 1) % size && statuses[0].MPI_TAG == 5 && count == 1 &&
               cancelled == 0,
           "a status of several tells source, tag and count");
    expect(statuses[1].MPI_SOURCE == MPI_PROC_NULL && statuses[1].MPI_TAG == MPI_ANY_TAG, "nobody sends");
    expect(requests[0] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL, "complete requests are null");
    one.MPI_ERROR = 4711;
    MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &one);
    expect(one.MPI_ERROR == 4711, "a single status keeps its error field");
    MPI_Irecv(in, 1, MPI_INT, 0, 99, MPI_COMM_SELF, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &one);
    MPI_Test_cancelled(&one, &cancelled);
    expect(cancelled != 0, "a cancelled receive says so");
    int fortran[16];
    MPI_Status_c2f(&statuses[0], fortran);
    MPI_Status_f2c(fortran, &one);
    expect(one.MPI_TAG == 5, "a status survives Fortran");
}

void check_constants() {
    int result = -1, levels = -1, flag = 0;
    MPI_Comm duplicate, cartesian;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_compare(MPI_COMM_WORLD, duplicate, &result);
    expect(result == MPI_CONGRUENT, "communicators are compared");
    MPI_Query_thread(&levels);
    expect(levels == MPI_THREAD_MULTIPLE, "thread levels");
    const int dimensions[1] = {size}, periods[1] = {0};
    MPI_Cart_create(duplicate, 1, dimensions, periods, 0, &cartesian);
    MPI_Topo_test(cartesian, &result);
    int left = 0, right = 0;
    MPI_Cart_shift(cartesian, 0, size, &left, &right);
    expect(result == MPI_CART && left == MPI_PROC_NULL && right == MPI_PROC_NULL, "topologies");
    MPI_Comm_free(&cartesian);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &cartesian);
    expect(cartesian == MPI_COMM_NULL, "no communicator is the program's null");
    MPI_Comm_split_type(duplicate, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &cartesian);
    MPI_Comm_free(&cartesian);

    int *flavor = nullptr, *universe = nullptr;
    MPI_Win window;
    void *memory = nullptr;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, duplicate, &memory, &window);
    MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    expect(flag != 0 && *flavor == MPI_WIN_FLAVOR_ALLOCATE, "a window's flavor");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, window);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    expect(window == MPI_WIN_NULL, "a freed window is null");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
    expect(flag == 0 || *universe >= size, "the universe's size");
    MPI_Comm_free(&duplicate);

    MPI_Datatype array, inner[1];
    const int sizes[2] = {4, 4}, part[2] = {2, 2}, start[2] = {1, 1};
    int integers = 0, addresses = 0, types = 0, combiner = 0, contents[16];
    MPI_Aint places[1];
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_FORTRAN, MPI_DOUBLE, &array);
    MPI_Type_get_envelope(array, &integers, &addresses, &types, &combiner);
    MPI_Type_get_contents(array, integers, addresses, types, contents, places, inner);
    expect(combiner == MPI_COMBINER_SUBARRAY && contents[7] == MPI_ORDER_FORTRAN && inner[0] == MPI_DOUBLE,
           "a datatype tells how it was made");
    MPI_Type_free(&array);
    expect(array == MPI_DATATYPE_NULL, "a freed datatype is null");
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &array);
    expect(array == MPI_REAL8 || array == MPI_DOUBLE_PRECISION || array == MPI_DOUBLE, "a type of a size");
}

void check_integers() {
    expect(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD, "MPI_COMM_WORLD survives Fortran");
    expect(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE, "MPI_DOUBLE survives Fortran");
    expect(MPI_Op_f2c(MPI_Op_c2f(MPI_MAXLOC)) == MPI_MAXLOC, "MPI_MAXLOC survives Fortran");
    expect(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL,
           "MPI_REQUEST_NULL survives Fortran");
    MPI_Comm duplicate;
    MPI_Comm_dup(MPI_COMM_SELF, &duplicate);
    expect(MPI_Comm_f2c(MPI_Comm_c2f(duplicate)) == duplicate, "a communicator survives Fortran");
    MPI_Comm_free(&duplicate);
}

void check_strings() {
    struct {
        char text[MPI_MAX_OBJECT_NAME];
        char guard[8];
    } name;
    std::memcpy(name.guard, "guarded", 8);
    char longer[128];
    std::memset(longer, 'x', sizeof longer - 1);
    longer[100] = '\0';
    MPI_Comm duplicate;
    int length = 0;
    MPI_Comm_dup(MPI_COMM_SELF, &duplicate);
    MPI_Comm_set_name(duplicate, longer);
    MPI_Comm_get_name(duplicate, name.text, &length);
    expect(static_cast<std::size_t>(length) == std::strlen(name.text) && length < MPI_MAX_OBJECT_NAME &&
               std::strcmp(name.guard, "guarded") == 0,
           "a name is cut to the program's room");
    MPI_Comm_free(&duplicate);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(text, &length);
    expect(std::strncmp(text, "Lisle", 5) == 0 && length < MPI_MAX_LIBRARY_VERSION_STRING,
           "the library says who it is");
    int version = 0, subversion = 0;
    MPI_Get_version(&version, &subversion);
    expect(version == MPI_VERSION && subversion == MPI_SUBVERSION, "the standard that the program knows");
}

void check_codes() {
    int added = 0, code = 0, error_class = 0, length = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&added);
    expect(added > MPI_ERR_LASTCODE || added > 0, "a class is added");
    MPI_Add_error_code(added, &code);
    MPI_Add_error_string(code, "of the program's own");
    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text, &length);
    expect(error_class == added && std::strcmp(text, "of the program's own") == 0,
           "codes of the program's own");
    int *last = nullptr, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    expect(flag != 0 && *last >= code, "the last used code");
    // Of a class that the interface does not have.
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), &error_class);
    expect(error_class == MPI_ERR_ARG, "an error handler that is none");
}

} // namespace

int main(int argc, char **argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_callbacks();
    check_statuses();
    check_constants();
    check_integers();
    check_strings();
    check_codes();
    MPI_Finalize();
    return 0;
}
