// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "abi/call_address.hpp"
#include "datatype/watched_memory.hpp"

namespace lisle::abi {

/// An operation uses memory until it is complete: accesses by the program are told from now on. @param place
/// of the call that began it
void watch_accesses(const watched_list &used, const call_address &place);
/// No longer.
void unwatch_accesses(const watched_list &used);

} // namespace lisle::abi
