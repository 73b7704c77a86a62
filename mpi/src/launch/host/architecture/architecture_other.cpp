// SPDX-License-Identifier: Apache-2.0
// Processors that the host does not support: every program is refused.
#include "launch/host/architecture/architecture.hpp"

#include <cstdlib>

namespace lisle::host::architecture {

namespace {
thread_notes nobody{};
}

const char *const name = "another";
const std::uint16_t machine = EM_NONE;
const char *const library_folder = "lib";
const std::size_t thread_local_room = 0;
const std::size_t thread_local_alignment = 1;

const std::uint64_t no_relocation = 0;

relocation kind_of(std::uint64_t) noexcept {
    return relocation::other;
}
thread_notes &notes() noexcept {
    return nobody;
}
bool block_in_place() noexcept {
    return true;
}
block_place place_of_program(const thread_local_image &) noexcept {
    return {};
}
block_place place_of_library(const thread_local_image &, std::size_t) noexcept {
    return {};
}
void place_thread_locals(const thread_local_image &, const std::byte *, std::ptrdiff_t) noexcept {}
void return_room() noexcept {}
void bind_thread_local(relocation, std::byte *, std::int64_t, bool) noexcept {}
void enter(const void *, void *) noexcept {
    std::abort();
}

} // namespace lisle::host::architecture
