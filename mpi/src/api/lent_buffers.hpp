// SPDX-License-Identifier: Apache-2.0
// The buffers that a program has lent for buffered sends (MPI_Buffer_attach and its kin; LISLE_CHECK=2):
// whether their memory is still there when it is used.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "abi/call_address.hpp"
#include "abi/stack_frames.hpp"
#include "datatype/watched_memory.hpp"

namespace lisle::protocol {
class send_buffer;
}

namespace lisle::abi {

/// Of one rank. Thread-safe. Each function is called in the MPI call that it is about.
class lent_buffers {
  public:
    void attached(const protocol::send_buffer &made);
    /// Names the buffer if its memory has gone.
    void uses(const protocol::send_buffer &lent);
    void detached(const protocol::send_buffer &lent);

  private:
    struct known {
        call_address place{};
        watched_list memory{false};
        std::optional<stack_frame> holder{}; ///< the call whose variable the memory is
    };
    void look_locked(const protocol::send_buffer &lent);

    std::mutex mutex_; ///< protects lent_
    std::unordered_map<const protocol::send_buffer *, known> lent_;
};

} // namespace lisle::abi
