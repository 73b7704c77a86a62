// SPDX-License-Identifier: Apache-2.0
#include "fortran/section.hpp"

#include <cstdio>

#include "mpix.h"

namespace lisle::fortran {

namespace {

/// Of a dummy argument a(*), whose last dimension has no known extent.
bool has_assumed_size(const CFI_cdesc_t &buffer) noexcept {
    return buffer.rank > 0 && buffer.dim[buffer.rank - 1].extent == -1;
}

/// MPI_DATATYPE_NULL: the elements do not lie in the section, or the blocks do not lie alike.
MPI_Datatype make_type(const CFI_cdesc_t &buffer, MPI_Count count, MPI_Datatype type,
                       MPI_Count blocks) noexcept {
    MPI_Count sizes[CFI_MAX_RANK], strides[CFI_MAX_RANK];
    for (int i = 0; i < buffer.rank; ++i) {
        sizes[i] = buffer.dim[i].extent;
        strides[i] = buffer.dim[i].sm;
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    PMPIX_Type_create_section(blocks, count, type, buffer.rank, sizes, strides,
                              static_cast<MPI_Count>(buffer.elem_len), &made);
    return made;
}

/// The error handler says no more than the class; a program that ends by it is told what is wrong.
template <class Object> int refuse(const char *call, Object object, int get(Object, MPI_Errhandler *),
                                   int raise(Object, int)) noexcept {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    get(object, &handler);
    if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT) {
        std::fprintf(
            stderr,
            "lisle: %s: a buffer is a section of an array with gaps, which has too few elements, or which "
            "this call cannot take (mpi/docs/fortran.md)\n",
            call);
    }
    raise(object, MPI_ERR_BUFFER);
    if (handler != MPI_ERRHANDLER_NULL) {
        PMPI_Errhandler_free(&handler);
    }
    return MPI_ERR_BUFFER;
}

} // namespace

section::section(const CFI_cdesc_t &buffer, MPI_Count count, MPI_Datatype type, MPI_Count blocks) noexcept
    : address_{data_at(buffer.base_addr)}, count_{count}, type_{type} {
    // The call itself refuses a count or a type that is wrong.
    if (count <= 0 || blocks <= 0 || type == MPI_DATATYPE_NULL || !has_gaps(buffer)) {
        return;
    }
    count_ = 1;
    type_ = make_type(buffer, count, type, blocks);
    fits_ = own_ = type_ != MPI_DATATYPE_NULL;
}

section::~section() {
    if (own_) {
        PMPI_Type_free(&type_); // operations that are under way keep it
    }
}

bool has_gaps(const CFI_cdesc_t &buffer) noexcept {
    if (has_assumed_size(buffer)) {
        return false;
    }
    bool found = false;
    auto dense = static_cast<CFI_index_t>(buffer.elem_len);
    for (int i = 0; i < buffer.rank; ++i) {
        const CFI_dim_t &dimension = buffer.dim[i];
        found = found || (dimension.extent > 1 && dimension.sm != dense);
        dense *= dimension.extent;
    }
    return found && dense != 0;
}

bool has_gaps(const CFI_cdesc_t &buffer, MPI_Datatype type) noexcept {
    MPI_Count bytes = 0;
    return has_gaps(buffer) && PMPI_Type_size_c(type, &bytes) == MPI_SUCCESS &&
           bytes > static_cast<MPI_Count>(buffer.elem_len);
}

int refuse_section(const char *call, MPI_Comm comm) noexcept {
    return refuse(call, comm, PMPI_Comm_get_errhandler, PMPI_Comm_call_errhandler);
}

int refuse_section(const char *call, MPI_Win win) noexcept {
    return refuse(call, win, PMPI_Win_get_errhandler, PMPI_Win_call_errhandler);
}

int refuse_section(const char *call, MPI_File file) noexcept {
    return refuse(call, file, PMPI_File_get_errhandler, PMPI_File_call_errhandler);
}

int refuse_section(const char *call, MPI_Session session) noexcept {
    return refuse(call, session, PMPI_Session_get_errhandler, PMPI_Session_call_errhandler);
}

} // namespace lisle::fortran
