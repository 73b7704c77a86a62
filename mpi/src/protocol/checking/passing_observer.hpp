// SPDX-License-Identifier: Apache-2.0
// An observer that looks at some of what it is told, and passes all on to the next one.
#pragma once

#include "protocol/core/message_observer.hpp"

namespace lisle::protocol {

class passing_observer : public message_observer {
  public:
    /// @param next may be null; outlives this
    explicit passing_observer(message_observer *next) noexcept : next_{next} {}

    [[nodiscard]] bool follows_each_message() const noexcept override { return true; }
    [[nodiscard]] std::uint32_t begin_send(const envelope &message, int dest) override;
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

  protected:
    ~passing_observer() = default;

  private:
    message_observer *const next_;
};

} // namespace lisle::protocol
