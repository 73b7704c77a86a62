// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ucx/ucx_choices.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "fabric/network/ofi/hardware.hpp"
#include "fabric/network/ucx/ucx_device.hpp"

namespace lisle::fabric::network {

namespace {

choice choice_of(const std::string &interface, const tcp::socket_address &address) {
    return {std::string{over_ucx}, interface, "", address, [interface, address](const shared_secret &) {
                return std::make_unique<ucx_device>(interface, address);
            }};
}

std::vector<std::string> ports_of_hardware() {
    std::vector<std::string> ports;
    std::error_code ignored;
    for (const auto &device : std::filesystem::directory_iterator{
             std::filesystem::path{kinds_of_devices} / "infiniband", ignored}) {
        for (const auto &port : std::filesystem::directory_iterator{device.path() / "ports", ignored}) {
            ports.push_back(device.path().filename().string() + ":" + port.path().filename().string());
        }
    }
    std::ranges::sort(ports);
    return ports;
}

} // namespace

std::vector<choice> ucx_choices(const std::vector<choice> &over_tcp) {
    if (const char *const said = std::getenv("UCX_NET_DEVICES"); said != nullptr && *said != '\0') {
        return {choice_of(said, {})};
    }
    std::vector<choice> all;
    for (const std::string &port : ports_of_hardware()) {
        all.push_back(choice_of(port, {}));
    }
    for (const choice &each : over_tcp) {
        const auto same = [&each](const choice &known) { return known.on == each.on; };
        if (std::ranges::none_of(all, same)) { // one that has several addresses is one to UCX
            all.push_back(choice_of(each.on, each.address));
        }
    }
    return all;
}

} // namespace lisle::fabric::network
