// SPDX-License-Identifier: Apache-2.0
// Wrong arguments of the calls about groups, communicators, info objects and error handlers, and what is
// right at the edges.
#include "verify.hpp"

#include <cstring>

namespace {

void communicators() {
    MPI_Comm none = MPI_COMM_NULL;
    int number = 0;
    char name[MPI_MAX_OBJECT_NAME + 1];
    std::memset(name, 'n', sizeof name);
    name[MPI_MAX_OBJECT_NAME] = '\0';
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &number));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_size(MPI_COMM_WORLD, nullptr));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_free(&none));
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_free(&world));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_disconnect(&world));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &none));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, MPI_INFO_NULL, &none));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_set_name(MPI_COMM_WORLD, name));
    name[MPI_MAX_OBJECT_NAME - 1] = '\0';
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &copy));
    CHECK_MPI(MPI_Comm_set_name(copy, name));
    char got[MPI_MAX_OBJECT_NAME];
    CHECK_MPI(MPI_Comm_get_name(copy, got, &number));
    CHECK_EQ(number, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQ(std::strcmp(name, got), 0);
    // A group that is no part of the communicator.
    int size = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (size > 1) {
        MPI_Group group = MPI_GROUP_NULL;
        CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &group));
        CHECK_MPI(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
        CHECK_ERROR(MPI_ERR_GROUP, MPI_Comm_create(copy, group, &none));
        CHECK_MPI(MPI_Group_free(&group));
    }
    CHECK_ERROR(MPI_ERR_GROUP, MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &none));
    MPI_Comm stale = copy;
    CHECK_MPI(MPI_Comm_free(&copy));
    static_cast<void>(stale);
}

void groups() {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group made = MPI_GROUP_NULL;
    int size = 0;
    int number = 0;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_MPI(MPI_Group_size(world, &size));
    CHECK_MPI(MPI_Group_rank(MPI_GROUP_EMPTY, &number));
    CHECK_EQ(number, static_cast<int>(MPI_UNDEFINED));
    CHECK_ERROR(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &number));
    const int outside = size;
    CHECK_ERROR(MPI_ERR_RANK, MPI_Group_incl(world, 1, &outside, &made));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Group_excl(world, 1, &outside, &made));
    const int twice[] = {0, 0};
    CHECK_ERROR(MPI_ERR_RANK, MPI_Group_incl(world, 2, twice, &made));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_incl(world, -1, twice, &made));
    int ranges[1][3] = {{0, size - 1, 0}};
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_range_incl(world, 1, ranges, &made));
    CHECK_MPI(MPI_Group_incl(world, 0, nullptr, &made));
    CHECK(made == MPI_GROUP_EMPTY);
    CHECK_MPI(MPI_Group_free(&made));
    CHECK_MPI(MPI_Group_excl(world, 0, nullptr, &made));
    CHECK_MPI(MPI_Group_compare(world, made, &number));
    CHECK_EQ(number, static_cast<int>(MPI_IDENT));
    [[maybe_unused]] const MPI_Group stale = made;
    CHECK_MPI(MPI_Group_free(&made));
    CHECK(made == MPI_GROUP_NULL);
    CHECK_MPI(MPI_Group_free(&world));
// The check looks at what the freed object has left behind, which sanitizers rightly report.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK_ERROR(MPI_ERR_GROUP, MPI_Group_size(stale, &number));
#endif
}

void infos() {
    MPI_Info info = MPI_INFO_NULL;
    int number = 0;
    int flag = 0;
    char value[MPI_MAX_INFO_VAL];
    CHECK_ERROR(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_NULL, "key", "value"));
    CHECK_MPI(MPI_Info_create(&info));
    CHECK_ERROR(MPI_ERR_INFO_KEY, MPI_Info_set(info, "", "value"));
    CHECK_ERROR(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "key"));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Info_get_nthkey(info, 0, value));
    CHECK_MPI(MPI_Info_set(info, "key", "value"));
    MPI_Info copy = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_dup(info, &copy));
    CHECK_MPI(MPI_Info_delete(info, "key"));
    CHECK_MPI(MPI_Info_get_nkeys(info, &number));
    CHECK_EQ(number, 0);
    CHECK_MPI(MPI_Info_get(copy, "key", MPI_MAX_INFO_VAL - 1, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(std::string{value}, "value");
    CHECK_MPI(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    CHECK_MPI(MPI_Info_free(&copy));
    int size = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    int length = sizeof value;
    CHECK_MPI(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &length, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(std::string{value}, std::to_string(size));
    info = MPI_INFO_ENV;
    CHECK_ERROR(MPI_ERR_INFO, MPI_Info_free(&info));
    CHECK_ERROR(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_ENV, "key", "value"));
}

MPI_Comm failed_on = MPI_COMM_NULL;
int failed_with = MPI_SUCCESS;

void remember(MPI_Comm *comm, int *code, ...) {
    failed_on = *comm;
    failed_with = *code;
}

void handlers() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_ERROR(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
    CHECK_MPI(MPI_Comm_create_errhandler(remember, &handler));
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_SELF, &copy));
    CHECK_MPI(MPI_Comm_set_errhandler(copy, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    int value = 0;
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, 5, 0, copy));
    CHECK(failed_on == copy);
    CHECK_EQ(check::error_class(failed_with), static_cast<int>(MPI_ERR_RANK));
    CHECK_MPI(MPI_Comm_call_errhandler(copy, MPI_ERR_TAG));
    CHECK_EQ(failed_with, static_cast<int>(MPI_ERR_TAG));
    CHECK_MPI(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_TAG));
    CHECK_MPI(MPI_Comm_free(&copy));

    int error_class = 0;
    int code = 0;
    CHECK_MPI(MPI_Add_error_class(&error_class));
    CHECK_MPI(MPI_Add_error_code(error_class, &code));
    CHECK_MPI(MPI_Add_error_string(code, "the soup is cold"));
    CHECK_EQ(check::error_class(code), error_class);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    CHECK_MPI(MPI_Error_string(code, text, &length));
    CHECK_EQ(std::string{text}, "the soup is cold");
    // The same after a call has failed with it.
    const auto refuse = [](MPI_Comm, int, void *with, void *, void *, int *) {
        return *static_cast<int *>(with);
    };
    int keyval = MPI_KEYVAL_INVALID;
    CHECK_MPI(MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &keyval, &code));
    CHECK_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &copy), code);
    CHECK_MPI(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval));
    CHECK_MPI(MPI_Comm_free_keyval(&keyval));
    CHECK_MPI(MPI_Error_string(code, text, &length));
    CHECK_EQ(std::string{text}, "the soup is cold");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Error_string(-17, text, &length));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Remove_error_code(code)); // it has a text
    CHECK_MPI(MPI_Error_string(code, text, &length));
    CHECK_EQ(std::string{text}, "the soup is cold");
    CHECK_MPI(MPI_Remove_error_string(code));
    CHECK_MPI(MPI_Remove_error_code(code));
    CHECK_MPI(MPI_Remove_error_class(error_class));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    communicators();
    groups();
    infos();
    handlers();
    return 0;
}
