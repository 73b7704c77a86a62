// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ofi/hardware.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace lisle::fabric::network {

bool has_hardware_for_libfabric(const std::string &kinds) noexcept {
    constexpr std::array<const char *, 2> reached = {"/infiniband", "/cxi"};
    return std::ranges::any_of(reached, [&](const char *kind) {
        std::error_code ignored;
        return std::filesystem::directory_iterator{kinds + kind, ignored} !=
               std::filesystem::directory_iterator{};
    });
}

} // namespace lisle::fabric::network
