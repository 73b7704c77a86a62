// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lisle/communicator.hpp>
#include <lisle/couple/weight_file.hpp>

namespace lisle::couple::detail {

/// One entry of the matrix as a file has it, with points from 0 on.
struct file_entry {
    global_index row, column;
    double factor;
};

/// What a file says of its matrix.
struct file_header {
    global_index rows = 0, columns = 0;
    std::int64_t entries = 0;
};

/// What one rank has read of a file.
struct file_part {
    file_header header;
    std::vector<file_entry> entries;
};

// All four are collective, and throw at all ranks the same. Who writes has the entries that follow those of
// the ranks before it.

[[nodiscard]] file_part read_text(const communicator &ranks, const std::string &path);
void write_text(const communicator &ranks, const std::string &path, const file_part &own);
[[nodiscard]] file_part read_netcdf(const communicator &ranks, const std::string &path);
void write_netcdf(const communicator &ranks, const std::string &path, const file_part &own, weight_format as);

} // namespace lisle::couple::detail
