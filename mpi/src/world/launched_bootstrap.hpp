// SPDX-License-Identifier: Apache-2.0
// The bootstrap of a process that Lisle's own launcher has started: through the table that both map.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "world/bootstrap.hpp"
#include "world/job_table.hpp"

namespace lisle {

class launched_bootstrap final : public bootstrap {
  public:
    /// @param process index of the calling process, which no other one has claimed
    launched_bootstrap(job_table table, int process);

    [[nodiscard]] process_id self() const noexcept override { return {table_.id(), process_}; }
    [[nodiscard]] const locality &places() const noexcept override { return places_; }
    [[nodiscard]] bool reports_ends() const noexcept override { return true; }
    [[nodiscard]] int pid_of(int process) const noexcept override { return table_.pid(process); }

    void put(std::string_view key, std::span<const std::byte> value) override;
    [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) override;
    void fence() override;

    void report(int rank, rank_progress to) noexcept override { table_.advance(rank, to); }
    void report_exit(int rank, int status) noexcept override { table_.set_exit_status(rank, status); }
    void report_fault(int rank, int signal, std::uintptr_t address) noexcept override {
        table_.record_fault(rank, signal, address);
    }
    [[nodiscard]] crash_stack *room_for_crash() noexcept override { return &table_.crash(); }
    /// The launcher ends all other processes when it sees the record.
    void report_deadlock(int rank) noexcept override { table_.record_deadlock(rank); }
    void abort(int rank, int code, abort_cause cause) noexcept override;

  private:
    job_table table_;
    const int process_;
    const locality places_;
    std::mutex putting_; ///< one thread of the process puts at a time
};

/// What a process has put under a key, for the launcher; nothing: it has not, or not yet. Thread-safe.
[[nodiscard]] std::optional<std::vector<std::byte>> value_put_by(const job_table &table, int process,
                                                                 std::string_view key);

} // namespace lisle
