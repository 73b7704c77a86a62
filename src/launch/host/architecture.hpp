// SPDX-License-Identifier: Apache-2.0
// All that the host has to know about the processor: where a thread's own variables lie, what an
// executable's relocations mean, how a program's start code is entered. One .cpp for each architecture.
#pragma once

#include "launch/host/program_file.hpp"

#include <cstddef>
#include <cstdint>

namespace lisle::host {

struct hosted_rank;

/// What the host notes about each thread. Lies at the low end of the thread's reserved block, so that
/// the host needs no second thread-local object.
struct thread_notes {
    hosted_rank *rank;         ///< whose thread it is; null: the host's own, or a library's
    struct thread_exit *exits; ///< destructors of thread-local objects, of a rank's first thread only
    bool first;                ///< it is the thread that runs the rank's main
};

namespace architecture {

extern const char *const name;
extern const std::uint16_t machine; ///< ELF's number

/// Kinds of relocations that the host tells apart.
enum class relocation { copy, address, thread_local_variable, by_code, other };
[[nodiscard]] relocation kind_of(std::uint64_t type) noexcept;

/// The notes about the calling thread.
[[nodiscard]] thread_notes &notes() noexcept;

/// Bytes that the program's thread-local variables may take in each thread, and their largest alignment.
extern const std::size_t thread_local_room;
extern const std::size_t thread_local_alignment;

/// Whether the reserved block is where programs will look for their variables. False only if the host
/// was linked with another thread-local object.
[[nodiscard]] bool block_in_place() noexcept;

/// Copies the initial values of an image's thread-local variables to where its code looks for them in the
/// calling thread. @pre the image fits into the room.
void place_thread_locals(const thread_local_image &image, const std::byte *base) noexcept;

/// Continues at a program's start code with this initial stack (argc, argv, environment, auxiliary vector).
[[noreturn]] void enter(const void *start, void *initial_stack) noexcept;

} // namespace architecture

} // namespace lisle::host
