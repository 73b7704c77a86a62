// SPDX-License-Identifier: Apache-2.0
// Memory that processes of one machine share. That of one node of a job has a doorbell and mailboxes for each
// rank of the node, room for what ranks share besides, and behind that in the same file the shared heaps of
// the node's processes. It is made before any process starts, so nobody ever waits for it. That of processes
// of several jobs that meet has a mailbox and a pipe for each rank; one of them makes it, and the others open
// it through /proc. Ranks and processes are named by their index among those that share the memory
// (world/locality.hpp). Neither has a name in any file system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/types.h>

#include "base/mapped_file.hpp"
#include "base/shared_secret.hpp"
#include "execution/doorbell_row.hpp"
#include "fabric/local/mailbox_layout.hpp"
#include "fabric/local/wake_pipe.hpp"
#include "world/job_shape.hpp"

namespace lisle::fabric::local {

/// A part of a file.
struct file_part {
    int descriptor;
    off_t offset;
    std::size_t bytes;
};

/// How others find the file that holds the blocks of a process (peer_blocks.hpp).
struct block_file_place {
    std::atomic<std::uint64_t> device, inode; ///< relaxed: written before the descriptor
    std::atomic<std::int32_t> descriptor;     ///< one more than it is; 0: there is no such file
};

/// One mapping of the segment. All functions are thread-safe.
class node_segment {
  public:
    /// Makes a segment for the processes of one node, and really reserves its memory if they are several.
    /// Throws mpi_error (MPI_ERR_NO_MEM) with need and limit if there is no room.
    /// @param descriptor of the file that it becomes a part of; the segment owns it
    /// @param offset where in the file, a multiple of page_bytes; nothing lies behind
    static node_segment create(int descriptor, std::size_t offset, const job_shape &node);
    /// The same in a file of its own.
    static node_segment create(const job_shape &node);
    /// The same for processes of several jobs. @param secret of their introduction
    static node_segment create_for_introduction(const job_shape &met, const shared_secret &secret);
    /// Maps the segment that begins there in the file, and owns the descriptor.
    /// Throws mpi_error if it is not one of this version.
    static node_segment attach(int descriptor, std::size_t offset = 0);
    /// Attaches to what another process of the machine has open. Nothing, and errno: the system forbids it.
    static std::optional<node_segment> attach_to_that_of(pid_t process, int descriptor);
    /// In private memory, for a job of one process.
    static node_segment private_to_process(const job_shape &node);

    [[nodiscard]] int descriptor() const noexcept { return memory_.descriptor(); }
    /// Nobody else opens it from now on.
    void close_descriptor() noexcept { owned_descriptor{memory_.give_descriptor()}.reset(); }
    /// How many of each share it.
    [[nodiscard]] int processes() const noexcept;
    [[nodiscard]] int ranks() const noexcept;

    /// The room of a rank's mailbox for one of its tracks, zeroed at creation. An introduction's has the
    /// first.
    [[nodiscard]] mailbox_room mailbox(int rank, int track = 0) const noexcept;

    // ---- in that of an introduction ----

    /// Where a rank sleeps. Written before all have opened the memory, read afterwards.
    [[nodiscard]] pipe_name &pipe(int rank) const noexcept;
    /// Of the same processes and introduction.
    [[nodiscard]] bool is_of_introduction(const job_shape &met, const shared_secret &secret) const noexcept;
    /// 1: all ranks of the process have left, so that its end is no failure. Release by the process, acquire
    /// by who finds that it has ended.
    [[nodiscard]] std::atomic<std::uint32_t> &left(int process) const noexcept;

    // ---- in that of a node ----

    /// How many processes expect remote barriers (remote_barrier.hpp): each adds itself when it attaches.
    [[nodiscard]] std::atomic<std::int32_t> &expecting_barriers() const noexcept;

    /// The part of the file behind the segment that is the process's shared heap (shared_heap.hpp): sparse,
    /// and mapped by none of the functions here; no bytes: there is none.
    [[nodiscard]] file_part heap_part(int process) const noexcept;
    /// The address where the process has mapped that, 0 until it has.
    [[nodiscard]] std::atomic<std::uint64_t> &heap_base(int process) const noexcept;
    /// How many bytes of it, from its beginning on: written before the address.
    [[nodiscard]] std::atomic<std::uint64_t> &heap_extent(int process) const noexcept;

    /// Which file of the process holds its large blocks.
    [[nodiscard]] block_file_place &block_file(int process) const noexcept;

    /// Where a rank sleeps.
    [[nodiscard]] doorbell &bell(int rank) const noexcept;
    /// The bells of `count` ranks from `first` on.
    [[nodiscard]] doorbell_row bells(int first, int count) const noexcept;
    /// The room for what ranks tell of their waits (execution/wait_table.hpp), zeroed at creation.
    [[nodiscard]] std::byte *waits() const noexcept;
    /// The room for what ranks share besides (fabric/local/shared_area.hpp), zeroed at creation.
    [[nodiscard]] std::byte *shared_area() const noexcept;

  private:
    struct header;
    struct process_entry;
    /// Where things are, which the numbers of processes and ranks decide.
    struct layout {
        std::size_t bells, waits, mailboxes, shared, end;
        [[nodiscard]] static layout of(int processes, int ranks, bool introduced) noexcept;
    };
    node_segment(mapped_file memory, std::size_t offset, const layout &rooms) noexcept
        : memory_{std::move(memory)}, offset_{offset}, rooms_{rooms} {}
    static node_segment lay_out(mapped_file memory, std::size_t offset, const layout &rooms,
                                const job_shape &who);
    /// Puts bells and heaps into a node's.
    static node_segment add_bells_and_heaps(node_segment made, const job_shape &node);
    [[nodiscard]] header &head() const noexcept;
    [[nodiscard]] process_entry &entry(int process) const noexcept;
    /// Everything that others would follow blindly; false if the segment is not what it says.
    [[nodiscard]] static bool sound(const header &says, std::size_t file) noexcept;

    mapped_file memory_;
    std::size_t offset_; ///< in the file
    layout rooms_;
};

} // namespace lisle::fabric::local
