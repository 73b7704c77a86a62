// SPDX-License-Identifier: Apache-2.0
// The two kinds of two-sided operations. All members but `complete` are
// written under the lock of the owner's engine, or by the one thread that has taken the operation out
// of all tables (to copy its data).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/block_cache.hpp"
#include "datatype/typed_buffer.hpp"
#include "fabric/remote_memory.hpp"
#include "protocol/message/channel.hpp"
#include "protocol/message/envelope.hpp"
#include "protocol/message/packet.hpp"
#include "protocol/message/pending_work.hpp"
#include "protocol/message/queue_link.hpp"
#include "protocol/message/request.hpp"
#include "protocol/message/send_mode.hpp"

namespace lisle::protocol {

class announced_sends;
class piece_queue;
class unexpected_message;

/// Base of both: what streams and lists need.
class operation : public request, public cached_object<256> {
  public:
    using request::request;
    ~operation() override {
        if (kept_type_ != nullptr) {
            kept_type_->release();
        }
    }
    /// Holds a share of the buffer's type: the user may free it before the operation is complete.
    void keep(const datatype &type) noexcept {
        if (!type.predefined()) {
            type.retain();
            kept_type_ = &type;
            ending = disposal::general; // which gives it back
        }
    }

    /// Identifier in the engine's table, if it is in one.
    std::uint64_t id = 0;
    /// Bytes moved so far by a stream of data packets, and how many there will be.
    MPI_Count streamed = 0;
    MPI_Count stream_end = 0;

  private:
    const datatype *kept_type_ = nullptr;
};

// Operations begin with a cache line, also on the stack of a blocking call: else it would depend on the
// caller how many lines a peer's thread writes to complete one.
class alignas(64) receive_operation final : public operation, public pending_work {
  public:
    /// @param from number in the job of the rank that the message comes from; -1: any, or not known
    receive_operation(engine &home, const typed_buffer &buffer, const envelope &pattern, int from = -1)
        : operation{home}, pending_work{kind::announced}, buffer{buffer}, pattern{pattern}, from{from} {}
    /// Of messages in a channel.
    receive_operation(const channel &channel, const typed_buffer &buffer, int source, int tag)
        : receive_operation{*channel.home,
                            buffer,
                            {channel.context, source, tag},
                            source >= 0 ? channel.peers->member(source) : -1} {}

    /// A receive for a user's request, to be given back by dispose(). The thread's latest one is used again,
    /// so members that most receives leave as they were are not written again.
    [[nodiscard, gnu::always_inline]] static receive_operation *make(engine &home, const typed_buffer &buffer,
                                                                     const envelope &pattern) {
        receive_operation *receive = node_cache<receive_operation>::take();
        if (receive == nullptr) [[unlikely]] {
            receive = make_anew(home);
        }
        receive->home = &home; // the one disposed of may have been another's
        receive->revive(object_kind::request);
        // Relaxed: nobody else knows of it yet.
        receive->complete.store(false, std::memory_order_relaxed);
        receive->buffer = buffer;
        receive->pattern = pattern;
        return receive;
    }
    /// @pre the receive came from make(), is complete without error, and is not cancelled
    [[gnu::always_inline]] static void dispose(receive_operation *receive) noexcept {
        receive->retire();
        receive->comm = nullptr;
        node_cache<receive_operation>::give(receive);
    }

    void start() override;
    void cancel() override;
    void hear() const override;
    void describe(wait_note &note) const override;
    queue_link<receive_operation> &link(unsigned) noexcept { return link_; }

    unexpected_message *captured; ///< null until it has captured one; see also pending_work::kind::stored
    /// Order of posting: the oldest receive that matches a message takes it.
    std::uint64_t stamp;

    // A receive of a short message needs the base of all requests and these, up to the link's first two
    // members: one cache line each.
    alignas(64) typed_buffer buffer;
    envelope pattern;
    bool posted = false;
    /// The message is not to be stored but kept in `captured` once it is matched (receive_allocate.cpp).
    bool captures = false;
    /// Where senders see it (publications.hpp), plus 1; 0: nowhere.
    std::uint8_t publication = 0;
    int from; ///< see the constructor; set only if some fabric has to be asked for packets

  private:
    friend class node_cache<receive_operation>;
    [[nodiscard]] receive_operation *&next_unused() noexcept { return link_.next; }
    static void destroy(receive_operation *unused) noexcept { delete unused; }
    [[nodiscard, gnu::cold, gnu::noinline]] static receive_operation *make_anew(engine &home);

    // Like `stamp` and `captured` of a meaning only later, and not written before: each store counts here.
    queue_link<receive_operation> link_;

  public:
    /// What was announced, once it is matched.
    announced_message sender;
    /// With LISLE_CHECK=2, of the receives that the program has posted: numbers in that order, from 1 on.
    std::uint32_t posting = 0;
    /// If not null, packets of data go there and not into the buffer (pieces.hpp).
    piece_queue *pieces = nullptr;
};

class send_operation final : public operation {
  public:
    /// @param dest number in the job, or MPI_PROC_NULL
    send_operation(engine &home, const typed_buffer &buffer, const envelope &what, int dest,
                   send_mode mode) noexcept;
    /// A message in a channel. @param dest rank among its peers, or MPI_PROC_NULL
    send_operation(const typed_buffer &buffer, const channel &channel, int dest, int tag, send_mode mode);
    void start() override;
    void cancel() override;
    void hear() const override;
    void describe(wait_note &note) const override;

    typed_buffer buffer;
    std::uint64_t context;
    int source; ///< the sender's rank as the receiver sees it
    int dest;   ///< number in the job, or MPI_PROC_NULL
    int tag;
    send_mode mode;
    bool in_pieces = false;  ///< the data comes bit by bit (pieces.hpp), and lies nowhere
    bool exposed = false;    ///< the receiver may read the buffer, with `key`
    bool delivering = false; ///< a thread of the rank copies it to its receive: nobody else ends it
    bool recalled = false;   ///< revoked: ends when the receiver says that it does not read the buffer
    std::uint32_t call;      ///< number of the MPI call; set and read only by a message_observer
    std::uint64_t receiver_id = 0;
    union {
        fabric::memory_key key = 0; ///< if `exposed`
        announced_sends *table;     ///< that has announced it, else
    };
};

static_assert(sizeof(receive_operation) <= 256 && sizeof(send_operation) <= 256);

} // namespace lisle::protocol
