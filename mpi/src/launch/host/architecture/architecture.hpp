// SPDX-License-Identifier: Apache-2.0
// What depends on the processor: where a thread's own variables lie, what relocations mean, how a program's
// start code is entered. One .cpp for each architecture.
#pragma once

#include "launch/host/architecture/relocation.hpp"

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace lisle::host {

class hosted_rank;

/// The initial image of the program's thread-local variables; `memory_size` 0: it has none.
struct thread_local_image {
    std::size_t address = 0;
    std::size_t file_size = 0;
    std::size_t memory_size = 0;
    std::size_t alignment = 1;
};

/// What the host notes about each thread. Lies at the far end of the thread's reserved block, so that
/// the host needs no second thread-local object.
struct thread_notes {
    hosted_rank *rank;         ///< whose thread it is; null: the host's own, or a library's
    struct thread_exit *exits; ///< destructors of thread-local objects, of a rank's first thread only
    bool first;                ///< it is the thread that runs the rank's main
};

namespace architecture {

extern const char *const name;
extern const std::uint16_t machine;      ///< ELF's number
extern const char *const library_folder; ///< Debian's for this processor, below the root

/// What a relocation of this number means, and the number that means nothing.
[[nodiscard]] relocation kind_of(std::uint64_t type) noexcept;
extern const std::uint64_t no_relocation;

/// The notes about the calling thread.
[[nodiscard]] thread_notes &notes() noexcept;

/// Bytes that the program's thread-local variables may take in each thread, and their largest alignment.
extern const std::size_t thread_local_room;
extern const std::size_t thread_local_alignment;

/// Whether the reserved block is where programs will look for their variables. False only if the host
/// was linked with another thread-local object.
[[nodiscard]] bool block_in_place() noexcept;

/// Where an image's thread-local variables begin in each thread.
struct block_place {
    std::ptrdiff_t position; ///< from the thread pointer, on which side of it depends on the processor; not 0
    std::size_t taken;       ///< bytes of the room, with those of images placed before and gaps between
};

/// The place of a program's variables, and that of a library's, when `taken` bytes of the room are others'.
[[nodiscard]] block_place place_of_program(const thread_local_image &image) noexcept;
[[nodiscard]] block_place place_of_library(const thread_local_image &image, std::size_t taken) noexcept;

/// Gives the calling thread's room back to the system, page by page until something is placed there: the C
/// library has zeroed the block of each thread, and so touched all of it. @pre nothing is placed there yet.
void return_room() noexcept;

/// Copies the initial values of an image's thread-local variables to where its code looks for them in the
/// calling thread: at this position from the thread pointer. @pre the image fits into the room.
void place_thread_locals(const thread_local_image &image, const std::byte *base,
                         std::ptrdiff_t position) noexcept;

/// Fills the words of a thread-local relocation for a variable at this position from the thread pointer.
/// `lone_module`: the word behind a module's number has no relocation of its own; it gets the position added.
void bind_thread_local(relocation kind, std::byte *word, std::int64_t position, bool lone_module) noexcept;

/// Continues at a program's start code with this initial stack (argc, argv, environment, auxiliary vector).
[[noreturn]] void enter(const void *start, void *initial_stack) noexcept;

} // namespace architecture

} // namespace lisle::host
