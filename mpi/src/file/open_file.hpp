// SPDX-License-Identifier: Apache-2.0
// An open file as one rank holds it: its mode, the rank's view and file pointers, and the collective
// operation that runs. Made by opening.hpp.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/object.hpp"
#include "communicator/communicator.hpp"
#include "file/descriptor.hpp"
#include "file/hints.hpp"
#include "file/shared_pointer.hpp"
#include "file/transfer.hpp"
#include "file/view.hpp"
#include "protocol/message/request.hpp"

namespace lisle::file {

class helper;

/// A split collective operation between its two calls [MPI-5.0 14.4.5]: it is done in the first one, as the
/// standard allows, and the second one tells how it ended.
struct split_operation {
    const void *buffer;
    const char *call; ///< that began it, without "_begin"
    MPI_Count bytes;
};

/// See the file's head. Any thread of the rank may use one at any time.
class open_file : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::file;

    /// @param members a communicator of the file's own; its error handler is the file's
    open_file(communicator_ref members, std::unique_ptr<descriptor> opened, int amode);
    ~open_file();

    [[nodiscard]] communicator &comm() const noexcept { return *comm_; }
    [[nodiscard]] protocol::engine &home() const noexcept { return *comm_->collective.home; }
    [[nodiscard]] const descriptor &on_disk() const noexcept { return *descriptor_; }
    [[nodiscard]] int amode() const noexcept { return amode_; }
    [[nodiscard]] bool has(int mode) const noexcept { return (amode_ & mode) != 0; }
    [[nodiscard]] MPI_File handle() noexcept { return handle_of<MPI_File>(*this); }

    /// What the rank sees now. Operations keep the view that they began with.
    std::shared_ptr<const view> seen;
    hints how;
    /// True if the ranks are on one node and its kernel alone looks after the file system: the first rank's
    /// result, since all ranks must act alike.
    bool of_one_kernel = false;
    std::atomic<bool> atomic{false}; ///< MPI_File_set_atomicity
    /// The individual file pointer, in bytes of the view. Relaxed: each operation of a thread takes a
    /// position of its own, and orders nothing else.
    std::atomic<MPI_Count> position{0};
    std::optional<shared_pointer> shared;
    std::optional<split_operation> split;
    /// How the calling rank moves data now. @param home null: a helper asks @param through outlives the
    /// result
    [[nodiscard]] passage way(const view &through, protocol::engine *home) const {
        return {*descriptor_, through, how, home, atomic.load(std::memory_order_relaxed)};
    }

    // Collective operations of a file run one after the other, in the order of their calls, which all ranks
    // make in one order. So a rank may have begun several that do not block.

    /// The number of the next one.
    [[nodiscard]] unsigned begin_collective() noexcept {
        return begun_.fetch_add(1, std::memory_order_relaxed);
    }
    /// True when all before this one have ended.
    [[nodiscard]] bool is_turn_of(unsigned number) const noexcept {
        return ended_.load(std::memory_order_acquire) == number;
    }
    void end_collective() noexcept { ended_.fetch_add(1, std::memory_order_release); }
    /// Makes progress until the turn of this one has come.
    void await_turn_of(unsigned number);

  private:
    communicator_ref comm_;
    std::unique_ptr<descriptor> descriptor_;
    const int amode_;
    std::atomic<unsigned> begun_{0};
    std::atomic<unsigned> ended_{0}; ///< released by the thread that ends one, acquired by that of the next

  public:
    /// Reads and writes for operations that do not block. The last member, so that it ends first: what it has
    /// begun needs the others.
    const std::unique_ptr<helper> thread;
};

/// While one lives, its collective operation is the one that runs.
class [[nodiscard]] collective_turn {
  public:
    explicit collective_turn(open_file &on) : on_{on} { on.await_turn_of(on.begin_collective()); }
    collective_turn(const collective_turn &) = delete;
    collective_turn &operator=(const collective_turn &) = delete;
    ~collective_turn() { on_.end_collective(); }

  private:
    open_file &on_;
};

/// On how many nodes there are members.
[[nodiscard]] int nodes_of(const communicator &members);

/// The file behind a handle, or null.
[[nodiscard]] inline open_file *find_file(MPI_File handle) noexcept {
    return object_of<open_file>(handle);
}

} // namespace lisle::file
