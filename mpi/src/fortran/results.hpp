// SPDX-License-Identifier: Apache-2.0
// What a call leaves besides handles and strings: its error code, and indices, which Fortran counts from 1.
#pragma once

#include "mpi.h"

namespace lisle::fortran {

/// The last argument, which programs of mpi_f08 may leave out.
inline void end(int *ierror, int code) noexcept {
    if (ierror != nullptr) {
        *ierror = code;
    }
}

/// The index of a request, or MPI_UNDEFINED.
class given_index {
  public:
    explicit given_index(int *into) noexcept : into_{into} {}
    given_index(const given_index &) = delete;
    given_index &operator=(const given_index &) = delete;
    ~given_index() {
        if (value_ >= 0) {
            *into_ = value_ + 1;
        } else if (value_ == MPI_UNDEFINED) {
            *into_ = value_;
        }
    }
    operator int *() noexcept { return &value_; }

  private:
    static constexpr int untouched = -1;
    int *into_;
    int value_ = untouched;
};

/// The number of the indices that a call gives, which are made Fortran's when the call is over.
class given_indices {
  public:
    given_indices(int *count, int *indices) noexcept : count_{count}, indices_{indices} { *count_ = 0; }
    given_indices(const given_indices &) = delete;
    given_indices &operator=(const given_indices &) = delete;
    ~given_indices() {
        for (int at = 0; at < *count_; ++at) {
            ++indices_[at];
        }
    }
    operator int *() noexcept { return count_; }

  private:
    int *count_;
    int *indices_;
};

} // namespace lisle::fortran
