// SPDX-License-Identifier: Apache-2.0
// The sums of a run, to which calls are added one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/analysis/activity.hpp"
#include "report/analysis/run.hpp"

namespace lisle::report {

/// A call of which it may turn out later for whom it has waited.
struct timed_call {
    int rank = 0;
    std::uint32_t id = 0, place = 0;
    std::uint64_t begin = 0, end = 0, count = 1, inside = 0;
    std::uint64_t bytes = 0;
    std::uint64_t wait = 0;
    wait_state why{};
    int waits_for = -1;
};

class tally {
  public:
    /// @param ranks of the job @param duration of the run
    tally(int ranks, std::uint64_t duration);

    /// The number of a place of the program.
    [[nodiscard]] std::uint32_t place(std::string_view text);
    rank_total &rank(int number) { return run_.ranks[static_cast<std::size_t>(number)]; }
    void message(int from, int to, std::uint64_t bytes);
    void moved(int from, int to, std::uint64_t bytes);
    void call(const std::shared_ptr<timed_call> &one);
    /// A call that was added has waited until then for another rank. What it waited for longest counts.
    void waited(timed_call &one, wait_state why, std::uint64_t until, int for_rank);
    void memory(int rank, std::uint64_t time, std::uint64_t resident, std::uint64_t unexpected,
                std::uint64_t stored);
    void phase(int rank, int level, std::uint64_t time) { run_.phases[{rank, time}] = level; }

    /// @param ideal how long the run would have taken if data took no time
    [[nodiscard]] run finish(std::uint64_t ideal) &&;

  private:
    struct wait_end {
        std::uint64_t begin, until;
        int for_rank;
    };
    void add_to_timeline(const timed_call &one);
    void add_computing_to_timeline();
    void fill_memory();
    void add_to_shown(const std::shared_ptr<timed_call> &one);
    void add_wait(const timed_call &one, bool taken_back);
    void find_path();
    void find_late();
    void find_efficiencies(std::uint64_t ideal);

    run run_;
    std::unordered_map<std::string_view, std::uint32_t> place_numbers_; ///< of texts that stay
    std::vector<std::shared_ptr<timed_call>> longest_;                  ///< a heap, the shortest first
    std::vector<std::vector<wait_end>> waits_;                          ///< by rank
    std::unordered_map<std::uint64_t, std::uint64_t>
        waits_between_; ///< by waiting rank and the one waited for
};

} // namespace lisle::report
