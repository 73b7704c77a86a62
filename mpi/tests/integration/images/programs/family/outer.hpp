// SPDX-License-Identifier: Apache-2.0
// The upper of two libraries: uses the lower one, and has a name of its own that the C library has as well.
#pragma once

#include "inner.hpp"

#include <memory>

/// Calls `error` from within the library.
std::string complain(int code);
/// Not the C library's function of this name.
extern "C" int error(int code);

/// Catches what the inner library throws, or lets it through.
int guarded(int code, bool let_through);

std::unique_ptr<shape> make_square(int side);

/// Adds over all ranks with MPI.
int sum_over_ranks(int mine);
