// SPDX-License-Identifier: Apache-2.0
// The parts of the machine that a rank may be restricted to, as the kernel describes them in /sys: what
// MPI_Get_hw_resource_info tells and MPI_Comm_split_type goes by. Read anew by each call, since a thread may
// be bound anew at any time; nothing is offered that the kernel does not tell of.
#pragma once

#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace lisle {

/// What all ranks of a node share; the one sort that the standard names.
inline constexpr std::string_view shared_memory_type = "mpi_shared_memory";

/// The other sorts of parts, the largest first, under the names that hwloc gave them.
inline constexpr std::string_view hardware_types[] = {
    "hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache", "hwloc://L2Cache",
    "hwloc://L1Cache", "hwloc://Core",     "hwloc://PU"};

/// For each of them the part that the calling thread is restricted to, by the number of its first processor.
using hardware_place = std::array<int, std::size(hardware_types)>;
inline constexpr int not_restricted = -1;         ///< to one part of this sort
inline constexpr int not_known = -2;              ///< the machine does not tell of such parts
inline constexpr int most_memory_nodes = 1 << 16; ///< that a machine has

[[nodiscard]] hardware_place find_hardware_place();

/// The parts of the machine that have memory of their own (NUMA nodes), read once.
class memory_nodes {
  public:
    memory_nodes();
    /// Which of them the process (its first thread) is restricted to, or `not_restricted`.
    [[nodiscard]] int node_of(int process_id) const;

  private:
    std::vector<std::vector<int>> processors_;
};

} // namespace lisle
