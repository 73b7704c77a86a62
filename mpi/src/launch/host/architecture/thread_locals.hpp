// SPDX-License-Identifier: Apache-2.0
// What a processor that the host supports says of the block that the host reserves in each thread.
#pragma once

#include <cstddef>
#include <span>

/// What a thread-local descriptor calls: it returns the descriptor's second word, and no other register
/// changes. Of assembly.
extern "C" [[gnu::visibility("hidden")]] void lisle_return_position();

namespace lisle::host::architecture {

/// Where the block begins, from the thread pointer.
extern const std::ptrdiff_t block_position;

[[nodiscard]] std::byte *thread_pointer() noexcept;

/// The part of the calling thread's block that is for images.
[[nodiscard]] std::span<std::byte> room() noexcept;

} // namespace lisle::host::architecture
