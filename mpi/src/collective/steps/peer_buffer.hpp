// SPDX-License-Identifier: Apache-2.0
// What the steps on an area do with the data: reductions of what ranks have posted or show, and the way to
// the buffers that they show, by address within a process and with the kernel's help between processes. All
// reductions but scans combine in pairs (in_pairs.hpp).
#pragma once

#include <vector>

#include "collective/area/long_data.hpp"
#include "collective/steps/steps.hpp"

namespace lisle::collective {

/// Elements that a reduction of `count` elements of exposed buffers needs room for.
[[nodiscard]] MPI_Count scratch_elements(const collective_area &where, MPI_Count count,
                                         const datatype &type) noexcept;

/// @pre the members have posted `expected` bytes each
void reduce_posts(const collective_area &where, std::uint64_t number, collective_area::place at,
                  const reduce_posts_step &what);

/// A buffer that another rank shows.
class peer_buffer {
  public:
    /// @param whole which buffer if the descriptor's blocks are not meant
    peer_buffer(const collective_area &where, std::uint64_t number, int peer, exposed_part what,
                typed_buffer buffer_descriptor::*whole, manner how) noexcept;

    /// Copies bytes [offset, offset + length) of its data to the same place in `to`, or from there. Returns
    /// an error class: both sides have the same size, but for errors of the user's.
    [[nodiscard]] int read(const typed_buffer &to, MPI_Count offset, MPI_Count length) const;
    [[nodiscard]] int write(const typed_buffer &from, MPI_Count offset, MPI_Count length) const;

  private:
    [[nodiscard]] int compare(const typed_buffer &own) const noexcept;

    const collective_area &where_;
    int peer_;
    manner how_;
    typed_buffer buffer_;
    bool reached_ = true;
};

struct peer_result {
    int error;  ///< an error class
    int member; ///< that it is about
};
[[nodiscard]] peer_result reduce_peers(const collective_area &where, std::uint64_t number,
                                       const reduce_peers_step &what);

/// Reduces what all members show as `give` to what they show as `take`. @pre all have the same size
void reduce_all(const op &operation, const std::vector<buffer_descriptor> &descriptors, result_place place);

} // namespace lisle::collective
