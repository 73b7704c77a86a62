// SPDX-License-Identifier: Apache-2.0
// Names of datatypes: predefined ones have the standard's, derived ones none until the program gives one.
#include "verify.hpp"

namespace {

std::string name_of(MPI_Datatype type) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    CHECK_MPI(MPI_Type_get_name(type, name, &length));
    CHECK_EQ(std::string{name}.size(), static_cast<std::size_t>(length));
    return name;
}

void predefined() {
    const struct {
        MPI_Datatype type;
        const char *name;
    } types[] = {{MPI_INT, "MPI_INT"},
                 {MPI_BYTE, "MPI_BYTE"},
                 {MPI_PACKED, "MPI_PACKED"},
                 {MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG"},
                 {MPI_UINT64_T, "MPI_UINT64_T"},
                 {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX"},
                 {MPI_DOUBLE_INT, "MPI_DOUBLE_INT"}};
    for (const auto &each : types)
        CHECK_EQ(name_of(each.type), each.name);
}

// Two names of one handle: the older and shorter one is told, also of the other.
void handles_with_two_names() {
    CHECK_EQ(name_of(MPI_C_COMPLEX), "MPI_C_COMPLEX");
    CHECK_EQ(name_of(MPI_C_FLOAT_COMPLEX), "MPI_C_COMPLEX");
    CHECK_EQ(name_of(MPI_LONG_LONG_INT), std::string{"MPI_LONG_LONG_INT"});
    CHECK_EQ(name_of(MPI_LONG_LONG), std::string{"MPI_LONG_LONG_INT"}); // a synonym [MPI-5.0 3.2.2]
}

void derived() {
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &pair));
    CHECK_EQ(name_of(pair), "");
    CHECK_MPI(MPI_Type_set_name(pair, "a pair"));
    CHECK_EQ(name_of(pair), "a pair");
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_dup(pair, &copy));
    CHECK_EQ(name_of(copy), "");
    CHECK_MPI(MPI_Type_free(&copy));
    CHECK_MPI(MPI_Type_free(&pair));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    predefined();
    handles_with_two_names();
    derived();
    return 0;
}
