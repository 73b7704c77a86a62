// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lisle::protocol {

/// A number that this process has drawn by lot: a packet that names an address of the process carries it, so
/// that one which another process sends by mistake is recognised.
[[nodiscard]] std::uint64_t process_seal() noexcept;

} // namespace lisle::protocol
