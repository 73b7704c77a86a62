// SPDX-License-Identifier: Apache-2.0
// How a process enters its job: its own number, the places of the others, the exchange of addresses and keys
// before messages can be sent, and reports of how ranks end. Each kind of launcher has an implementation; no
// other part depends on the launcher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "world/abort_cause.hpp"
#include "world/locality.hpp"
#include "world/process_id.hpp"
#include "world/rank_progress.hpp"

namespace lisle {

class crash_stack;

/// The exit code of a job whose ranks all wait for each other.
inline constexpr int deadlock_exit_code = 125;

/// All functions are thread-safe, except that one thread of a process calls fence() at a time.
class bootstrap {
  public:
    bootstrap() = default;
    bootstrap(const bootstrap &) = delete;
    bootstrap &operator=(const bootstrap &) = delete;
    virtual ~bootstrap() = default;

    /// The calling process.
    [[nodiscard]] virtual process_id self() const noexcept = 0;
    /// Where the job's ranks are. Lives as long as this object.
    [[nodiscard]] virtual const locality &places() const noexcept = 0;
    /// True if a launcher says how the job's ranks end (Lisle's does; others say little).
    [[nodiscard]] virtual bool reports_ends() const noexcept = 0;
    /// The operating system's number of a process of the caller's node; 0 until that process has started, and
    /// for processes of other nodes.
    [[nodiscard]] virtual int pid_of(int process) const noexcept = 0;

    // ---- exchange ----

    /// Makes a value of this process known under a key: to processes that get it after the next fence(). A
    /// key is put once. Throws mpi_error if the key has been put before (MPI_ERR_ARG) or the launcher has no
    /// room for the value (MPI_ERR_NO_MEM).
    virtual void put(std::string_view key, std::span<const std::byte> value) = 0;
    /// The value that a process of the job has put before a fence() that has ended.
    /// Throws mpi_error (MPI_ERR_OTHER) if there is none.
    [[nodiscard]] virtual std::vector<std::byte> get(int process, std::string_view key) = 0;
    /// Returns when all processes of the job have called it.
    virtual void fence() = 0;

    // ---- ends ----

    /// Says how far a rank of this process has come; only ever grows.
    virtual void report(int rank, rank_progress to) noexcept = 0;
    /// Says with which status a rank of this process ends; before report(ended or left_early).
    virtual void report_exit(int rank, int status) noexcept = 0;
    /// Says that a signal is about to end the process because of this rank. Async-signal-safe.
    virtual void report_fault(int rank, int signal, std::uintptr_t address) noexcept = 0;
    /// Where the launcher looks for the stack of a rank that crashes; null: it does not.
    [[nodiscard]] virtual crash_stack *room_for_crash() noexcept { return nullptr; }
    /// Says that the job is about to be ended because all its ranks wait for each other, as this one has
    /// found and reported. The caller calls abort() next.
    virtual void report_deadlock([[maybe_unused]] int rank) noexcept {}
    /// Says that a rank ends the job with this code. The caller ends its process next (abort_job); this
    /// function makes sure that the other processes end as well.
    virtual void abort(int rank, int code, abort_cause cause) noexcept = 0;
};

} // namespace lisle
