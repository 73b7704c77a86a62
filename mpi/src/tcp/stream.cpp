// SPDX-License-Identifier: Apache-2.0
#include "tcp/stream.hpp"

#include "base/settings.hpp"

namespace lisle::tcp {

protection wanted_protection() {
    const auto wanted = static_cast<protection>(value_of(setting::network_security));
    if (wanted != protection::none) {
        require_openssl();
    }
    return wanted;
}

} // namespace lisle::tcp
