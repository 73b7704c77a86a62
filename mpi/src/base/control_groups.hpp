// SPDX-License-Identifier: Apache-2.0
// The control groups that this process is in, as far as they can be seen from here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace lisle {

struct control_group {
    std::filesystem::path folder; ///< of its files
    int version;                  ///< 1 or 2: files have other names
};

/// The group of this process for a controller (memory, pids) and those around it, the innermost first. A
/// container may see its own as the root.
[[nodiscard]] std::vector<control_group> control_groups(std::string_view controller);

/// The first number of a file; nothing if there is none, as where it says "max".
[[nodiscard]] std::optional<std::uint64_t> number_in(const std::filesystem::path &file);

/// The sum of the entries of a file like memory.stat that have one of these names.
[[nodiscard]] std::uint64_t entries_in(const std::filesystem::path &file,
                                       std::initializer_list<std::string_view> names);

} // namespace lisle
