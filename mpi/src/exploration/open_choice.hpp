// SPDX-License-Identifier: Apache-2.0
// A choice that a call of the program waits for: the call lies in run::ask() until all ranks wait.
#pragma once

#include <optional>
#include <vector>

#include "choice/choice.hpp"
#include "exploration/turns.hpp"
#include "protocol/message/envelope.hpp"

namespace lisle {
class rank;
}
namespace lisle::protocol {
class engine;
}

namespace lisle::exploration {

class open_choice {
  public:
    /// @param about what the call is about belongs to this engine
    open_choice(choice::kind what, protocol::engine &about) noexcept : what_{what}, about_{about} {}
    open_choice(const open_choice &) = delete;
    open_choice &operator=(const open_choice &) = delete;

    /// What can be taken now, the usual first.
    [[nodiscard]] virtual std::vector<int> could_take() = 0;
    /// What cannot be taken yet, but could later.
    [[nodiscard]] virtual std::vector<int> could_take_later() { return {}; }
    /// The messages that it is about, which may come later; of a blocking probe.
    [[nodiscard]] virtual std::optional<protocol::envelope> awaits() const { return std::nullopt; }

    /// Of kind::turn.
    [[nodiscard]] virtual const turn_place *turn() const { return nullptr; }

    [[nodiscard]] choice::kind what() const noexcept { return what_; }
    [[nodiscard]] protocol::engine &about() const noexcept { return about_; }
    /// The call returns even if there is nothing to take.
    [[nodiscard]] bool may_take_nothing() const noexcept {
        return what_ == choice::kind::poll || what_ == choice::kind::test;
    }

  protected:
    ~open_choice() = default;

  private:
    const choice::kind what_;
    protocol::engine &about_;
};

} // namespace lisle::exploration
