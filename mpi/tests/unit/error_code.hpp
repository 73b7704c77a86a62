// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

/// The class or code of the error that a call throws, which has a sentence; MPI_SUCCESS: none.
template <class Call> int code_of(Call call) {
    try {
        call();
    } catch (const mpi_error &error) {
        EXPECT_STRNE(error.what(), "");
        return error.code();
    }
    return MPI_SUCCESS;
}

} // namespace lisle
