// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "communicator/communicator.hpp"
#include "datatype/typed_buffer.hpp"
#include "file/byte_room.hpp"
#include "protocol/message/request.hpp"

namespace lisle::file {

/// What one rank sends to each of the others, and takes from it, in one step of a collective access.
class block_exchange {
  public:
    explicit block_exchange(communicator &members);

    /// By rank. Changed between exchanges only.
    std::vector<byte_room> sent, taken;

    /// Begins to tell each rank how many bytes it is sent.
    [[nodiscard]] protocol::request *start_sizes();
    /// Then: how many bytes a rank sends, as it says itself.
    [[nodiscard]] MPI_Count size_from(std::size_t rank) const noexcept { return taken_sizes_[rank]; }
    /// Begins to exchange the blocks. @pre all ranks know how long theirs are
    [[nodiscard]] protocol::request *start();

  private:
    communicator &members_;
    std::vector<MPI_Count> sent_sizes_, taken_sizes_;
    std::vector<typed_buffer> sent_blocks_, taken_blocks_;
};

} // namespace lisle::file
