// SPDX-License-Identifier: Apache-2.0
// Sentences about buffers that are used while an operation needs them, and whose variables they are.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/call_address.hpp"
#include "abi/stack_frames.hpp"
#include "base/access_filter.hpp"
#include "datatype/watched_memory.hpp"

namespace lisle::abi {

/// An operation uses memory.
struct buffer_use {
    call_address place; ///< the call that began the operation
    watched_memory::use how;
};

/// The call that the thread is in uses memory that an operation under way uses. @param address of a byte
void report_collision(watched_memory::use how, const buffer_use &before, std::uintptr_t address);
/// A load or store of the program's does. @param code where that is
void report_access(const void *code, memory_access how, const buffer_use &before);
/// The buffer of an operation has changed before the call that the thread is in, which completes it.
void report_change(const buffer_use &before);
/// The buffer of an operation is no longer there.
void report_loss(const call_address &place, const char *why);
inline constexpr const char *function_has_returned = "the function whose variable it is has returned";

/// The call whose variable one of the buffers is.
[[nodiscard]] std::optional<stack_frame> holder_of(const watched_list &used);

} // namespace lisle::abi
