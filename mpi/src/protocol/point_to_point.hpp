// SPDX-License-Identifier: Apache-2.0
// The two-sided operations that everything above is made of: MPI's own calls and the collectives.
// Arguments have been checked by the caller; MPI_PROC_NULL is allowed everywhere.
// Thread-safety: any thread of the calling rank may call anything here at any time.
#pragma once

#include <utility>

#include "datatype/typed_buffer.hpp"
#include "protocol/message/channel.hpp"
#include "protocol/message/request.hpp"
#include "protocol/message/send_mode.hpp"

namespace lisle::protocol {

class awaited;
class unexpected_message;

/// Returns when the buffer may be used again (and, if synchronous, the receive has begun).
void send(const typed_buffer &buffer, const channel &channel, int dest, int tag,
          send_mode mode = send_mode::standard);
/// @param source a rank of the channel or MPI_ANY_SOURCE @param tag a tag or MPI_ANY_TAG
/// @return the error MPI_ERR_TRUNCATE in it if the message was longer than the buffer (what fits is stored)
outcome receive(const typed_buffer &buffer, const channel &channel, int source, int tag);
outcome send_receive(const typed_buffer &send_buffer, int dest, int send_tag,
                     const typed_buffer &receive_buffer, int source, int receive_tag, const channel &channel,
                     send_mode mode = send_mode::standard);
/// The same by the general ways. @param posting see receive_operation
outcome send_receive_in_general(const typed_buffer &send_buffer, int dest, int send_tag,
                                const typed_buffer &receive_buffer, int source, int receive_tag,
                                const channel &channel, send_mode mode, std::uint32_t posting = 0);

/// The non-blocking forms. The caller owns the request: wait(), then request->free().
[[nodiscard]] request *start_send(const typed_buffer &buffer, const channel &channel, int dest, int tag,
                                  send_mode mode = send_mode::standard);
[[nodiscard]] request *start_receive(const typed_buffer &buffer, const channel &channel, int source, int tag);

/// Looks for a message that no receive has taken, as engine::probe(). True: it is found, or it can never
/// come, and `found.error` says why.
/// @param source a rank of the channel, MPI_ANY_SOURCE, or MPI_PROC_NULL: there is always one, `message` is
/// null
[[nodiscard]] bool look_for_message(const channel &channel, int source, int tag, bool take, outcome &found,
                                    unexpected_message *&message);
/// Throws that error, if it is one.
void throw_if_lost(const outcome &found, const channel &channel, int source);

/// Returns when the request is complete; does not free it and does not throw: look at `result`.
void wait(request &request);
/// The same, by the general way at once. @param what to say that is awaited
void wait(request &request, const awaited &what);
/// Makes progress once; true if complete.
bool test(request &request);

/// Owns a request of the two functions above: waits for it and frees it at the end of its scope.
class scoped_request {
  public:
    explicit scoped_request(request *owned) noexcept : owned_{owned} {}
    scoped_request(scoped_request &&other) noexcept : owned_{std::exchange(other.owned_, nullptr)} {}
    scoped_request &operator=(scoped_request &&) = delete;
    ~scoped_request();
    /// Waits, frees, and throws what the operation failed with.
    outcome wait();

  private:
    request *owned_;
};

} // namespace lisle::protocol
