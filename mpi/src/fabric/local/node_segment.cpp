// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/node_segment.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "execution/wait_table.hpp"
#include "fabric/local/mailbox_layout.hpp"
#include "fabric/local/shared_area_layout.hpp"
#include "mpi.h"

namespace lisle::fabric::local {

namespace {

constexpr std::uint64_t segment_magic = 0x4c49534c45204e53;
constexpr std::uint32_t segment_version = 13;

/// What the mailboxes of all ranks take for one of their tracks, and for all of them.
std::size_t track_bytes(int ranks, int track) {
    return static_cast<std::size_t>(ranks) * mailbox_layout::for_job_of(ranks, track).bytes();
}
std::size_t mailboxes_bytes(int ranks) {
    std::size_t sum = 0;
    for (int track = 0; track < tracks_of_job(ranks); ++track) {
        sum += track_bytes(ranks, track);
    }
    return sum;
}

/// Bytes of address space that each process has for shared heap: twice what the machine has, within reason.
std::size_t heap_bytes_for(int processes) noexcept {
    constexpr std::size_t most = std::size_t{64} << 30, most_of_all = std::size_t{16} << 40;
    const auto machine =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::min({std::bit_ceil(machine) * 2, most,
                     std::bit_floor(most_of_all / static_cast<std::size_t>(processes))});
}

} // namespace

struct node_segment::process_entry {
    std::atomic<std::uint64_t> heap_base; // see shared_heap
    std::atomic<std::uint64_t> heap_extent;
    std::atomic<std::uint32_t> left;
    block_file_place blocks;
};

struct node_segment::header {
    std::uint64_t magic;
    std::uint32_t version;
    std::int32_t processes;
    std::int32_t ranks;
    bool introduced;      ///< for processes of several jobs that have met
    shared_secret secret; ///< of their introduction
    std::uint64_t bytes;
    std::uint64_t heap_bytes; ///< of each process, behind the segment; not mapped with the rest
    std::atomic<std::int32_t> expecting_barriers; // relaxed: a hint that comes true in time
};

node_segment::layout node_segment::layout::of(int processes, int ranks, bool introduced) noexcept {
    const auto count = static_cast<std::size_t>(ranks);
    const std::size_t entries = static_cast<std::size_t>(processes) * sizeof(process_entry);
    const std::size_t bells = align_up(sizeof(header) + entries, doorbell::unit);
    if (introduced) { // one track, and pipes instead of bells
        const std::size_t mailboxes = align_up(bells + count * sizeof(pipe_name), page_bytes);
        const std::size_t end = align_up(mailboxes + track_bytes(ranks, 0), page_bytes);
        return {bells, end, mailboxes, end, end};
    }
    const std::size_t waits = bells + count * sizeof(doorbell);
    const std::size_t mailboxes = align_up(waits + wait_table::bytes(ranks), page_bytes);
    const std::size_t shared = align_up(mailboxes + mailboxes_bytes(ranks), page_bytes);
    return {bells, waits, mailboxes, shared,
            align_up(shared + shared_area_layout::for_job_of(ranks).bytes(), page_bytes)};
}

static_assert(sizeof(doorbell) % doorbell::unit == 0);

node_segment::header &node_segment::head() const noexcept {
    return *reinterpret_cast<header *>(memory_.base());
}

node_segment node_segment::lay_out(mapped_file memory, std::size_t offset, const layout &rooms,
                                   const job_shape &who) {
    node_segment made{std::move(memory), offset, rooms};
    auto *const head = new (made.memory_.base()) header{};
    head->magic = segment_magic;
    head->version = segment_version;
    head->processes = who.processes();
    head->ranks = who.ranks();
    head->bytes = rooms.end;
    for (int process = 0; process < who.processes(); ++process) {
        new (&made.entry(process)) process_entry{};
    }
    return made;
}

node_segment node_segment::add_bells_and_heaps(node_segment made, const job_shape &node) {
    if (made.descriptor() >= 0 && node.processes() > 1) {
        const std::size_t each = heap_bytes_for(node.processes());
        const std::size_t all = static_cast<std::size_t>(node.processes()) * each;
        const bool long_enough =
            mapped_file::lengthen(made.descriptor(), made.offset_ + made.rooms_.end + all);
        made.head().heap_bytes = long_enough ? each : 0;
    }
    int first = 0;
    for (int process = 0; process < node.processes(); ++process) {
        const int count = node.ranks_of_process[static_cast<std::size_t>(process)];
        for (int rank = first; rank < first + count; ++rank) {
            new (&made.bell(rank)) doorbell;
        }
        const int workers = node.workers_of(process);
        for (int worker = 0; worker < workers; ++worker) {
            const int home = first_of_worker(worker, workers, count);
            for (int i = home; i < first_of_worker(worker + 1, workers, count); ++i) {
                made.bell(first + i).belong_to(static_cast<std::uint32_t>(i - home) *
                                               made.bells(0, 1).units_between());
            }
        }
        first += count;
    }
    return made;
}

node_segment node_segment::create(int descriptor, std::size_t offset, const job_shape &node) {
    const layout rooms = layout::of(node.processes(), node.ranks(), false);
    const std::string what = sentence("a job of ", node.ranks(), " ranks");
    // One process could as well have ordinary memory, which takes room where it is touched: of what a hundred
    // thousand ranks might need, they touch a tenth.
    const bool lazy = node.processes() == 1 && mapped_file::lengthen(descriptor, offset + rooms.end);
    auto memory = lazy ? mapped_file::of(descriptor, offset, rooms.end, what)
                       : mapped_file::reserve(descriptor, offset, rooms.end, what);
    return add_bells_and_heaps(lay_out(std::move(memory), offset, rooms, node), node);
}

node_segment node_segment::create(const job_shape &node) {
    node.check();
    return create(mapped_file::make("lisle-node"), 0, node);
}

node_segment node_segment::private_to_process(const job_shape &node) {
    const layout rooms = layout::of(node.processes(), node.ranks(), false);
    auto memory = mapped_file::private_memory(rooms.end, sentence("a job of ", node.ranks(), " ranks"));
    return add_bells_and_heaps(lay_out(std::move(memory), 0, rooms, node), node);
}

node_segment node_segment::create_for_introduction(const job_shape &met, const shared_secret &secret) {
    const layout rooms = layout::of(met.processes(), met.ranks(), true);
    auto memory = mapped_file::reserve(mapped_file::make("lisle-introduction"), 0, rooms.end,
                                       sentence("the introduction of ", met.ranks(), " ranks"));
    node_segment made = lay_out(std::move(memory), 0, rooms, met);
    made.head().introduced = true;
    made.head().secret = secret;
    return made;
}

node_segment node_segment::attach(int descriptor, std::size_t offset) {
    owned_descriptor owned{descriptor};
    struct stat about {};
    header says{};
    if (fstat(descriptor, &about) != 0 ||
        pread(descriptor, static_cast<void *>(&says), sizeof says, static_cast<off_t>(offset)) !=
            static_cast<ssize_t>(sizeof says)) {
        fail(MPI_ERR_OTHER, "descriptor ", descriptor,
             " does not lead to the shared memory of the job's node");
    }
    const std::size_t file = static_cast<std::size_t>(about.st_size) - offset;
    if (!sound(says, file)) {
        fail(MPI_ERR_OTHER,
             "the shared memory of the job's node was made by another version of Lisle: use the "
             "lislerun that was installed with this library");
    }
    return {mapped_file::of(owned.release(), offset, says.bytes, "the job's shared memory"), offset,
            layout::of(says.processes, says.ranks, says.introduced)};
}

std::optional<node_segment> node_segment::attach_to_that_of(pid_t process, int descriptor) {
    owned_descriptor opened = open_of_process(process, descriptor, O_RDWR);
    return opened ? std::optional{attach(opened.release())} : std::nullopt;
}

bool node_segment::is_of_introduction(const job_shape &met, const shared_secret &secret) const noexcept {
    return head().introduced && head().secret == secret && processes() == met.processes() &&
           ranks() == met.ranks();
}

bool node_segment::sound(const header &says, std::size_t file) noexcept {
    if (says.magic != segment_magic || says.version != segment_version || says.processes < 1 ||
        says.ranks < 1 || says.ranks > most_ranks_of_job || says.processes > says.ranks) {
        return false;
    }
    return layout::of(says.processes, says.ranks, says.introduced).end == says.bytes && says.bytes <= file &&
           says.heap_bytes % page_bytes == 0 &&
           says.heap_bytes <= (file - says.bytes) / static_cast<std::size_t>(says.processes);
}

int node_segment::processes() const noexcept {
    return head().processes;
}
int node_segment::ranks() const noexcept {
    return head().ranks;
}
std::atomic<std::int32_t> &node_segment::expecting_barriers() const noexcept {
    return head().expecting_barriers;
}

file_part node_segment::heap_part(int process) const noexcept {
    const std::size_t before = static_cast<std::size_t>(process) * head().heap_bytes;
    return {descriptor(), static_cast<off_t>(offset_ + head().bytes + before), head().heap_bytes};
}
node_segment::process_entry &node_segment::entry(int process) const noexcept {
    return reinterpret_cast<process_entry *>(&head() + 1)[process];
}
std::atomic<std::uint64_t> &node_segment::heap_base(int process) const noexcept {
    return entry(process).heap_base;
}
std::atomic<std::uint64_t> &node_segment::heap_extent(int process) const noexcept {
    return entry(process).heap_extent;
}
block_file_place &node_segment::block_file(int process) const noexcept {
    return entry(process).blocks;
}
std::atomic<std::uint32_t> &node_segment::left(int process) const noexcept {
    return entry(process).left;
}
pipe_name &node_segment::pipe(int rank) const noexcept {
    return reinterpret_cast<pipe_name *>(memory_.base() + rooms_.bells)[rank];
}

doorbell &node_segment::bell(int rank) const noexcept {
    return reinterpret_cast<doorbell *>(memory_.base() + rooms_.bells)[rank];
}
doorbell_row node_segment::bells(int first, int count) const noexcept {
    return {bell(first), count, sizeof(doorbell) / doorbell::unit};
}
std::byte *node_segment::waits() const noexcept {
    return memory_.base() + rooms_.waits;
}
mailbox_room node_segment::mailbox(int rank, int track) const noexcept {
    std::byte *of_track = memory_.base() + rooms_.mailboxes;
    for (int before = 0; before < track; ++before) {
        of_track += track_bytes(ranks(), before);
    }
    return mailbox_room::of(of_track, ranks(), rank, mailbox_layout::for_job_of(ranks(), track));
}
std::byte *node_segment::shared_area() const noexcept {
    return memory_.base() + rooms_.shared;
}

} // namespace lisle::fabric::local
