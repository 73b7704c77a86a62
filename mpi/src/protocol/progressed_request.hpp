// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "protocol/message/operation.hpp"
#include "protocol/progress/progressor.hpp"

namespace lisle::protocol {

/// A request that is complete when a condition holds which only progress of its rank can make true.
class progressed_request : public request, private progressor {
  public:
    using request::request;
    /// Begins to look. Call once, when the object is whole.
    void watch();
    void describe(wait_note &note) const override;

  protected:
    /// Looked at again and again; when it is true, `result` is set.
    virtual bool ready() = 0;

  private:
    bool advance() override;
};

/// A send and a receive under one request (MPI_Isendrecv and MPI_Isendrecv_replace).
class send_receive_request final : public progressed_request {
  public:
    /// @param copy the data to send if the send buffer is not to be read from: takes its place
    send_receive_request(const typed_buffer &send_buffer, std::vector<std::byte> copy, int dest, int send_tag,
                         const typed_buffer &receive_buffer, int source, int receive_tag,
                         const channel &channel);
    void start() override;
    void hear() const override { receiving_.hear(); }
    void describe(wait_note &note) const override;
    [[nodiscard]] receive_operation &receiving() noexcept { return receiving_; }
    [[nodiscard]] const receive_operation &receiving() const noexcept { return receiving_; }

  private:
    bool ready() override;
    std::vector<std::byte> copy_;
    receive_operation receiving_;
    send_operation sending_;
};

} // namespace lisle::protocol
