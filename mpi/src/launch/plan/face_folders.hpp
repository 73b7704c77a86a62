// SPDX-License-Identifier: Apache-2.0
// Where programs that were built for another MPI find its libraries: in Lisle's faces of them.
#pragma once

#include <string>
#include <string_view>

namespace lisle::launch {

/// The folder that Lisle is installed in, which the launcher itself lies in; empty if the system does not
/// say.
[[nodiscard]] std::string installed_in();

/// Folders for LD_LIBRARY_PATH, with ':' between: those of all faces that are installed, or of one.
/// @param abi what --abi says: empty or auto, standard (none), or the name of a face
[[nodiscard]] std::string face_folders(std::string_view abi);

/// The face among these that has a library of this name; empty if none has.
[[nodiscard]] std::string_view face_with(std::string_view abi, const std::string &library);

} // namespace lisle::launch
