// SPDX-License-Identifier: Apache-2.0
// Moves data between memory and runs of a file's bytes, for one rank alone. Short runs with small gaps
// between them are read together with the gaps, which are dropped ("data sieving", after Thakur, Gropp and
// Lusk). A write that did so would read a whole stretch, replace its own bytes and write it back, and so undo
// what others write to the gaps meanwhile. So writes go run by run, unless the program asks for more
// (romio_ds_write): then such stretches are locked, and all other writes of the file's ranks share a lock
// with each other only.
#pragma once

#include "datatype/typed_buffer.hpp"
#include "file/descriptor.hpp"
#include "file/hints.hpp"
#include "file/view.hpp"

namespace lisle::protocol {
class engine;
}

namespace lisle::file {

/// The descriptor and the options of a transfer.
struct passage {
    const descriptor &file;
    const view &through;
    const hints &how;
    /// Of the calling rank; null: the caller is a helper (helper.hpp).
    protocol::engine *home;
    /// In atomic mode: other atomic accesses see all of this one or nothing.
    bool atomic;
};

/// Reads from that position of the view on. Returns how many bytes, fewer than asked for at the file's end.
/// @param to as the data are in the file, without a conversion
[[nodiscard]] MPI_Count read(const passage &by, MPI_Count position, const typed_buffer &to);
void write(const passage &by, MPI_Count position, const typed_buffer &from);

/// The same for runs in ascending order, whatever the view is, and their bytes one after the other.
[[nodiscard]] MPI_Count read_runs(const passage &by, std::vector<file_run> runs, std::span<std::byte> into);
void write_runs(const passage &by, std::vector<file_run> runs, std::span<std::byte> data);

} // namespace lisle::file
