// SPDX-License-Identifier: Apache-2.0
#include "exploration/begin.hpp"

#include "exploration/account_file.hpp"
#include "exploration/chosen.hpp"
#include "exploration/explored_clock.hpp"
#include "exploration/recorded_matches.hpp"
#include "world/job.hpp"

namespace lisle::exploration {

void begin(job &own, const std::string &folder) {
    chosen = true;
    static const choice::orders given = read_orders_in(folder);
    if (given.how == choice::manner::explored) {
        static explored_clock clock{own, given, folder};
        own.live_by(clock);
    } else {
        static recorded_matches recorded{given, folder};
        recorded_matches::begin(recorded);
    }
}

} // namespace lisle::exploration
