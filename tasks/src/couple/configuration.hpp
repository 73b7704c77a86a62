// SPDX-License-Identifier: Apache-2.0
// What a configuration file says of couplings, a line for each:
//
//     # who wants what                from whom            and how
//     sea.heat                     <- air.heat             sum lag 4 every 8
//     "deep sea"."salt content"    <- sea.salt             linear
//
// Names have letters of any kind but blanks, dots, quotes and #, or stand in quotes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <lisle/couple/timing.hpp>

namespace lisle::couple::detail {

struct configured_want {
    std::size_t line = 0; ///< of the file, from 1
    std::string component, want, from, field;
    std::optional<over_time> how; ///< what is not said stays as the program has it
    std::optional<ticks> lag, every;
    bool is_iterated = false;
};

/// Throws std::invalid_argument with file, line and column of the first mistake.
/// @param name of the file, for sentences @param text its content
[[nodiscard]] std::vector<configured_want> read_configuration(const std::string &name,
                                                              const std::string &text);

} // namespace lisle::couple::detail
