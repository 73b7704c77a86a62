// SPDX-License-Identifier: Apache-2.0
// See identity.cpp.
#pragma once

#include <string>

namespace lisle::host {

/// From now on the process passes for this program. @pre no rank runs yet.
void take_identity(const std::string &path, const std::string &called_as);

/// Names the calling thread after the program and this rank, for top and debuggers.
void name_thread(int rank);

} // namespace lisle::host
