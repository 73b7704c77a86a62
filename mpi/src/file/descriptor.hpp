// SPDX-License-Identifier: Apache-2.0
// A file of the operating system as one rank has opened it. Calls that the system interrupts or completes in
// part are continued; a failure is thrown as the standard's error class, with the file's name and the
// system's reason.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "mpi.h"

namespace lisle::file {

/// Bytes of a file that follow each other.
struct file_run {
    MPI_Offset offset = 0;
    MPI_Count bytes = 0;
    [[nodiscard]] MPI_Offset end() const noexcept { return offset + bytes; }
};

/// The error class of a value of errno. [MPI-5.0 14.8]
[[nodiscard]] int class_of_errno(int error) noexcept;

/// How a range of a file is locked.
enum class lock_kind { shared, exclusive };

enum class lock_answer { taken, busy, unsupported };

/// See the file's head. Its end closes the file. Any number of threads may read and write through one.
class descriptor {
  public:
    /// Opens as MPI_File_open does. @param amode bits of MPI_MODE_
    descriptor(const std::string &name, int amode);
    descriptor(const descriptor &) = delete;
    descriptor &operator=(const descriptor &) = delete;
    ~descriptor();

    [[nodiscard]] const std::string &name() const noexcept { return name_; }
    /// True if bytes can be read although the program may only write: a part of a block can be replaced then.
    [[nodiscard]] bool readable() const noexcept { return readable_; }

    /// True if only this kernel accesses the file system.
    [[nodiscard]] bool local() const noexcept { return local_; }

    /// Reads from there on until the room is full or the file ends. Returns how many bytes.
    [[nodiscard]] std::size_t read(std::span<std::byte> into, MPI_Offset offset) const;
    void write(std::span<const std::byte> data, MPI_Offset offset) const;

    [[nodiscard]] MPI_Offset size() const;
    void set_size(MPI_Offset size) const;
    /// Gives the first `size` bytes room on the device; the file grows if it was shorter.
    void preallocate(MPI_Offset size) const;
    /// Returns when the device has what was written.
    void sync() const;
    void remove() const;

    /// Locks a range against other descriptors, also those of this process (an open file description lock),
    /// and against other threads that use this one, which has one lock at a time. Never waits.
    [[nodiscard]] lock_answer try_lock(const file_run &range, lock_kind kind) const;
    void unlock(const file_run &range) const noexcept;

  private:
    [[noreturn]] void fail_with(int error, const char *what) const;

    std::string name_;
    int number_ = -1;
    bool readable_ = false;
    bool local_ = false;
    /// Acquired and released with the lock: the kernel tells descriptors apart, but not the threads of one.
    mutable std::atomic<bool> locked_{false};
};

/// MPI_File_delete.
void remove_file(const std::string &name);

/// Drops a prefix that names a kind of file system ("ufs:", "nfs:"), which other MPIs need: here the kernel
/// tells.
[[nodiscard]] std::string plain_name(const char *name);

} // namespace lisle::file
