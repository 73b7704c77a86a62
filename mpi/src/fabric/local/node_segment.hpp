// SPDX-License-Identifier: Apache-2.0
// The shared memory of one node of a job: a doorbell and mailboxes for each rank of the node, room for what
// ranks share besides, and behind that in the same file the shared heaps of the node's processes. Ranks and
// processes are named by their index on the node (world/locality.hpp); other nodes have no place here. Made
// before any process starts, so nobody ever waits for it, and without a name in any file system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

#include "base/mapped_file.hpp"
#include "execution/doorbell_row.hpp"
#include "world/job_shape.hpp"

namespace lisle::fabric::local {

/// A part of a file.
struct file_part {
    int descriptor;
    off_t offset;
    std::size_t bytes;
};

/// One mapping of the segment. All functions are thread-safe.
class node_segment {
  public:
    /// Makes a segment for the processes of one node and really reserves its memory.
    /// Throws mpi_error (MPI_ERR_NO_MEM) with need and limit if there is no room.
    /// @param descriptor of the file that it becomes a part of; the segment owns it
    /// @param offset where in the file, a multiple of page_bytes; nothing lies behind
    static node_segment create(int descriptor, std::size_t offset, const job_shape &node);
    /// The same in a file of its own.
    static node_segment create(const job_shape &node);
    /// Maps the segment that begins there in the file, and owns the descriptor.
    /// Throws mpi_error if it is not one of this version.
    static node_segment attach(int descriptor, std::size_t offset = 0);
    /// In private memory, for a job of one process.
    static node_segment private_to_process(const job_shape &node);

    [[nodiscard]] int descriptor() const noexcept { return memory_.descriptor(); }
    /// How many of each the node has.
    [[nodiscard]] int processes() const noexcept;
    [[nodiscard]] int ranks() const noexcept;

    /// How many processes expect remote barriers (remote_barrier.hpp): each adds itself when it attaches.
    [[nodiscard]] std::atomic<std::int32_t> &expecting_barriers() const noexcept;

    /// The part of the file behind the segment that is the process's shared heap (shared_heap.hpp): sparse,
    /// and mapped by none of the functions here; no bytes: there is none.
    [[nodiscard]] file_part heap_part(int process) const noexcept;
    /// The address where the process has mapped that, 0 until it has.
    [[nodiscard]] std::atomic<std::uint64_t> &heap_base(int process) const noexcept;
    /// How many bytes of it, from its beginning on: written before the address.
    [[nodiscard]] std::atomic<std::uint64_t> &heap_extent(int process) const noexcept;

    /// Where a rank sleeps.
    [[nodiscard]] doorbell &bell(int rank) const noexcept;
    /// The bells of `count` ranks from `first` on.
    [[nodiscard]] doorbell_row bells(int first, int count) const noexcept;
    /// The room for what ranks tell of their waits (execution/wait_table.hpp), zeroed at creation.
    [[nodiscard]] std::byte *waits() const noexcept;
    /// The room of a rank's mailbox for one of its tracks, zeroed at creation.
    [[nodiscard]] std::byte *mailbox(int rank, int track = 0) const noexcept;
    /// The room for what ranks share besides (fabric/local/shared_area.hpp), zeroed at creation.
    [[nodiscard]] std::byte *shared_area() const noexcept;

  private:
    struct header;
    /// Where things are, which the numbers of processes and ranks alone decide.
    struct layout {
        std::size_t bells, waits, mailboxes, shared, end;
        [[nodiscard]] static layout of(int processes, int ranks) noexcept;
    };
    node_segment(mapped_file memory, std::size_t offset, const layout &rooms) noexcept
        : memory_{std::move(memory)}, offset_{offset}, rooms_{rooms} {}
    static node_segment lay_out(mapped_file memory, std::size_t offset, const layout &rooms,
                                const job_shape &node);
    [[nodiscard]] header &head() const noexcept;
    /// Everything that others would follow blindly; false if the segment is not what it says.
    [[nodiscard]] static bool sound(const header &says, std::size_t file) noexcept;

    mapped_file memory_;
    std::size_t offset_; ///< in the file
    layout rooms_;
};

} // namespace lisle::fabric::local
