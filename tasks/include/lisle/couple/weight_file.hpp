// SPDX-License-Identifier: Apache-2.0
// Weights in files, read and written by any number of ranks together: each reads a stretch of the file, and
// what it finds goes to the ranks that have the receiver's points.
//
// The text form, for every program that can print:
//
//     lisle weights 1
//     rows 12 columns 20 entries 3      (points of the receiver's grid, of the sender's, lines that follow)
//     0 4 0.25                          (the receiver's point, the sender's, the factor; points from 0 on)
//     0 5 0.75
//     7 4 1
//
// Lines that begin with # and empty ones may be anywhere but in front. In files of netCDF points are numbered
// from 1: those of SCRIP have the variables src_address, dst_address and remap_matrix, those of ESMF col, row
// and S. They need the library of netCDF (libnetcdf.so), which is loaded when such a file is named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "lisle/couple/decomposition.hpp"
#include "lisle/couple/regridding.hpp"

namespace lisle::couple {

enum class weight_format { text, scrip, esmf };

/// Collective. What the file is, its content says. Of SCRIP's weights the first of each link counts; links to
/// the point 0 with the weight 0 are none.
/// @param wanted points of the receiver's grid that the caller has
/// @param sender_points of the sender's whole grid, the same at all ranks
/// @return the weights of the caller's places, in ascending order of places and sources
/// Throws std::invalid_argument, at all ranks the same, with file, line and column of what is wrong; also if
/// the file is for other grids. Throws lisle::error if there is no such file.
[[nodiscard]] std::vector<weight> read_weights(MPI_Comm all, const std::string &path,
                                               const decomposition &wanted, global_index sender_points);

/// Collective. The file is the same whichever ranks have the points; of a point that several places have, of
/// one rank or of many, the first one's row is written.
/// Throws std::invalid_argument, at all ranks the same, if a weight names a place or a point that there is
/// not, or the file cannot be written.
void write_weights(MPI_Comm all, const std::string &path, std::span<const weight> weights,
                   const decomposition &wanted, global_index sender_points,
                   weight_format as = weight_format::text);

} // namespace lisle::couple
