// SPDX-License-Identifier: Apache-2.0
// Buffers that are sections of arrays, as a(:, 1:9:2): a descriptor tells where their elements lie. They
// count as if they followed each other, as in a copy that the compiler makes [MPI-5.0 19.1.12], so the call
// is given a datatype that takes each of the buffer's bytes from where it lies (datatype/array_section.hpp).
#pragma once

#include <ISO_Fortran_binding.h>

#include "fortran/places.hpp"
#include "mpi.h"

namespace lisle::fortran {

/// A buffer with its count and datatype, for one call. Elements that lie without gaps are passed as they are.
class section {
  public:
    /// @param blocks how many times `count` elements the buffer has, one after the other; 0: it means nothing
    /// here
    section(const CFI_cdesc_t &buffer, MPI_Count count, MPI_Datatype type, MPI_Count blocks) noexcept;
    section(const section &) = delete;
    section &operator=(const section &) = delete;
    ~section();

    /// False if the section has fewer elements than are asked for, or the blocks do not lie alike.
    [[nodiscard]] bool fits() const noexcept { return fits_; }
    [[nodiscard]] void *address() const noexcept { return address_; }
    template <class Count> [[nodiscard]] Count count() const noexcept { return static_cast<Count>(count_); }
    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

  private:
    void *address_;
    MPI_Count count_;
    MPI_Datatype type_;
    bool own_ = false; ///< type_ was made here
    bool fits_ = true;
};

/// Whether there is memory between the buffer's elements.
[[nodiscard]] bool has_gaps(const CFI_cdesc_t &buffer) noexcept;
/// Whether there is within the buffer's first element of a type.
[[nodiscard]] bool has_gaps(const CFI_cdesc_t &buffer, MPI_Datatype type) noexcept;

[[nodiscard]] inline void *data_at(const CFI_cdesc_t *buffer) noexcept {
    return data_at(buffer->base_addr);
}

/// Raises MPI_ERR_BUFFER for a section that a call cannot take, and returns it.
int refuse_section(const char *call, MPI_Comm comm) noexcept;
int refuse_section(const char *call, MPI_Win win) noexcept;
int refuse_section(const char *call, MPI_File file) noexcept;
int refuse_section(const char *call, MPI_Session session) noexcept;

} // namespace lisle::fortran
