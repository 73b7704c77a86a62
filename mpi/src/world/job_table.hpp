// SPDX-License-Identifier: Apache-2.0
// The memory that Lisle's launcher shares with the processes of its job: the places of ranks, the progress
// and end of each rank, and what processes exchange before they can send messages. The launcher makes the
// table before it starts any process, so no process waits for it. The table has no name in a file system:
// processes inherit its descriptor. The node's shared memory (fabric/local/node_segment.hpp) lies behind it
// in the same file; the table knows nothing of it but where it begins.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/mapped_file.hpp"
#include "execution/doorbell.hpp"
#include "world/abort_cause.hpp"
#include "world/crash_stack.hpp"
#include "world/job_shape.hpp"
#include "world/process_id.hpp"
#include "world/rank_progress.hpp"

namespace lisle {

/// A rank that ended the job.
struct abort_record {
    int rank;
    int code;
    abort_cause cause;
};

/// A signal that a process got, and the rank that ran (-1: no rank's thread).
struct fault_record {
    int rank;
    int signal;
    std::uintptr_t address;
};

/// What the table of one host says of a job on several: each host has one, for all ranks of the job.
struct part_of_job {
    job_id id;     ///< the same on all hosts
    int processes; ///< that run on this one
};

/// One mapping of the table. All functions are thread-safe; the recording ones async-signal-safe.
class job_table {
  public:
    /// Makes a table for this shape in a file of its own and really reserves its memory. Throws mpi_error if
    /// the shape is not sound (MPI_ERR_ARG) or there is no room (MPI_ERR_NO_MEM, with need and limit).
    /// @param part of a job on several hosts; nothing: all of it is here
    static job_table create(const job_shape &shape, const std::optional<part_of_job> &part = std::nullopt);
    /// Maps the table behind a descriptor. Throws mpi_error if it is not one of this version.
    static job_table attach(int descriptor);
    /// The descriptor, or one that leads to what a process that this one descends from has open under this
    /// number: what starts programs often closes all descriptors. -1: there is no table.
    [[nodiscard]] static int find(int descriptor);
    /// True if a table lies behind the descriptor.
    [[nodiscard]] static bool is_one(int descriptor) noexcept;

    /// The descriptor to hand down (close-on-exec is set; clear it in the child).
    [[nodiscard]] int descriptor() const noexcept { return memory_.descriptor(); }
    /// Passes the descriptor to the caller, which has to close it.
    [[nodiscard]] int give_descriptor() noexcept { return memory_.give_descriptor(); }
    /// Where the file goes on behind the table: at a page.
    [[nodiscard]] std::size_t end() const noexcept { return memory_.bytes(); }

    [[nodiscard]] job_id id() const noexcept;
    [[nodiscard]] int processes() const noexcept;
    [[nodiscard]] int ranks() const noexcept;
    [[nodiscard]] int first_rank(int process) const noexcept;
    [[nodiscard]] int rank_count(int process) const noexcept;
    /// Threads that run the process's ranks if they are fibers, else 0.
    [[nodiscard]] int worker_count(int process) const noexcept;
    [[nodiscard]] job_shape shape() const;

    /// The process's id as it sees itself, 0 until it has attached.
    [[nodiscard]] int pid(int process) const noexcept;
    /// Makes the caller this process of the job, unless another one is. @return that one's id, or the
    /// caller's own
    int claim(int process) noexcept;

    [[nodiscard]] rank_progress progress(int rank) const noexcept;
    void advance(int rank, rank_progress to) noexcept;
    /// Exit status of a rank that has `ended` or `left_early`.
    [[nodiscard]] int exit_status(int rank) const noexcept;
    void set_exit_status(int rank, int status) noexcept;

    void record_abort(int rank, int code, abort_cause cause) noexcept; ///< the first one stays
    [[nodiscard]] std::optional<abort_record> aborted() const noexcept;
    void record_deadlock(int rank) noexcept; ///< by the rank that has found it
    [[nodiscard]] bool deadlocked() const noexcept;
    /// The same by another job's launcher: ranks of several jobs wait for each other.
    void record_deadlock_among_jobs() noexcept;
    [[nodiscard]] bool deadlocked_among_jobs() const noexcept;
    void record_fault(int rank, int signal, std::uintptr_t address) noexcept; ///< the first one stays
    [[nodiscard]] std::optional<fault_record> fault() const noexcept;
    [[nodiscard]] crash_stack &crash() const noexcept; ///< the stack of the rank with that fault

    // ---- what launched_bootstrap exchanges ----

    /// Where processes wait for each other.
    struct gate {
        /// Processes that have come this time. Acquire and release: the last one has seen what all have put.
        std::atomic<std::int32_t> arrived;
        std::int32_t expected = 0; ///< processes that come here. Never changes.
        /// 1: the launcher opens it, when those of other hosts have come as well. Never changes.
        std::int32_t relayed = 0;
        doorbell opened;   ///< rings when all have come
        doorbell gathered; ///< of a relayed one: rings for the launcher when those of this host have come, or
                           ///< one of them ends the job
    };
    [[nodiscard]] gate &fence_gate() const noexcept;
    /// Room for the values of one process.
    static constexpr std::size_t notice_bytes = 4096;
    struct notices {
        std::atomic<std::uint32_t> &used; ///< release by the process that puts, acquire by those that get
        std::span<std::byte> room;
    };
    [[nodiscard]] notices notices_of(int process) const noexcept;

  private:
    struct once_record;
    struct header;
    struct process_entry;
    struct rank_entry;
    explicit job_table(mapped_file memory) noexcept : memory_{std::move(memory)} {}
    [[nodiscard]] header &head() const noexcept;
    [[nodiscard]] process_entry &process_at(int process) const noexcept;
    [[nodiscard]] rank_entry &rank_at(int rank) const noexcept;
    [[nodiscard]] static std::size_t bytes_for(std::size_t processes, std::size_t ranks) noexcept;
    /// Checks every value that is used without further checks; false if the table is damaged.
    [[nodiscard]] bool sound() const noexcept;

    mapped_file memory_;
};

} // namespace lisle
