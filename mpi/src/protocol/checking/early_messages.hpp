// SPDX-License-Identifier: Apache-2.0
// Messages of MPI_Rsend that came before their receives were posted (LISLE_CHECK=2): the program may not send
// in the ready mode then [MPI-5.0 3.4]. Known of messages that say where they were sent.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "execution/rank_local.hpp"
#include "protocol/message/packet.hpp"

namespace lisle::protocol {

class receive_operation;

/// Of one rank. Thread-safe.
class early_messages {
  public:
    struct message {
        std::string call; ///< "MPI_Rsend at ring.c:12"
        std::uint64_t context;
        int source, tag; ///< in the communicator of that context
        std::uint32_t posting;
    };
    /// A receive takes a message that was here before it.
    void look(const type_note &note, const receive_operation &receive);
    /// Those that have been found, which are then forgotten.
    [[nodiscard]] std::vector<message> take();

  private:
    std::mutex mutex_; ///< protects found_; innermost lock
    std::vector<message> found_;
};

inline const rank_local<early_messages> rank_early_messages;

} // namespace lisle::protocol
