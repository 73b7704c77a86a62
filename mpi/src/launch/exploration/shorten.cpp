// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/shorten.hpp"

#include <algorithm>
#include <cstddef>

namespace lisle::launch {

// Large parts are left out first, then smaller ones [A. Zeller and R. Hildebrandt, Simplifying and isolating
// failure-inducing input, 2002].
std::vector<choice::decision> shorten(std::vector<choice::decision> departures, const fails_with &fails) {
    for (std::size_t part = departures.size(); part != 0;) {
        bool any = false;
        for (std::size_t first = 0; first < departures.size();) {
            const std::size_t last = std::min(first + part, departures.size());
            std::vector<choice::decision> fewer = departures;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                        fewer.begin() + static_cast<std::ptrdiff_t>(last));
            if (fails(fewer)) {
                departures = std::move(fewer);
                any = true;
            } else {
                first = last;
            }
        }
        part = any && part == 1 ? 1 : part / 2;
    }
    return departures;
}

} // namespace lisle::launch
