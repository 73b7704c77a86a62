// SPDX-License-Identifier: Apache-2.0
// What must hold before ranks of a program run as threads or fibers, found out before the first image is
// loaded. Each function throws `refusal` with the reason and the way out.
#pragma once

#include "launch/host/image/closure.hpp"

#include <string>

namespace lisle::host {

/// The program is no well-known one that only starts another, such as a shell, a launcher or a debugger: a
/// thread or fiber rank cannot become that one. What is not known here is met when it calls exec. A program
/// that needs an MPI library may have any name.
void check_for_wrapper(const std::string &program);

/// The program needs no executable stack, which a fiber has not, and which no thread gets for what is loaded
/// from version 2.41 of the C library on.
void check_stack(const closure &unit, bool as_fibers);

/// Neither the program nor a library of its own is known to go round the C library, as Go's runtime does.
void check_for_own_system_calls(const closure &unit);

/// The program does not rely on having a thread to itself.
void check_for_fibers(const closure &unit);

/// The kernel's limit leaves room for the memory mappings of so many images and stacks.
void check_mappings(const closure &unit, int ranks, bool as_fibers);

/// Whether it leaves room for a mapping for each segment of as many copies (image_copies.hpp).
[[nodiscard]] bool has_mappings_for_copies(const closure &unit, int ranks, bool as_fibers);

} // namespace lisle::host
