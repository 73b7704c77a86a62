// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace lisle::report {

/// What a rank does, for the timeline.
enum class activity : std::uint8_t { computing, messages, collective, completion, one_sided, file, other };
inline constexpr std::size_t activities = 7;

/// What a call counts as. @param id see call_names.hpp
[[nodiscard]] activity activity_of(std::uint32_t id);

} // namespace lisle::report
