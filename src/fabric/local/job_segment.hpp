// SPDX-License-Identifier: Apache-2.0
// The shared segment of a job on one node: a table that says who is who, and behind it the room for the
// mailboxes (fabric/local). The launcher creates it before it starts any process, so nobody ever waits
// for it, and it has no name in any file system: processes inherit its descriptor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "execution/doorbell.hpp"

namespace lisle {

/// How many ranks each process of the job runs, and on how many worker threads if they are fibers.
struct job_shape {
    std::vector<int> ranks_of_process;
    std::vector<int> workers_of_process{}; ///< 0: a thread for each rank; empty: 0 for all
    [[nodiscard]] int processes() const noexcept { return static_cast<int>(ranks_of_process.size()); }
    [[nodiscard]] int ranks() const noexcept;
};

/// Environment variables with which a launcher tells a process of its job where it is.
inline constexpr const char *job_descriptor_variable = "LISLE_JOB_FD"; ///< descriptor of the segment
inline constexpr const char *process_index_variable = "LISLE_PROCESS"; ///< index of this process

/// How far a rank has come; only ever grows.
enum class rank_progress : std::uint32_t {
    absent,
    started,
    initialized,
    finalized,
    ended,
    left_early, ///< a thread rank has ended where others still count on it: the launcher ends the job
};

/// A rank that called MPI_Abort.
struct abort_record {
    int rank;
    int code;
};

/// A signal that a process met and the rank that it ran (-1: no rank's thread).
struct fault_record {
    int rank;
    int signal;
    std::uintptr_t address;
};

/// A part of a file.
struct file_part {
    int descriptor;
    off_t offset;
    std::size_t bytes;
};

/// One mapping of the segment. All functions are thread-safe; the recording ones async-signal-safe.
class job_segment {
  public:
    /// Creates a segment for this shape and really reserves its memory.
    /// Throws mpi_error (MPI_ERR_NO_MEM) with need and limit if there is no room.
    static job_segment create(const job_shape &shape);
    /// Maps the segment behind an inherited descriptor. Throws mpi_error if it is not one of this version.
    static job_segment attach(int descriptor);
    /// A job of one process in private memory, for programs started alone.
    static job_segment private_to_process(const job_shape &shape);

    job_segment(job_segment &&) noexcept;
    job_segment &operator=(job_segment &&) noexcept;
    ~job_segment();

    /// The descriptor to hand down (close-on-exec is set; clear it in the child), or -1.
    [[nodiscard]] int descriptor() const noexcept;

    [[nodiscard]] int processes() const noexcept;
    [[nodiscard]] int ranks() const noexcept;
    [[nodiscard]] int first_rank(int process) const noexcept;
    [[nodiscard]] int rank_count(int process) const noexcept;
    [[nodiscard]] int process_of(int rank) const noexcept;
    /// Threads that run the process's ranks if they are fibers, else 0.
    [[nodiscard]] int worker_count(int process) const noexcept;
    /// Index among the process's ranks of the first one on a worker; on one past the last: their number.
    [[nodiscard]] int worker_begin(int process, int worker) const noexcept;
    /// Threads of all processes that run ranks: what competes for the node's cores.
    [[nodiscard]] int threads() const noexcept;

    /// The process's id as it sees itself, 0 until it has attached.
    [[nodiscard]] int pid(int process) const noexcept;
    void set_pid(int process, int pid) noexcept;

    /// How many processes expect remote barriers (remote_barrier.hpp): each adds itself when it attaches.
    [[nodiscard]] std::atomic<std::int32_t> &expecting_barriers() const noexcept;

    /// The part of the file behind the segment that is the process's shared heap (shared_heap.hpp): sparse,
    /// and mapped by none of the functions here; no bytes: there is none.
    [[nodiscard]] file_part open_part(int process) const noexcept;
    /// The address where the process has mapped that, 0 until it has.
    [[nodiscard]] std::atomic<std::uint64_t> &open_base(int process) const noexcept;

    [[nodiscard]] rank_progress progress(int rank) const noexcept;
    void advance(int rank, rank_progress to) noexcept;
    /// Exit status of a rank that has `ended` or `left_early`.
    [[nodiscard]] int exit_status(int rank) const noexcept;
    void set_exit_status(int rank, int status) noexcept;

    void record_abort(int rank, int code) noexcept; ///< the first one stays
    [[nodiscard]] std::optional<abort_record> aborted() const noexcept;
    void record_fault(int rank, int signal, std::uintptr_t address) noexcept; ///< the first one stays
    [[nodiscard]] std::optional<fault_record> fault() const noexcept;

    /// Where the rank sleeps.
    [[nodiscard]] doorbell &bell(int rank) const noexcept;
    /// Distance between the bells of successive ranks, in units of doorbell::unit.
    [[nodiscard]] static std::uint32_t units_between_bells() noexcept;
    /// The room of a rank's mailbox for one of its tracks, zeroed at creation.
    [[nodiscard]] std::byte *mailbox(int rank, int track = 0) const noexcept;
    /// The room for what ranks share besides (fabric/local/shared_area.hpp), zeroed at creation.
    [[nodiscard]] std::byte *shared_area() const noexcept;

  private:
    struct table;
    job_segment(int descriptor, void *base, std::size_t bytes) noexcept;
    static job_segment lay_out(int descriptor, const job_shape &shape);
    int descriptor_ = -1;
    table *table_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace lisle
