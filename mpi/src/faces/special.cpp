// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "faces/calls.hpp"

namespace lisle::face {

namespace {

/// Constants among the integers that a datatype was made of. [MPI-5.0 5.1.13]
void translate_contents(int combiner, int integers[]) noexcept {
    if (combiner == MPI_COMBINER_SUBARRAY) { // ndims, sizes, subsizes, starts, order
        int &order = integers[1 + 3 * integers[0]];
        order = theirs_order(order);
    } else if (combiner == MPI_COMBINER_DARRAY) { // size, rank, ndims, gsizes, distribs, dargs, psizes, order
        const int dimensions = integers[2];
        for (int i = 0; i < dimensions; ++i) {
            int &distribution = integers[3 + dimensions + i], &argument = integers[3 + 2 * dimensions + i];
            distribution = theirs_distribution(distribution);
            argument = theirs_distribution_argument(argument);
        }
        int &order = integers[3 + 4 * dimensions];
        order = theirs_order(order);
    }
}

} // namespace

int type_get_contents(theirs<MPI_Datatype> datatype, int max_integers, int max_addresses, int max_datatypes,
                      int integers[], MPI_Aint addresses[], theirs<MPI_Datatype> datatypes[]) noexcept {
    const int code = lisle_calls.MPI_Type_get_contents(datatype.ours(), max_integers, max_addresses,
                                                       max_datatypes, integers, addresses,
                                                       given_handles<MPI_Datatype>{datatypes, max_datatypes});
    int sizes[3] = {}, combiner = MPI_COMBINER_NAMED;
    if (code == MPI_SUCCESS) {
        lisle_calls.MPI_Type_get_envelope(datatype.ours(), &sizes[0], &sizes[1], &sizes[2], &combiner);
        translate_contents(combiner, integers);
    }
    return code;
}

int type_get_contents_c(theirs<MPI_Datatype> datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                        MPI_Count counts[], theirs<MPI_Datatype> datatypes[]) noexcept {
    const int code = lisle_calls.MPI_Type_get_contents_c(
        datatype.ours(), max_integers, max_addresses, max_counts, max_datatypes, integers, addresses, counts,
        given_handles<MPI_Datatype>{datatypes, max_datatypes});
    int sizes[3] = {}, combiner = MPI_COMBINER_NAMED;
    // A datatype with large counts has other integers, of which the last is the order.
    if (code == MPI_SUCCESS && max_counts == 0) {
        lisle_calls.MPI_Type_get_envelope(datatype.ours(), &sizes[0], &sizes[1], &sizes[2], &combiner);
        translate_contents(combiner, integers);
    }
    return code;
}

int file_set_view(theirs<MPI_File> fh, MPI_Offset disp, theirs<MPI_Datatype> etype,
                  theirs<MPI_Datatype> filetype, const char *datarep, theirs<MPI_Info> info) noexcept {
    if (disp == their_displacement_current) {
        disp = MPI_DISPLACEMENT_CURRENT;
    }
    return lisle_calls.MPI_File_set_view(fh.ours(), disp, etype.ours(), filetype.ours(), datarep,
                                         info.ours());
}

/// What the program was built for: it knows no later calls.
int get_version(int *version, int *subversion) noexcept {
    *version = their_version;
    *subversion = their_subversion;
    return MPI_SUCCESS;
}

int get_library_version(char *version, int *resultlen) noexcept {
    char own[MPI_MAX_LIBRARY_VERSION_STRING];
    const int code = lisle_calls.MPI_Get_library_version(own, resultlen);
    *resultlen =
        std::snprintf(version, their_max_library_version_string, "%.*s, with the binary interface of %s",
                      static_cast<int>(std::strcspn(own, "\n")), own, their_name);
    *resultlen = std::min(*resultlen, their_max_library_version_string - 1);
    return code;
}

int pcontrol(int level) noexcept {
    return lisle_calls.MPI_Pcontrol(level);
}

int type_extent(theirs<MPI_Datatype> datatype, MPI_Aint *result) noexcept {
    MPI_Aint lower = 0;
    return lisle_calls.MPI_Type_get_extent(datatype.ours(), &lower, result);
}
int type_lb(theirs<MPI_Datatype> datatype, MPI_Aint *result) noexcept {
    MPI_Aint extent = 0;
    return lisle_calls.MPI_Type_get_extent(datatype.ours(), result, &extent);
}
int type_ub(theirs<MPI_Datatype> datatype, MPI_Aint *result) noexcept {
    MPI_Aint lower = 0, extent = 0;
    const int code = lisle_calls.MPI_Type_get_extent(datatype.ours(), &lower, &extent);
    *result = lower + extent;
    return code;
}

// Fortran's statuses lie in memory as those of C do.
int status_c2f(const their_status *status, MPI_Fint *f_status) noexcept {
    std::memcpy(f_status, status, sizeof *status);
    return MPI_SUCCESS;
}
int status_f2c(const MPI_Fint *f_status, their_status *status) noexcept {
    std::memcpy(status, f_status, sizeof *status);
    return MPI_SUCCESS;
}
int status_c2f08(const their_status *status, their_status *f08_status) noexcept {
    *f08_status = *status;
    return MPI_SUCCESS;
}
int status_f082c(const their_status *f08_status, their_status *status) noexcept {
    *status = *f08_status;
    return MPI_SUCCESS;
}

} // namespace lisle::face
