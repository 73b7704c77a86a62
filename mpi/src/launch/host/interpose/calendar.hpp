// SPDX-License-Identifier: Apache-2.0
// Time zones and calendar times. The C library keeps one zone and one result for the process; each rank has
// its own zone, by its variable TZ, and its own results.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <ctime>

namespace lisle::host {

struct calendar_state {
    std::tm broken_down{}; ///< what localtime and gmtime return
    char text[26]{};       ///< what asctime and ctime return

    // Where the program sees its variables; these, unless it refers to others of its own.
    long own_seconds_west = 0;
    int own_has_summer_time = 0;
    char *own_names[2] = {nullptr, nullptr};
    long *seconds_west = &own_seconds_west;      ///< `timezone`
    int *has_summer_time = &own_has_summer_time; ///< `daylight`
    char **names = own_names;                    ///< `tzname`
};

inline const rank_slot<calendar_state> rank_calendar;

} // namespace lisle::host
