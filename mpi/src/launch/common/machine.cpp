// SPDX-License-Identifier: Apache-2.0
#include "launch/common/machine.hpp"

#include <sys/utsname.h>

namespace lisle::launch {

bool is_this_machine(std::string_view host) {
    const auto own = host_name();
    const std::string_view whole = own;
    return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == whole ||
           host == whole.substr(0, whole.find('.')) || (host.starts_with(own) && host[own.size()] == '.');
}

std::string host_name() {
    utsname about{};
    uname(&about);
    return about.nodename;
}

} // namespace lisle::launch
