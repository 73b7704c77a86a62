// SPDX-License-Identifier: Apache-2.0
// The question what the ranks of a job on several hosts wait for: to all hosts, whose answers make one
// report.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/job_waits.hpp"

namespace lisle::launch {

class waits_question {
  public:
    using clock = std::chrono::steady_clock;

    /// @param hosts of the job @param ranks of the job
    waits_question(std::size_t hosts, int ranks);

    /// The hosts are being asked. @param why the first line of the report
    void begin(const std::string &why);
    [[nodiscard]] bool under_way() const noexcept { return until_.has_value(); }
    void on_answer(int host, std::string_view body);
    /// It will not answer: it is lost, or nothing runs there any more.
    void on_lost(int host);
    /// When to call finish_if_due() at the latest.
    [[nodiscard]] std::optional<clock::time_point> until() const noexcept { return until_; }
    /// Prints the report once all have answered, or have had the time for it.
    /// @param name_of a host
    template <class Name> void finish_if_due(clock::time_point now, Name name_of) {
        if (until_ && (now >= *until_ || all_heard())) {
            std::string silent;
            for (std::size_t host = 0; host < heard_.size(); ++host) {
                if (!heard_[host]) {
                    silent += silent.empty() ? "" : ", ";
                    silent += name_of(static_cast<int>(host));
                }
            }
            print(silent);
        }
    }

  private:
    [[nodiscard]] bool all_heard() const noexcept;
    void print(const std::string &silent);

    std::vector<bool> heard_; ///< by host: it has answered, or never will
    const int ranks_;
    job_waits all_; ///< by rank
    int told_ = 0;  ///< ranks of hosts that have answered
    std::string why_;
    std::optional<clock::time_point> until_;
};

} // namespace lisle::launch
