// SPDX-License-Identifier: Apache-2.0
// Variables of shared libraries of which each rank gets its own, because programs take them for theirs:
// getopt's, the C++ standard streams, stdin. The program's references are pointed to the rank's objects
// before any of its code runs.
#pragma once

#include "launch/host/image.hpp"

#include <cstddef>
#include <span>

namespace lisle::host {

struct hosted_rank;

struct private_object {
    const char *symbol;
    std::size_t size;
    /// Constructs the rank's object at this place, aligned for anything.
    void (*construct)(hosted_rank &rank, void *place);
};

/// Gives the rank its own objects. @pre the image is loaded and none of its code has run.
void bind_private_objects(hosted_rank &rank);

/// Refuses programs that hold a copy of a library's variable which the library goes on changing: in a
/// process the two are one, among ranks they would come apart.
void check_copied_variables(const program_file &program, const image &loaded);

/// Refuses programs that bring their own allocator: libraries would go on using the C library's.
void check_replaced_functions(const program_file &program, const image &loaded);

// Who has such objects.
[[nodiscard]] std::span<const private_object> option_objects();
[[nodiscard]] std::span<const private_object> stream_objects();
[[nodiscard]] std::span<const private_object> input_objects();
[[nodiscard]] std::span<const private_object> thread_objects();
[[nodiscard]] std::span<const private_object> environment_objects();

} // namespace lisle::host
