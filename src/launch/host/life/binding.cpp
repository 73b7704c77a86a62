// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/binding.hpp"

#include <cstdlib>
#include <string_view>

#include "launch/common/cpu_set.hpp"
#include "launch/common/variables.hpp"

namespace lisle::host {

void bind_as_asked(int number) {
    const char *const asked = std::getenv(launch::bind_variable);
    if (asked == nullptr) {
        return;
    }
    // Read before any rank has been bound: a bound thread would pass its one core on as all there are.
    static const auto places = launch::places(std::string_view{asked});
    if (!places.empty()) {
        static_cast<void>(places[static_cast<std::size_t>(number) % places.size()].apply());
    }
}

} // namespace lisle::host
