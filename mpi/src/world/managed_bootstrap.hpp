// SPDX-License-Identifier: Apache-2.0
// The bootstrap of a process that a foreign launcher has started: through that launcher's process manager
// (PMIx or PMI-1). The launcher knows only processes; the processes tell each other how many ranks they run.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "world/bootstrap.hpp"
#include "world/pmi/process_manager.hpp"

namespace lisle {

/// What one process runs.
struct process_share {
    int ranks = 1;
    int workers = 0; ///< worker threads if the ranks are fibers, else 0
};

class managed_bootstrap final : public bootstrap {
  public:
    /// Returns when all processes of the job have come here.
    /// @param here what this process runs @param nodes how many there are to be (pretended_nodes); 0: as the
    /// launcher says. Throws mpi_error if the launcher goes away or the processes do not fit together.
    managed_bootstrap(std::unique_ptr<process_manager> manager, const process_share &here,
                      std::int64_t nodes);

    [[nodiscard]] process_id self() const noexcept override { return {job_, manager_->process()}; }
    [[nodiscard]] const locality &places() const noexcept override { return *places_; }
    [[nodiscard]] bool reports_ends() const noexcept override { return false; }
    [[nodiscard]] int pid_of(int process) const noexcept override;

    void put(std::string_view key, std::span<const std::byte> value) override;
    [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) override;
    void fence() override;

    void report(int rank, rank_progress to) noexcept override;
    void report_exit(int rank, int status) noexcept override;
    /// The launcher sees the signal itself.
    void report_fault(int, int, std::uintptr_t) noexcept override {}
    void abort(int rank, int code, abort_cause cause) noexcept override;

  private:
    /// Tells what this process is and learns what the others are.
    void meet(const process_share &here, std::int64_t nodes);
    /// Notes that a rank of this process needs the launcher no more; the last one tells the launcher.
    void part(int rank) noexcept;

    std::unique_ptr<process_manager> manager_;
    std::mutex talking_; ///< one thread talks to the launcher at a time
    job_id job_{};
    std::optional<locality> places_;
    std::vector<int> pids_;    ///< by process; 0: on another node
    std::vector<bool> parted_; ///< ranks of this process that need the launcher no more
};

} // namespace lisle
