// SPDX-License-Identifier: Apache-2.0
// The observer of a rank whose program is checked: compares the types of messages (type_notes.hpp), and with
// LISLE_CHECK=2 looks for receives that could have taken another message (wildcard_races.hpp).
#pragma once

#include <memory>

#include "protocol/checking/type_notes.hpp"
#include "protocol/checking/wildcard_races.hpp"
#include "protocol/core/message_observer.hpp"

namespace lisle {
class rank;
}

namespace lisle::protocol {

class message_checks final : public message_observer {
  public:
    /// Null unless the settings ask for checks.
    [[nodiscard]] static std::unique_ptr<message_checks> make_for(rank &owner);
    explicit message_checks(rank &owner);

    /// What is done to a receive of the program's before it is posted. Set while the library is loaded, by a
    /// layer that knows what the program does.
    using receive_watch = void (*)(receive_operation &receive);
    static inline constinit receive_watch watch_receive = [](receive_operation &) {};

    [[nodiscard]] bool follows_each_message() const noexcept override { return wildcards_ != nullptr; }
    [[nodiscard]] std::uint32_t begin_send(const envelope & /*message*/, int /*dest*/) override {
        return notes_.number_call();
    }
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
    type_notes &notes_;
    wildcard_races *const wildcards_; ///< null: they are not looked for
};

} // namespace lisle::protocol
