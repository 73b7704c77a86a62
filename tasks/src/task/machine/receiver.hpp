// SPDX-License-Identifier: Apache-2.0
// What arrives: each parcel is checked and turned into a task, a value in its place, or an answer. Runs on
// the rank's own thread and evaluates nothing itself.
#pragma once

#include <functional>

#include "task/machine/losses.hpp"

namespace lisle::tasks {

class receiver {
  public:
    /// An operation on a cell of any rank. `then` gets what it gives, or a failure.
    using cell_operation =
        std::function<void(parcel_request what, const value &which, value given, continuation then)>;

    receiver(rank_parts &own, sender &answers, losses &lost, cell_operation use) noexcept
        : own_{own}, sender_{answers}, losses_{lost}, use_{std::move(use)} {}

    /// A parcel. Throws std::runtime_error for what no machine sends.
    void receive(int from, std::span<const std::byte> bytes);
    /// The state of all ranks that the first rank has found.
    void obey(parcel_finish verdict);

  private:
    void receive_code(int from, const parcel &header, decoder &in);
    void receive_task(int from, const parcel &header, decoder &in);
    void receive_result(int from, const parcel &header, decoder &in);
    void receive_request(int from, const parcel &header, decoder &in);
    void receive_cell_request(int from, const parcel &header, decoder &in);
    void receive_acknowledgement(int from, const parcel &header);
    void receive_finish(int from, const parcel &header, decoder &in);
    void receive_token(const token &arrived, decoder &in);
    void receive_trace(int from, decoder &in);
    void send_content(int to, const parcel &request);
    value_reader reader_of(int from);

    rank_parts &own_;
    sender &sender_;
    losses &losses_;
    cell_operation use_;
};

/// A program as it travels to other ranks.
void write_source(const source &program, encoder &out, value_writer &values);

} // namespace lisle::tasks
