// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/job_segment.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabric/local/shared_area_layout.hpp"
#include "fabric/local/mailbox_layout.hpp"
#include "mpi.h"
#include "base/error.hpp"

namespace lisle {

namespace {

constexpr std::uint64_t segment_magic = 0x4c49534c45204a42;
constexpr std::uint32_t segment_version = 5;
constexpr int most_ranks = 1 << 22;

constexpr std::size_t align_up(std::size_t value, std::size_t to) {
    return (value + to - 1) / to * to;
}

struct process_entry {
    std::int32_t first_rank;
    std::int32_t rank_count;
    std::int32_t workers;
    std::atomic<std::int32_t> pid;        // relaxed: only read once messages have ordered it
    std::atomic<std::uint64_t> open_base; // see shared_heap
};

struct alignas(doorbell::unit) rank_entry {
    doorbell bell;
    std::int32_t process;
    std::atomic<rank_progress> progress; // release/acquire with exit_status
    std::atomic<std::int32_t> exit_status;
};

/// What the mailboxes of all ranks take for one of their tracks, and for all of them.
std::size_t track_bytes(int ranks, int track) {
    return static_cast<std::size_t>(ranks) * fabric::mailbox_layout::for_job_of(ranks, track).bytes();
}
std::size_t mailboxes_bytes(int ranks) {
    std::size_t sum = 0;
    for (int track = 0; track < fabric::tracks_of_job(ranks); ++track) {
        sum += track_bytes(ranks, track);
    }
    return sum;
}

/// Bytes of address space that each process has for shared heap: twice what the machine has, within reason.
std::size_t open_part_bytes(int processes) noexcept {
    constexpr std::size_t most = std::size_t{64} << 30, most_of_all = std::size_t{16} << 40;
    const auto machine =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::min({std::bit_ceil(machine) * 2, most,
                     std::bit_floor(most_of_all / static_cast<std::size_t>(processes))});
}

/// Makes the file longer, which takes no memory. False: it may not be that long.
bool lengthen(int descriptor, std::size_t bytes) noexcept {
    rlimit limit{}; // who goes beyond this one is sent a signal
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur &&
           ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

/// Ranks are dealt to workers in blocks, so neighbours share one.
constexpr int first_of_worker(int worker, int workers, int ranks) noexcept {
    return static_cast<int>(static_cast<std::int64_t>(worker) * ranks / workers);
}

// Records that the first of several writers fills: `state` goes 0 -> 1 (being written) -> 2 (written,
// release; readers acquire).
struct once_record {
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

} // namespace

int job_shape::ranks() const noexcept {
    return std::accumulate(ranks_of_process.begin(), ranks_of_process.end(), 0);
}

struct job_segment::table {
    std::uint64_t magic;
    std::uint32_t version;
    std::int32_t processes;
    std::int32_t ranks;
    std::uint64_t bytes;
    std::uint64_t ranks_offset;
    std::uint64_t mailboxes_offset;
    std::uint64_t shared_offset;
    std::uint64_t open_bytes; ///< of each process, from `bytes` on; not mapped with the rest
    std::atomic<std::int32_t> expecting_barriers; // relaxed: a hint that comes true in time
    once_record abort;
    once_record fault;

    [[nodiscard]] process_entry *process_entries() noexcept {
        return reinterpret_cast<process_entry *>(reinterpret_cast<std::byte *>(this) + header_bytes());
    }
    [[nodiscard]] rank_entry *rank_entries() noexcept {
        return reinterpret_cast<rank_entry *>(reinterpret_cast<std::byte *>(this) + ranks_offset);
    }
    static constexpr std::size_t header_bytes() noexcept { return align_up(sizeof(table), 64); }
    /// What the header of a file says of the segment's length, which sound() checks; 0: nothing.
    [[nodiscard]] static std::size_t bytes_of(int descriptor) noexcept {
        std::uint64_t said = 0;
        return pread(descriptor, &said, sizeof said, offsetof(table, bytes)) == sizeof said ? said : 0;
    }

    /// Everything that others would follow blindly; false if the segment is not what it says.
    [[nodiscard]] bool sound(std::size_t mapped, std::size_t file) noexcept;
};

bool job_segment::table::sound(std::size_t mapped, std::size_t file) noexcept {
    if (magic != segment_magic || version != segment_version || bytes != mapped || processes < 1 ||
        ranks < 1 || ranks > most_ranks || processes > ranks) {
        return false;
    }
    const auto count = static_cast<std::size_t>(ranks);
    const auto process_table = header_bytes() + static_cast<std::size_t>(processes) * sizeof(process_entry);
    if (open_bytes % 4096 != 0 || open_bytes > (file - mapped) / static_cast<std::size_t>(processes)) {
        return false;
    }
    if (ranks_offset != align_up(process_table, 64) ||
        mailboxes_offset < ranks_offset + count * sizeof(rank_entry) || mailboxes_offset % 64 != 0 ||
        shared_offset % 64 != 0 || mailboxes_offset + mailboxes_bytes(ranks) > shared_offset ||
        shared_offset + fabric::local::shared_area_layout::for_job_of(ranks).bytes() > mapped) {
        return false;
    }
    int next = 0;
    for (int p = 0; p < processes; ++p) {
        const auto &entry = process_entries()[p];
        if (entry.first_rank != next || entry.rank_count < 1 || entry.rank_count > ranks - next ||
            entry.workers < 0 || entry.workers > entry.rank_count) {
            return false;
        }
        next += entry.rank_count;
    }
    return next == ranks;
}

job_segment::job_segment(int descriptor, void *base, std::size_t bytes) noexcept
    : descriptor_{descriptor}, table_{static_cast<table *>(base)}, bytes_{bytes} {}

job_segment::job_segment(job_segment &&other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, table_{std::exchange(other.table_, nullptr)},
      bytes_{std::exchange(other.bytes_, 0)} {}

job_segment &job_segment::operator=(job_segment &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(table_, other.table_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

job_segment::~job_segment() {
    if (table_ != nullptr) {
        munmap(table_, bytes_);
    }
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

job_segment job_segment::lay_out(int descriptor, const job_shape &shape) {
    const auto ranks = static_cast<std::size_t>(shape.ranks());
    const auto process_table =
        table::header_bytes() + static_cast<std::size_t>(shape.processes()) * sizeof(process_entry);
    const auto ranks_offset = align_up(process_table, 64);
    const auto mailboxes_offset = align_up(ranks_offset + ranks * sizeof(rank_entry), 4096);
    const auto shared_offset = align_up(mailboxes_offset + mailboxes_bytes(shape.ranks()), 4096);
    const auto shared_bytes = fabric::local::shared_area_layout::for_job_of(shape.ranks()).bytes();
    const auto bytes = align_up(shared_offset + shared_bytes, 4096);

    if (descriptor >= 0) {
        // posix_fallocate would report success on file systems that only promise; this call reserves.
        const bool sized = ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
        if (!sized || fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0) {
            const int reason = errno;
            close(descriptor);
            fail(MPI_ERR_NO_MEM, "a job of ", shape.ranks(), " ranks needs ", bytes / 1024,
                 " KiB of shared memory, which the system does not give: ", std::strerror(reason),
                 " (raise the memory limit of this container or session, or start fewer ranks)");
        }
    }
    const int flags = descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void *const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (base == MAP_FAILED) {
        const int reason = errno;
        if (descriptor >= 0) {
            close(descriptor);
        }
        fail(MPI_ERR_NO_MEM, "cannot map the ", bytes / 1024, " KiB that a job of ", shape.ranks(),
             " ranks shares: ", std::strerror(reason));
    }
    job_segment made{descriptor, base, bytes};
    auto *const head = new (base) table{};
    head->magic = segment_magic;
    head->version = segment_version;
    head->processes = shape.processes();
    head->ranks = shape.ranks();
    head->bytes = bytes;
    head->ranks_offset = ranks_offset;
    head->mailboxes_offset = mailboxes_offset;
    head->shared_offset = shared_offset;
    if (descriptor >= 0 && shape.processes() > 1) {
        const std::size_t open_bytes = open_part_bytes(shape.processes());
        const bool there =
            lengthen(descriptor, bytes + static_cast<std::size_t>(shape.processes()) * open_bytes);
        head->open_bytes = there ? open_bytes : 0;
    }
    int next = 0;
    for (int p = 0; p < shape.processes(); ++p) {
        const int count = shape.ranks_of_process[static_cast<std::size_t>(p)];
        auto *const entry = new (head->process_entries() + p) process_entry{};
        entry->first_rank = next;
        entry->rank_count = count;
        entry->workers = shape.workers_of_process.empty()
                             ? 0
                             : std::min(shape.workers_of_process[static_cast<std::size_t>(p)], count);
        for (int r = next; r < next + count; ++r) {
            (new (head->rank_entries() + r) rank_entry{})->process = p;
        }
        for (int worker = 0; worker < entry->workers; ++worker) {
            const int home = first_of_worker(worker, entry->workers, count);
            for (int i = home; i < first_of_worker(worker + 1, entry->workers, count); ++i) {
                head->rank_entries()[next + i].bell.belong_to(static_cast<std::uint32_t>(i - home) *
                                                              made.units_between_bells());
            }
        }
        next += count;
    }
    return made;
}

job_segment job_segment::create(const job_shape &shape) {
    const bool every_process_has_ranks = std::all_of(
        shape.ranks_of_process.begin(), shape.ranks_of_process.end(), [](int n) { return n > 0; });
    if (shape.ranks_of_process.empty() || !every_process_has_ranks || shape.ranks() > most_ranks) {
        fail(MPI_ERR_ARG, "a job needs at least one rank in each process and at most ", most_ranks,
             " ranks in all");
    }
    const int descriptor = memfd_create("lisle-job", MFD_CLOEXEC);
    if (descriptor < 0) {
        fail(MPI_ERR_NO_MEM, "cannot create shared memory for the job: ", std::strerror(errno));
    }
    return lay_out(descriptor, shape);
}

job_segment job_segment::private_to_process(const job_shape &shape) {
    return lay_out(-1, shape);
}

job_segment job_segment::attach(int descriptor) {
    struct stat about {};
    if (fstat(descriptor, &about) != 0 || about.st_size < static_cast<off_t>(table::header_bytes())) {
        fail(MPI_ERR_OTHER, "descriptor ", descriptor, " named by ", job_descriptor_variable,
             " is not a job's segment: was this program started by a Lisle launcher of this version, ",
             "and did a wrapper script close its descriptors?");
    }
    const auto file = static_cast<std::size_t>(about.st_size);
    const std::size_t bytes = std::clamp(table::bytes_of(descriptor), table::header_bytes(), file);
    void *const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (base == MAP_FAILED) {
        fail(MPI_ERR_NO_MEM, "cannot map the job's segment of ", bytes / 1024,
             " KiB: ", std::strerror(errno));
    }
    job_segment mapped{descriptor, base, bytes};
    if (!mapped.table_->sound(bytes, file)) {
        fail(MPI_ERR_OTHER, "the job's segment was made by another version of Lisle's launcher: use the "
                            "lislerun that was installed with this library");
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return mapped;
}

int job_segment::descriptor() const noexcept {
    return descriptor_;
}
int job_segment::processes() const noexcept {
    return table_->processes;
}
int job_segment::ranks() const noexcept {
    return table_->ranks;
}
int job_segment::first_rank(int process) const noexcept {
    return table_->process_entries()[process].first_rank;
}
int job_segment::rank_count(int process) const noexcept {
    return table_->process_entries()[process].rank_count;
}
int job_segment::process_of(int rank) const noexcept {
    return table_->rank_entries()[rank].process;
}
int job_segment::worker_count(int process) const noexcept {
    return table_->process_entries()[process].workers;
}
int job_segment::worker_begin(int process, int worker) const noexcept {
    const process_entry &entry = table_->process_entries()[process];
    return first_of_worker(worker, entry.workers, entry.rank_count);
}
int job_segment::threads() const noexcept {
    int sum = 0;
    for (int p = 0; p < processes(); ++p) {
        const process_entry &entry = table_->process_entries()[p];
        sum += entry.workers != 0 ? entry.workers : entry.rank_count;
    }
    return sum;
}
std::uint32_t job_segment::units_between_bells() noexcept {
    static_assert(sizeof(rank_entry) % doorbell::unit == 0);
    return sizeof(rank_entry) / doorbell::unit;
}

int job_segment::pid(int process) const noexcept {
    return table_->process_entries()[process].pid.load(std::memory_order_relaxed);
}
void job_segment::set_pid(int process, int pid) noexcept {
    table_->process_entries()[process].pid.store(pid, std::memory_order_relaxed);
}

std::atomic<std::int32_t> &job_segment::expecting_barriers() const noexcept {
    return table_->expecting_barriers;
}

file_part job_segment::open_part(int process) const noexcept {
    const auto before = static_cast<std::uint64_t>(process) * table_->open_bytes;
    return {descriptor_, static_cast<off_t>(table_->bytes + before), table_->open_bytes};
}
std::atomic<std::uint64_t> &job_segment::open_base(int process) const noexcept {
    return table_->process_entries()[process].open_base;
}

rank_progress job_segment::progress(int rank) const noexcept {
    return table_->rank_entries()[rank].progress.load(std::memory_order_acquire);
}
void job_segment::advance(int rank, rank_progress to) noexcept {
    table_->rank_entries()[rank].progress.store(to, std::memory_order_release);
}
int job_segment::exit_status(int rank) const noexcept {
    return table_->rank_entries()[rank].exit_status.load(std::memory_order_relaxed);
}
void job_segment::set_exit_status(int rank, int status) noexcept {
    table_->rank_entries()[rank].exit_status.store(status, std::memory_order_relaxed);
}

void job_segment::record_abort(int rank, int code) noexcept {
    table_->abort.write(rank, code, 0);
}
std::optional<abort_record> job_segment::aborted() const noexcept {
    const auto &record = table_->abort;
    return record.written() ? std::optional{abort_record{record.rank, record.number}} : std::nullopt;
}
void job_segment::record_fault(int rank, int signal, std::uintptr_t address) noexcept {
    table_->fault.write(rank, signal, address);
}
std::optional<fault_record> job_segment::fault() const noexcept {
    const auto &record = table_->fault;
    return record.written() ? std::optional{fault_record{record.rank, record.number, record.address}}
                            : std::nullopt;
}

doorbell &job_segment::bell(int rank) const noexcept {
    return table_->rank_entries()[rank].bell;
}
std::byte *job_segment::mailbox(int rank, int track) const noexcept {
    std::byte *of_track = reinterpret_cast<std::byte *>(table_) + table_->mailboxes_offset;
    for (int before = 0; before < track; ++before) {
        of_track += track_bytes(ranks(), before);
    }
    return of_track +
           static_cast<std::size_t>(rank) * fabric::mailbox_layout::for_job_of(ranks(), track).bytes();
}
std::byte *job_segment::shared_area() const noexcept {
    return reinterpret_cast<std::byte *>(table_) + table_->shared_offset;
}

} // namespace lisle
