// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/call_chain.hpp"

namespace lisle::abi {

/// What current_call() (call_place.hpp) says, in addresses, without a look into files.
struct call_address {
    std::string_view call;
    const void *site = nullptr; ///< null: the thread is in no MPI function
    call_chain offsets{};
    const char *words = nullptr; ///< "halo.py:12 in exchange", of static duration, if a Python program calls
};
[[nodiscard]] call_address current_address() noexcept;

} // namespace lisle::abi
