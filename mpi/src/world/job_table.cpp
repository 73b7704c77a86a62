// SPDX-License-Identifier: Apache-2.0
#include "world/job_table.hpp"

#include <algorithm>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/owned_descriptor.hpp"
#include "base/process_status.hpp"
#include "mpi.h"
#include "world/process_record.hpp"

namespace lisle {

namespace {

constexpr std::uint64_t table_magic = 0x4c49534c45204a54;
constexpr std::uint32_t table_version = 9;

} // namespace

// Records that the first of several writers fills: `state` goes 0 -> 1 (being written) -> 2 (written,
// release; readers acquire).
namespace {
constexpr int no_rank = -1;
}

struct job_table::once_record {
    std::atomic<std::uint32_t> state;
    std::int32_t rank;
    std::int32_t number;
    std::uint64_t address;

    void write(int of_rank, int value, std::uint64_t where) noexcept {
        std::uint32_t empty = 0;
        if (state.compare_exchange_strong(empty, 1, std::memory_order_acquire, std::memory_order_relaxed)) {
            rank = of_rank;
            number = value;
            address = where;
            state.store(2, std::memory_order_release);
        }
    }
    [[nodiscard]] bool written() const noexcept { return state.load(std::memory_order_acquire) == 2; }
};

// The file begins with a header; an entry for each process, one for each rank and the notices of each process
// follow.
struct job_table::header {
    std::uint64_t magic;
    std::uint32_t version;
    std::int32_t processes;
    std::int32_t ranks;
    std::uint64_t bytes;
    std::uint64_t id;
    gate fence;
    once_record abort;
    once_record fault;
    once_record deadlock;
    crash_stack crash;
};

struct job_table::process_entry {
    std::int32_t first_rank;
    std::int32_t rank_count;
    std::int32_t workers;
    std::int32_t node;
    std::int32_t machine;
    std::atomic<std::int32_t> pid; // relaxed: only read once messages have ordered it
    std::atomic<std::uint32_t> notices_used;
};

struct job_table::rank_entry {
    std::atomic<rank_progress> progress; // release/acquire with exit_status
    std::atomic<std::int32_t> exit_status;
};

std::size_t job_table::bytes_for(std::size_t processes, std::size_t ranks) noexcept {
    return align_up(sizeof(header) + processes * sizeof(process_entry) + ranks * sizeof(rank_entry),
                    page_bytes) +
           processes * notice_bytes;
}

job_table::header &job_table::head() const noexcept {
    return *reinterpret_cast<header *>(memory_.base());
}
job_table::process_entry &job_table::process_at(int process) const noexcept {
    return reinterpret_cast<process_entry *>(memory_.base() + sizeof(header))[process];
}
job_table::rank_entry &job_table::rank_at(int rank) const noexcept {
    return reinterpret_cast<rank_entry *>(&process_at(processes()))[rank];
}

job_table job_table::create(const job_shape &shape, const std::optional<part_of_job> &part) {
    shape.check();
    const std::size_t bytes =
        bytes_for(static_cast<std::size_t>(shape.processes()), static_cast<std::size_t>(shape.ranks()));
    job_table made{mapped_file::reserve(mapped_file::make("lisle-job"), 0, bytes,
                                        sentence("the table of a job of ", shape.ranks(), " ranks"))};
    auto *const head = new (made.memory_.base()) header{};
    head->magic = table_magic;
    head->version = table_version;
    head->processes = shape.processes();
    head->ranks = shape.ranks();
    head->bytes = bytes;
    head->id = static_cast<std::uint64_t>(part ? part->id : make_job_id());
    head->fence.expected = part ? part->processes : shape.processes();
    head->fence.relayed = part ? 1 : 0;
    int next = 0;
    for (int process = 0; process < shape.processes(); ++process) {
        auto *const entry = new (&made.process_at(process)) process_entry{};
        entry->first_rank = next;
        entry->rank_count = shape.ranks_of_process[static_cast<std::size_t>(process)];
        entry->workers = shape.workers_of(process);
        entry->node = shape.node_of(process);
        entry->machine = shape.machine_of(process);
        next += entry->rank_count;
    }
    for (int rank = 0; rank < next; ++rank) {
        new (&made.rank_at(rank)) rank_entry{};
    }
    return made;
}

bool job_table::is_one(int descriptor) noexcept {
    std::uint64_t magic = 0;
    return pread(descriptor, &magic, sizeof magic, 0) == sizeof magic && magic == table_magic;
}

int job_table::find(int descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) {
        return descriptor;
    }
    for (pid_t each = getppid(); each > 1; each = parent_of(each)) {
        owned_descriptor found = open_of_process(each, descriptor, O_RDWR);
        if (is_one(found.get())) {
            return found.release();
        }
    }
    return -1;
}

