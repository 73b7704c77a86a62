// SPDX-License-Identifier: Apache-2.0
// The bytes of serialised objects as a stream: a sink that sends a message while it is written, and a source
// that reads a message while it arrives.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "lisle/datatype/byte_buffer.hpp"
#include "lisle/detail/error.hpp"

namespace lisle::detail {

/// A sink of bytes.
class byte_sink {
  public:
    virtual void write(const void *data, std::size_t bytes) = 0;

  protected:
    ~byte_sink() = default;
};

/// A sink that only counts.
class byte_counter final : public byte_sink {
  public:
    void write(const void *, std::size_t bytes) override { count += bytes; }
    std::size_t count = 0;
};

/// A source of bytes.
class byte_source {
  public:
    /// The next bytes; the ones before are no longer valid. Empty: there are no more.
    virtual std::span<const std::byte> next() = 0;

  protected:
    ~byte_source() = default;
};

#if LISLE_USE_EXTENSIONS

/// A message whose bytes are sent as they are written.
class outgoing_pieces final : public byte_sink {
  public:
    /// @param bytes length of the message
    outgoing_pieces(std::size_t bytes, int dest, int tag, MPI_Comm comm) {
        gathered_.resize(piece); // now, since a lack of memory must not end a message that has begun
        gathered_.resize(0);
        check(MPIX_Isend_pieces(static_cast<MPI_Count>(bytes), dest, tag, comm, &request_),
              "MPIX_Isend_pieces", named_value{"dest", dest}, named_value{"tag", tag});
    }
    outgoing_pieces(const outgoing_pieces &) = delete;
    outgoing_pieces &operator=(const outgoing_pieces &) = delete;

    void write(const void *data, std::size_t bytes) override {
        if (gathered_.size() + bytes > piece)
            flush();
        if (bytes >= piece)
            send(data, bytes);
        else if (bytes != 0)
            std::memcpy(gathered_.extend(bytes), data, bytes);
    }
    /// Sends what is left. @pre all bytes have been written
    void finish() {
        flush();
        check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    }

  private:
    static constexpr std::size_t piece = 16384; // stays in the nearest cache, and fits a packet

    void flush() {
        send(gathered_.data(), gathered_.size());
        gathered_.resize(0);
    }
    void send(const void *data, std::size_t bytes) {
        check(MPIX_Send_piece(data, static_cast<MPI_Count>(bytes), request_), "MPIX_Send_piece");
    }

    byte_buffer gathered_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// A matched message whose bytes are read as they arrive. The destructor drops the rest.
class incoming_pieces final : public byte_source {
  public:
    explicit incoming_pieces(MPI_Message matched) noexcept : message_{matched} {}
    incoming_pieces(const incoming_pieces &) = delete;
    incoming_pieces &operator=(const incoming_pieces &) = delete;
    ~incoming_pieces() {
        std::span<const std::byte> dropped;
        while (message_ != MPI_MESSAGE_NULL && receive(dropped) == MPI_SUCCESS) {
        }
    }
    std::span<const std::byte> next() override {
        std::span<const std::byte> piece;
        if (message_ != MPI_MESSAGE_NULL)
            check(receive(piece), "MPIX_Mrecv_piece");
        return piece;
    }

  private:
    int receive(std::span<const std::byte> &piece) noexcept {
        const void *data = nullptr;
        MPI_Count bytes = 0;
        const int code = MPIX_Mrecv_piece(&message_, &data, &bytes);
        piece = {static_cast<const std::byte *>(data), static_cast<std::size_t>(bytes)};
        return code;
    }

    MPI_Message message_;
};

#endif

} // namespace lisle::detail
