// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/object.hpp"
#include "mpi.h"
#include "protocol/message/envelope.hpp"
#include "protocol/message/packet.hpp"
#include "protocol/message/queue_link.hpp"

namespace lisle::protocol {

class engine;

/// How far a message has been received that is received in several pieces (pieces.hpp).
class piecewise_state {
  public:
    virtual ~piecewise_state() = default;
};

/// A message that came before its receive: its envelope, and its data or its announcement. Also what an
/// MPI_Message names once a matched probe has taken it out of the tables. Lies in front of its data, in
/// one allocation.
class unexpected_message final : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::message;

    /// @param stored bytes of data to make room for
    [[nodiscard]] static unexpected_message *make(engine &home, std::size_t stored);
    /// One that came with all of its data.
    [[nodiscard]] static unexpected_message *make_whole(engine &home, const envelope &what,
                                                        std::span<const std::byte> data);
    static void destroy(unexpected_message *message) noexcept;

    [[nodiscard]] std::span<std::byte> data() noexcept {
        return {reinterpret_cast<std::byte *>(this + 1), stored};
    }
    /// Memory that it takes, for flow control.
    [[nodiscard]] std::size_t footprint() const noexcept { return sizeof(*this) + stored; }
    /// True if the sender still has the data, or wants to know of the match.
    [[nodiscard]] bool announced() const noexcept { return sender.sender != 0; }

    /// True if its data lie here.
    [[nodiscard]] bool has_data() const noexcept { return !announced() || stored != 0 || bytes == 0; }

    queue_link<unexpected_message> &link(unsigned wildcards) noexcept { return links_[wildcards]; }

    engine &home; ///< where it was stored
    envelope what{};
    MPI_Count bytes = 0;
    announced_message sender{};
    std::size_t stored;
    /// What its sender has said of its elements: a basic_type; none: nothing.
    std::uint8_t elements = 0;
    /// All of it has been shown to the user as one piece.
    bool shown = false;
    /// Who explores the run (job_clock::leaves_open) has seen it.
    bool noted = false;
    /// Null unless it is received in several pieces.
    std::unique_ptr<piecewise_state> reading;
    /// All unexpected messages of a rank in order of arrival.
    unexpected_message *older = nullptr;
    unexpected_message *newer = nullptr;

  private:
    unexpected_message(engine &home, std::size_t stored) noexcept
        : object{object_kind::message}, home{home}, stored{stored} {}
    queue_link<unexpected_message> links_[4]{};
};

} // namespace lisle::protocol
