// SPDX-License-Identifier: Apache-2.0
// By how much the clock of a host is ahead of this machine's. Each question says when it was asked, and each
// answer what the host's clock shows: it was read between the question and the hearing of the answer. The
// quickest of several answers counts.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace lisle::launch {

/// CLOCK_MONOTONIC in ns, as ranks record it.
[[nodiscard]] std::int64_t clock_now() noexcept;

/// In ns.
struct clock_difference {
    std::int64_t time = 0;                                         ///< on the host's clock, when it was found
    std::int64_t ahead = 0;                                        ///< of this machine's
    std::int64_t error = std::numeric_limits<std::int64_t>::max(); ///< at most
};

class clock_comparison {
  public:
    /// The body of a question.
    [[nodiscard]] static std::string question();
    /// What a host answers to it.
    [[nodiscard]] static std::string answer_to(std::string_view question);
    /// True: that was the last one that is needed.
    bool hears(std::string_view answer);
    [[nodiscard]] const clock_difference &found() const noexcept { return found_; }

  private:
    static constexpr int needed = 16;
    int heard_ = 0;
    clock_difference found_;
};

} // namespace lisle::launch
