// SPDX-License-Identifier: Apache-2.0
// Buffered sends [MPI-5.0 3.6]: a buffer that a user has attached, or memory that the library allots
// itself (MPI_BUFFER_AUTOMATIC). Messages that cannot leave at once are packed into it and leave from
// there. What lies where is kept outside the user's memory, so all of it is there for messages.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "protocol/message/operation.hpp"
#include "protocol/progressed_request.hpp"

namespace lisle::protocol {

/// Thread-safe.
class send_buffer {
  public:
    /// Memory is allotted for each message.
    send_buffer() = default;
    /// Messages lie in the user's memory.
    send_buffer(void *base, MPI_Count bytes)
        : automatic_{false}, base_{static_cast<std::byte *>(base)}, bytes_{bytes} {}
    /// Waits until all messages have left.
    ~send_buffer() { flush(); }
    send_buffer(const send_buffer &) = delete;
    send_buffer &operator=(const send_buffer &) = delete;

    /// What the user attached.
    [[nodiscard]] void *base() const noexcept { return automatic_ ? MPI_BUFFER_AUTOMATIC : base_; }
    [[nodiscard]] MPI_Count bytes() const noexcept { return bytes_; }

    /// Sends now or keeps a copy that leaves later. Throws MPI_ERR_BUFFER if there is no room for that, or if
    /// the whole buffer would be too small for the message.
    void send(const typed_buffer &buffer, const channel &channel, int dest, int tag);
    /// Returns when all messages have left.
    void flush();
    /// True if all messages have left.
    [[nodiscard]] bool empty();
    /// True if all of one context have.
    [[nodiscard]] bool empty(std::uint64_t context);

  private:
    struct kept_message {
        MPI_Count offset;
        MPI_Count bytes;
        std::unique_ptr<std::byte[]> own_memory;
        std::unique_ptr<send_operation> operation;
    };
    void forget_sent();
    /// Where a message fits, if anywhere.
    [[nodiscard]] bool find_room(MPI_Count wanted, MPI_Count &offset,
                                 std::list<kept_message>::iterator &place);

    const bool automatic_ = true;
    std::byte *const base_ = nullptr;
    const MPI_Count bytes_ = 0;
    std::mutex mutex_;                 ///< protects messages_
    std::list<kept_message> messages_; ///< in order of their place in the buffer
};

/// The buffer in force for sends of the calling rank on a communicator without one of its own.
[[nodiscard]] std::unique_ptr<send_buffer> &rank_send_buffer();

/// Complete when all messages that a buffer holds have left (MPI_Buffer_iflush).
class flush_request final : public progressed_request {
  public:
    flush_request(rank &owner, send_buffer &flushed) : progressed_request{owner}, flushed_{flushed} {}

  private:
    bool ready() override { return flushed_.empty(); }
    send_buffer &flushed_;
};

} // namespace lisle::protocol
