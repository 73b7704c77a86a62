// SPDX-License-Identifier: Apache-2.0
// The bootstrap of a job that is one process: a program started without a launcher, or ranks made inside a
// running program (library/embedded_job.cpp).
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "world/bootstrap.hpp"

namespace lisle {

class lone_bootstrap final : public bootstrap {
  public:
    /// @param shape of one process. Throws mpi_error if it is not sound.
    explicit lone_bootstrap(const job_shape &shape);

    [[nodiscard]] process_id self() const noexcept override { return {id_, 0}; }
    [[nodiscard]] const locality &places() const noexcept override { return places_; }
    [[nodiscard]] bool reports_ends() const noexcept override { return false; }
    [[nodiscard]] int pid_of(int process) const noexcept override;

    void put(std::string_view key, std::span<const std::byte> value) override;
    [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) override;
    void fence() override {} // there is no other process to wait for

    // There is no launcher that watches, and no other process to end.
    void report(int, rank_progress) noexcept override {}
    void report_exit(int, int) noexcept override {}
    void report_fault(int, int, std::uintptr_t) noexcept override {}
    void abort(int, int, abort_cause) noexcept override {}

  private:
    const job_id id_;
    const locality places_;
    std::mutex mutex_; ///< protects values_
    std::map<std::string, std::vector<std::byte>, std::less<>> values_;
};

} // namespace lisle
