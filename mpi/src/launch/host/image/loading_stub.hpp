// SPDX-License-Identifier: Apache-2.0
// A library without content that needs others: loading it makes the loader look names up in them in exactly
// this order, wherever they refer to each other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lisle::host {

/// The stub as a file.
[[nodiscard]] std::vector<std::byte> loading_stub(std::span<const std::string> needed);

/// Debuggers and profilers do not look for the file of a stub that is loaded. @param handle of dlopen; may be
/// null
void unname_stub(void *handle) noexcept;

} // namespace lisle::host
