// SPDX-License-Identifier: Apache-2.0
// Attributes of communicators and datatypes through MPI's calls, the standard's own attributes, and the
// delete callbacks that MPI_Finalize runs.
#include "verify.hpp"

#include <climits>

namespace {

int copies = 0;
int deletions = 0;
std::string end_of_self; ///< what the callbacks of MPI_COMM_SELF saw, in order

int on_copy(MPI_Comm, int, void *, void *in, void *out, int *flag) {
    ++copies;
    *static_cast<void **>(out) = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int on_delete(MPI_Comm, int, void *, void *) {
    ++deletions;
    return MPI_SUCCESS;
}

int on_end(MPI_Comm comm, int, void *value, void *) {
    CHECK(comm == MPI_COMM_SELF);
    int finalized = 1;
    CHECK_MPI(MPI_Finalized(&finalized));
    CHECK_EQ(finalized, 0);
    // MPI still works.
    int sum = 0;
    const int one = 1;
    CHECK_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    end_of_self += *static_cast<char *>(value);
    return MPI_SUCCESS;
}

bool refuses = true;
int refuse(MPI_Comm, int, void *, void *) {
    return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int refuse_copy(MPI_Comm, int, void *, void *, void *, int *) {
    return MPI_ERR_OTHER;
}

int on_type_copy(MPI_Datatype, int, void *, void *in, void *out, int *flag) {
    ++copies;
    *static_cast<void **>(out) = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int on_type_delete(MPI_Datatype, int, void *, void *) {
    ++deletions;
    return MPI_SUCCESS;
}

void of_the_standard(const check::job &) {
    int *value = nullptr;
    int flag = 0;
    CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void *>(&value), &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(*value, INT_MAX);
    for (const int key : {MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE}) {
        CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, key, static_cast<void *>(&value), &flag));
        CHECK_EQ(flag, 1);
    }
    CHECK_EQ(*value, MPI_ERR_LASTCODE);
    int added = 0;
    CHECK_MPI(MPI_Add_error_class(&added));
    CHECK_EQ(*value, added);
    CHECK_MPI(MPI_Remove_error_class(added));
    CHECK_EQ(*value, MPI_ERR_LASTCODE);
    CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, value));
    CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB));
}

void of_communicators(const check::job &) {
    int key = MPI_KEYVAL_INVALID;
    CHECK_MPI(MPI_Comm_create_keyval(on_copy, on_delete, &key, nullptr));
    int value = 5;
    int *found = nullptr;
    int flag = 1;
    CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, key, static_cast<void *>(&found), &flag));
    CHECK_EQ(flag, 0);
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm third = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &first));
    CHECK_MPI(MPI_Comm_set_attr(first, key, &value));
    CHECK_MPI(MPI_Comm_dup(first, &second));
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Comm_idup(second, &third, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(copies, 2);
    CHECK_MPI(MPI_Comm_get_attr(third, key, static_cast<void *>(&found), &flag));
    CHECK_EQ(flag, 1);
    CHECK(found == &value);
    CHECK_MPI(MPI_Comm_free_keyval(&key));
    CHECK_EQ(key, static_cast<int>(MPI_KEYVAL_INVALID));
    CHECK_MPI(MPI_Comm_free(&first));
    CHECK_MPI(MPI_Comm_free(&second));
    CHECK_EQ(deletions, 2);
    CHECK_MPI(MPI_Comm_disconnect(&third));
    CHECK_EQ(deletions, 3);

    // A delete function that refuses keeps the communicator.
    CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, nullptr));
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &first));
    CHECK_MPI(MPI_Comm_set_errhandler(first, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_attr(first, key, nullptr));
    CHECK_ERROR(MPI_ERR_OTHER, MPI_Comm_free(&first));
    CHECK(first != MPI_COMM_NULL);
    int size = 0;
    CHECK_MPI(MPI_Comm_size(first, &size));
    CHECK_EQ(size, 1);
    refuses = false;
    CHECK_MPI(MPI_Comm_free(&first));
    CHECK(first == MPI_COMM_NULL);
    CHECK_MPI(MPI_Comm_free_keyval(&key));

    // A copy function that refuses leaves no duplicate.
    CHECK_MPI(MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr));
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &second));
    CHECK_MPI(MPI_Comm_set_errhandler(second, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_attr(second, key, nullptr));
    third = MPI_COMM_SELF;
    CHECK_ERROR(MPI_ERR_OTHER, MPI_Comm_dup(second, &third));
    CHECK(third == MPI_COMM_NULL);
    CHECK_MPI(MPI_Comm_free(&second));
    CHECK_MPI(MPI_Comm_free_keyval(&key));
}

void of_datatypes(const check::job &) {
    copies = deletions = 0;
    int key = MPI_KEYVAL_INVALID;
    CHECK_MPI(MPI_Type_create_keyval(on_type_copy, on_type_delete, &key, nullptr));
    int value = 5;
    int *found = nullptr;
    int flag = 0;
    CHECK_MPI(MPI_Type_set_attr(MPI_INT, key, &value));
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_dup(MPI_INT, &copy));
    CHECK_EQ(copies, 1);
    CHECK_MPI(MPI_Type_get_attr(copy, key, static_cast<void *>(&found), &flag));
    CHECK_EQ(flag, 1);
    CHECK(found == &value);
    CHECK_MPI(MPI_Type_free(&copy));
    CHECK_EQ(deletions, 1);
    CHECK_MPI(MPI_Type_delete_attr(MPI_INT, key));
    CHECK_EQ(deletions, 2);
    CHECK_MPI(MPI_Type_get_attr(MPI_INT, key, static_cast<void *>(&found), &flag));
    CHECK_EQ(flag, 0);
    CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value));
    CHECK_MPI(MPI_Type_free_keyval(&key));
}

char letters[] = "abc";

void of_self() {
    int keys[3];
    for (int i = 0; i < 3; ++i) {
        CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &keys[i], nullptr));
        CHECK_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], &letters[i]));
        CHECK_MPI(MPI_Comm_free_keyval(&keys[i]));
    }
}

/// The destructor of a key's state: when the program has freed the key and no attribute is under it.
void destroyed_with_the_last_attribute() {
    int destroyed = 0;
    const auto destroy = [](void *state) { ++*static_cast<int *>(state); };
    int key = MPI_KEYVAL_INVALID;
    CHECK_MPI(MPIX_Comm_create_keyval_x(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, destroy, &key, &destroyed));
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CHECK_MPI(MPI_Comm_set_attr(comm, key, &destroyed));
    CHECK_MPI(MPI_Comm_dup(comm, &copy));
    CHECK_MPI(MPI_Comm_free_keyval(&key));
    CHECK_MPI(MPI_Comm_free(&comm));
    CHECK_EQ(destroyed, 0);
    CHECK_MPI(MPI_Comm_free(&copy));
    CHECK_EQ(destroyed, 1);
}

} // namespace

int main(int argc, char **argv) {
    {
        const check::job job{&argc, &argv};
        CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        of_the_standard(job);
        of_communicators(job);
        of_datatypes(job);
        destroyed_with_the_last_attribute();
        of_self();
    }
    if (end_of_self != "cba") {
        std::fprintf(stderr, "MPI_Finalize deleted in the order \"%s\" instead of \"cba\"\n",
                     end_of_self.c_str());
        return 1;
    }
    return 0;
}
