// SPDX-License-Identifier: Apache-2.0
// Buffers that are sections of arrays, as a(:, 1:9:2): a descriptor tells where their elements lie, and a
// datatype made from it takes them from there [MPI-5.0 19.1.12].
#pragma once

#include <ISO_Fortran_binding.h>

#include "mpi.h"

namespace lisle::fortran {

/// A buffer with its count and datatype, for one call. Elements that lie without gaps are passed as they are.
class section {
  public:
    section(const CFI_cdesc_t *buffer, MPI_Count count, MPI_Datatype type) noexcept;
    section(const section &) = delete;
    section &operator=(const section &) = delete;
    ~section();

    [[nodiscard]] void *address() const noexcept { return address_; }
    template <class Count> [[nodiscard]] Count count() const noexcept { return static_cast<Count>(count_); }
    /// MPI_DATATYPE_NULL, which the call refuses, if the section has fewer elements than are asked for.
    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

  private:
    void *address_;
    MPI_Count count_;
    MPI_Datatype type_;
    bool own_ = false; ///< type_ was made here
};

} // namespace lisle::fortran
