// SPDX-License-Identifier: Apache-2.0
#include "fortran/section.hpp"

#include "fortran/places.hpp"

namespace lisle::fortran {

namespace {

/// Makes the datatype of a section's first elements in array element order.
class section_type {
  public:
    section_type(const CFI_cdesc_t &of, MPI_Datatype element) noexcept : of_{of}, element_{element} {}

    /// @param dimensions how many, from the first on @param elements at most as many as those have
    MPI_Datatype first(int dimensions, MPI_Count elements) const noexcept {
        if (dimensions == 0) {
            return copy(element_);
        }
        const CFI_dim_t &last = of_.dim[dimensions - 1];
        const MPI_Count in_slice = elements_of(dimensions - 1);
        const MPI_Count slices = elements / in_slice, rest = elements % in_slice;
        MPI_Datatype slice = slices != 0 ? first(dimensions - 1, in_slice) : MPI_DATATYPE_NULL;
        MPI_Datatype made = MPI_DATATYPE_NULL;
        if (slices != 0) {
            PMPI_Type_create_hvector_c(slices, 1, last.sm, slice, &made);
            PMPI_Type_free(&slice);
        }
        if (rest == 0) {
            return made;
        }
        MPI_Datatype parts[] = {first(dimensions - 1, rest), made};
        const MPI_Count ones[] = {1, 1}, places[] = {slices * last.sm, 0};
        PMPI_Type_create_struct_c(slices != 0 ? 2 : 1, ones, places, parts, &made);
        for (MPI_Datatype &each : parts) {
            if (each != MPI_DATATYPE_NULL) {
                PMPI_Type_free(&each);
            }
        }
        return made;
    }

    [[nodiscard]] MPI_Count elements_of(int dimensions) const noexcept {
        MPI_Count all = 1;
        for (int at = 0; at < dimensions; ++at) {
            all *= of_.dim[at].extent;
        }
        return all;
    }

  private:
    static MPI_Datatype copy(MPI_Datatype type) noexcept {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        PMPI_Type_dup(type, &made);
        return made;
    }

    const CFI_cdesc_t &of_;
    MPI_Datatype element_;
};

} // namespace

section::section(const CFI_cdesc_t *buffer, MPI_Count count, MPI_Datatype type) noexcept
    : address_{data_at(buffer->base_addr)}, count_{count}, type_{type} {
    if (buffer->rank == 0 || count <= 0 || CFI_is_contiguous(buffer) != 0) {
        return;
    }
    MPI_Count bytes = 0;
    if (PMPI_Type_size_c(type, &bytes) != MPI_SUCCESS || bytes <= 0) {
        return; // the call refuses the type
    }
    const auto element_bytes = static_cast<MPI_Count>(buffer->elem_len);
    MPI_Datatype element = MPI_DATATYPE_NULL;
    if (element_bytes % bytes == 0) {
        PMPI_Type_contiguous_c(element_bytes / bytes, type, &element);
    } else { // a type of several elements
        PMPI_Type_contiguous_c(element_bytes, MPI_BYTE, &element);
    }
    const MPI_Count elements = count * bytes / element_bytes;
    const section_type made{*buffer, element};
    count_ = 1;
    type_ = MPI_DATATYPE_NULL;
    if (elements <= made.elements_of(buffer->rank) && elements * element_bytes == count * bytes) {
        type_ = made.first(buffer->rank, elements);
        PMPI_Type_commit(&type_);
        own_ = true;
    }
    PMPI_Type_free(&element);
}

section::~section() {
    if (own_) {
        PMPI_Type_free(&type_); // operations that are under way keep it
    }
}

} // namespace lisle::fortran
