// SPDX-License-Identifier: Apache-2.0
// The variables that a call's buffers lie in, as the debug information knows them (LISLE_CHECK=2): one whose
// elements are of another kind or size than the call's datatype says is named [MPI-5.0 3.3.1].
//
// Known are static variables and those on the calling stack, of arithmetic types, arrays of such, and
// pointers; not what lies on the heap, structures, and variables of which the compiler says no place.
#pragma once

#include "datatype/watched_memory.hpp"

namespace lisle::abi {

/// Of the call that the thread is in. Looks a few times at each place of the program that calls.
void look_at_variables(const watched_list &used);

} // namespace lisle::abi
