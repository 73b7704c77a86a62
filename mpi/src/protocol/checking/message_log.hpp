// SPDX-License-Identifier: Apache-2.0
// The observer of a rank that logs matching (LISLE_LOG=packets:matching): receives that are posted, messages
// that arrive, and which take which. It stands in front of the observer that checks, if there is one.
#pragma once

#include <memory>

#include "protocol/core/message_observer.hpp"

namespace lisle {
class rank;
}

namespace lisle::protocol {

class message_log final : public message_observer {
  public:
    /// Null unless the environment asks for it. @param checks may be null; outlives this
    [[nodiscard]] static std::unique_ptr<message_log> make_for(const rank &owner, message_observer *checks);
    message_log(int rank, message_observer *checks) noexcept : rank_{rank}, checks_{checks} {}

    [[nodiscard]] bool follows_each_message() const noexcept override { return true; }
    [[nodiscard]] std::uint32_t begin_send() override;
    [[nodiscard]] std::optional<type_note> describe(const typed_buffer &message, std::uint32_t call) override;
    [[nodiscard]] std::uint16_t annotate(std::uint8_t elements) const noexcept override;
    void begin_receive(receive_operation &receive) override;
    void packet_arrived(std::uint16_t annotation) noexcept override;
    void message_arrived(const envelope &message, std::uint16_t annotation, const receive_operation *taker,
                         const matcher &stored) override;
    void message_taken(const receive_operation &receive, const envelope &message,
                       const matcher &stored) override;
    void follow(const message_observer &receiver) noexcept override;
    void compare(receive_operation &receive, std::uint8_t elements, const type_note *note) override;
    void compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) override;
    void keep(const void *message_or_receive, const type_note &note) override;
    void move(const void *message, const receive_operation &receive) override;

  private:
    const int rank_;
    message_observer *const checks_; ///< null: none
};

} // namespace lisle::protocol
