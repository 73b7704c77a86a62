// SPDX-License-Identifier: Apache-2.0
// The observer of a rank that logs matching (LISLE_LOG=packets:matching): receives that are posted, messages
// that arrive, and which take which. It stands in front of the observer that checks, if there is one.
#pragma once

#include <memory>

#include "protocol/checking/passing_observer.hpp"

namespace lisle {
class rank;
}

namespace lisle::protocol {

class message_log final : public passing_observer {
  public:
    /// Null unless the environment asks for it. @param checks may be null; outlives this
    [[nodiscard]] static std::unique_ptr<message_log> make_for(const rank &owner, message_observer *checks);
    message_log(int rank, message_observer *checks) noexcept : passing_observer{checks}, rank_{rank} {}

    void begin_receive(receive_operation &receive) override;
    void message_arrived(const envelope &message, std::uint16_t annotation, const receive_operation *taker,
                         const matcher &stored) override;
    void message_taken(const receive_operation &receive, const envelope &message,
                       const matcher &stored) override;

  private:
    const int rank_;
};

} // namespace lisle::protocol
