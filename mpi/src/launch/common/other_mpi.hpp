// SPDX-License-Identifier: Apache-2.0
// Programs that were built for another MPI. With a face, a library of that MPI's names over Lisle, they run
// as they are; without one each of their ranks would find itself alone, as rank 0 of 1.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lisle::launch {

/// Whether a library of this name belongs to another MPI: libmpi.so.40 and its kin for Fortran and C++.
[[nodiscard]] constexpr bool is_other_mpi(std::string_view library) {
    constexpr std::array<std::string_view, 11> names{
        "libmpi.so.",           "libmpi_mpifh.so.", "libmpi_usempi.so.", "libmpi_usempi_ignore_tkr.so.",
        "libmpi_usempif08.so.", "libmpi_cxx.so.",   "libmpich.so.",      "libmpichfort.so.",
        "libmpichcxx.so.",      "libmpifort.so.",   "libmpicxx.so."};
    return std::ranges::any_of(names, [library](std::string_view name) { return library.starts_with(name); });
}

/// Where the libraries of faces are, from the folder that Lisle is installed in: one folder for each of
/// these.
inline constexpr std::string_view faces_folder = "lib/lisle/";
inline constexpr std::array<std::string_view, 2> faces{"openmpi", "mpich"};

/// Whether a file is a library of a face.
[[nodiscard]] constexpr bool is_face(std::string_view path) {
    return std::ranges::any_of(faces, [path](std::string_view face) {
        const auto file = path.substr(0, path.rfind('/'));
        return file.ends_with(face) && file.substr(0, file.size() - face.size()).ends_with(faces_folder);
    });
}

} // namespace lisle::launch
