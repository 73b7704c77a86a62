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
};
[[nodiscard]] call_address current_address() noexcept;

} // namespace lisle::abi
