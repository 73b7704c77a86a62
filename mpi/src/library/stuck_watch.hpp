// SPDX-License-Identifier: Apache-2.0
// Looks now and then, in the launcher, for ranks of a running job that can never go on while others do. Ranks
// that have slept through one interval are asked what they wait for, once for each change among them; the
// answers say who is stuck (diagnosis/stuck_ranks.cpp). See mpi/docs/design/deadlocks.md.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "execution/wait_table.hpp"

namespace lisle {

class stuck_watch {
  public:
    using milliseconds = std::chrono::milliseconds;
    explicit stuck_watch(wait_table &table);

    struct finding {
        std::string report{}; ///< to be printed; empty: nobody is stuck, as far as is known
        std::vector<int> ranks{};
        milliseconds next{}; ///< when to look again
    };
    /// One look.
    [[nodiscard]] finding look();

  private:
    struct all_naps : std::vector<wait_table::nap> {
        explicit all_naps(int ranks) : std::vector<wait_table::nap>(static_cast<std::size_t>(ranks)) {}
    };
    [[nodiscard]] all_naps naps() const;
    [[nodiscard]] std::vector<int> asleep_since(const all_naps &before, const all_naps &now) const;
    [[nodiscard]] int gone() const noexcept;
    [[nodiscard]] int least_pause() const noexcept;
    [[nodiscard]] finding ask_if_new(const all_naps &now);
    [[nodiscard]] finding hear();

    wait_table &table_;
    all_naps latest_; ///< as of the last look
    all_naps asked_;  ///< of those who have answered, once they slept again
    int gone_when_asked_ = 0;
    std::vector<int> awaited_; ///< who has been asked, and is to answer
    std::uint32_t question_ = 0;
    int looks_for_answers_ = 0;
    int in_vain_ = 0;
    int pause_; ///< looks that are left out
};

} // namespace lisle
