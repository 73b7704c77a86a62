// SPDX-License-Identifier: Apache-2.0
// The memory that a replay's calls use instead of the program's: as long as theirs, and with nothing in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi.h"

namespace lisle::replay {

/// Where the data of a buffer lie, in bytes from its address.
struct data_range {
    std::int64_t begin = 0, end = 0;
};

// Each throws trace_error where no memory is as long.
[[nodiscard]] data_range data_of(MPI_Count count, MPI_Datatype type, MPI_Count blocks = 1);
/// Of blocks, each of so many elements of a type, and so many bytes from the buffer's address.
struct block_of_data {
    MPI_Count count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Count begin = 0;
};
[[nodiscard]] data_range data_of(std::span<const block_of_data> blocks);
/// A place in extents of a type, in bytes.
[[nodiscard]] MPI_Count bytes_of(MPI_Count place, MPI_Datatype type);

/// One block after the other.
template <class Count> [[nodiscard]] data_range data_of(const std::vector<Count> &counts, MPI_Datatype type) {
    std::vector<block_of_data> blocks;
    MPI_Count begin = 0;
    for (const Count each : counts) {
        blocks.push_back({each, type, bytes_of(begin, type)});
        begin += each;
    }
    return data_of(blocks);
}
/// @param places in extents of the type
template <class Count, class Place> [[nodiscard]] data_range
data_of(const std::vector<Count> &counts, const std::vector<Place> &places, MPI_Datatype type) {
    std::vector<block_of_data> blocks;
    for (std::size_t at = 0; at != counts.size(); ++at) {
        blocks.push_back({counts[at], type, bytes_of(places[at], type)});
    }
    return data_of(blocks);
}
/// @param places in bytes
template <class Count, class Place> [[nodiscard]] data_range data_of(const std::vector<Count> &counts,
                                                                     const std::vector<Place> &places,
                                                                     const std::vector<MPI_Datatype> &types) {
    std::vector<block_of_data> blocks;
    for (std::size_t at = 0; at != counts.size(); ++at) {
        blocks.push_back({counts[at], types[at], places[at]});
    }
    return data_of(blocks);
}

/// Memory that many calls use at a time, as nobody cares what is in it. It grows, and stays where it was.
class shared_memory_area {
  public:
    /// An address behind which a buffer's data have room. Throws trace_error.
    [[nodiscard]] void *at(data_range data);

  private:
    char *begin_ = nullptr;
    std::int64_t bytes_ = 0;
};

/// Throws trace_error if there is not so much. It is there until the process ends, and takes room when it is
/// written to.
[[nodiscard]] char *reserve(std::int64_t bytes);

} // namespace lisle::replay