job_table job_table::attach(int descriptor) {
    struct stat about {};
    if (fstat(descriptor, &about) != 0 || about.st_size < static_cast<off_t>(sizeof(header))) {
        fail(MPI_ERR_OTHER, "descriptor ", descriptor, " named by ", process_record_variable,
             " is not a job's table: was this program started by a Lisle launcher of this version, ",
             "and did a wrapper script close its descriptors?");
    }
    // What the header says of the table's length decides how much is mapped; sound() checks it.
    std::uint64_t said = 0;
    const bool read = pread(descriptor, &said, sizeof said, offsetof(header, bytes)) == sizeof said;
    const std::size_t bytes =
        std::clamp(read ? said : 0, sizeof(header), static_cast<std::size_t>(about.st_size));
    job_table mapped{mapped_file::of(descriptor, 0, bytes, "the job's table")};
    if (!mapped.sound()) {
        fail(MPI_ERR_OTHER, "the job's table was made by another version of Lisle's launcher: use the "
                            "lislerun that was installed with this library");
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return mapped;
}

bool job_table::sound() const noexcept {
    const header &says = head();
    if (says.magic != table_magic || says.version != table_version || says.bytes != memory_.bytes() ||
        says.processes < 1 || says.ranks < 1 || says.ranks > most_ranks_of_job ||
        says.processes > says.ranks || says.id == 0 ||
        bytes_for(static_cast<std::size_t>(says.processes), static_cast<std::size_t>(says.ranks)) !=
            memory_.bytes()) {
        return false;
    }
    int next = 0;
    int nodes = 0, machines = 0;
    for (int process = 0; process < says.processes; ++process) {
        const process_entry &entry = process_at(process);
        if (entry.first_rank != next || entry.rank_count < 1 || entry.rank_count > says.ranks - next ||
            entry.workers < 0 || entry.workers > entry.rank_count || entry.node < 0 || entry.node > nodes ||
            entry.machine < 0 || entry.machine > machines) {
            return false;
        }
        nodes = std::max(nodes, entry.node + 1);
        machines = std::max(machines, entry.machine + 1);
        next += entry.rank_count;
    }
    return next == says.ranks;
}

job_id job_table::id() const noexcept {
    return job_id{head().id};
}
int job_table::processes() const noexcept {
    return head().processes;
}
int job_table::ranks() const noexcept {
    return head().ranks;
}
int job_table::first_rank(int process) const noexcept {
    return process_at(process).first_rank;
}
int job_table::rank_count(int process) const noexcept {
    return process_at(process).rank_count;
}
int job_table::worker_count(int process) const noexcept {
    return process_at(process).workers;
}

job_shape job_table::shape() const {
    job_shape shape;
    for (int process = 0; process < processes(); ++process) {
        shape.ranks_of_process.push_back(rank_count(process));
        shape.workers_of_process.push_back(worker_count(process));
        shape.node_of_process.push_back(process_at(process).node);
        shape.machine_of_process.push_back(process_at(process).machine);
    }
    return shape;
}

int job_table::pid(int process) const noexcept {
    return process_at(process).pid.load(std::memory_order_relaxed);
}
int job_table::claim(int process) noexcept {
    int claimer = 0;
    const int own = getpid();
    return process_at(process).pid.compare_exchange_strong(claimer, own, std::memory_order_relaxed) ? own
                                                                                                    : claimer;
}

rank_progress job_table::progress(int rank) const noexcept {
    return rank_at(rank).progress.load(std::memory_order_acquire);
}
void job_table::advance(int rank, rank_progress to) noexcept {
    rank_at(rank).progress.store(to, std::memory_order_release);
}
int job_table::exit_status(int rank) const noexcept {
    return rank_at(rank).exit_status.load(std::memory_order_relaxed);
}
void job_table::set_exit_status(int rank, int status) noexcept {
    rank_at(rank).exit_status.store(status, std::memory_order_relaxed);
}

void job_table::record_abort(int rank, int code, abort_cause cause) noexcept {
    head().abort.write(rank, code, static_cast<std::uint64_t>(cause));
}
std::optional<abort_record> job_table::aborted() const noexcept {
    const once_record &record = head().abort;
    return record.written() ? std::optional{abort_record{record.rank, record.number,
                                                         static_cast<abort_cause>(record.address)}}
                            : std::nullopt;
}
void job_table::record_deadlock(int rank) noexcept {
    head().deadlock.write(rank, 0, 0);
}
bool job_table::deadlocked() const noexcept {
    return head().deadlock.written();
}
void job_table::record_deadlock_among_jobs() noexcept {
    head().deadlock.write(no_rank, 0, 0);
}
bool job_table::deadlocked_among_jobs() const noexcept {
    return deadlocked() && head().deadlock.rank == no_rank;
}
void job_table::record_fault(int rank, int signal, std::uintptr_t address) noexcept {
    head().fault.write(rank, signal, address);
}
std::optional<fault_record> job_table::fault() const noexcept {
    const once_record &record = head().fault;
    return record.written() ? std::optional{fault_record{record.rank, record.number, record.address}}
                            : std::nullopt;
}
crash_stack &job_table::crash() const noexcept {
    return head().crash;
}

job_table::gate &job_table::fence_gate() const noexcept {
    return head().fence;
}
job_table::notices job_table::notices_of(int process) const noexcept {
    std::byte *const first =
        memory_.base() + memory_.bytes() - static_cast<std::size_t>(processes() - process) * notice_bytes;
    return {process_at(process).notices_used, {first, notice_bytes}};
}

} // namespace lisle
