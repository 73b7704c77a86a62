// SPDX-License-Identifier: Apache-2.0
#include "tcp/tcp_interface.hpp"

#include <algorithm>
#include <fstream>
#include <ifaddrs.h>
#include <iterator>
#include <memory>
#include <net/if.h>
#include <utility>

#include "base/text.hpp"

namespace lisle::tcp {

namespace {

/// Mbit/s, as the kernel says; 0: it does not.
long speed_of(const std::string &interface) {
    std::ifstream said{"/sys/class/net/" + interface + "/speed"};
    long speed = 0;
    return said >> speed ? std::max(speed, 0L) : 0;
}

struct release_addresses {
    void operator()(ifaddrs *list) const noexcept { freeifaddrs(list); }
};

} // namespace

std::vector<tcp_interface> tcp_interfaces() {
    ifaddrs *list = nullptr;
    if (getifaddrs(&list) != 0) {
        return {};
    }
    const std::unique_ptr<ifaddrs, release_addresses> owner{list};
    std::vector<std::pair<long, tcp_interface>> found;
    for (const ifaddrs *each = list; each != nullptr; each = each->ifa_next) {
        constexpr unsigned works = IFF_UP | IFF_RUNNING;
        if (each->ifa_addr == nullptr || (each->ifa_flags & works) != works) {
            continue;
        }
        const sa_family_t family = each->ifa_addr->sa_family;
        const std::size_t length = family == AF_INET    ? sizeof(sockaddr_in)
                                   : family == AF_INET6 ? sizeof(sockaddr_in6)
                                                        : 0;
        tcp_interface one{each->ifa_name, socket_address{each->ifa_addr, length}};
        if (one.address.exists() && !one.address.is_in("fe80::/10")) {
            found.emplace_back(speed_of(one.name), std::move(one));
        }
    }
    std::ranges::stable_sort(found, [](const auto &one, const auto &other) {
        return std::pair{one.second.address.family() != AF_INET, -one.first} <
               std::pair{other.second.address.family() != AF_INET, -other.first};
    });
    std::vector<tcp_interface> sorted;
    sorted.reserve(found.size());
    for (auto &[speed, interface] : found) {
        sorted.push_back(std::move(interface));
    }
    return sorted;
}

std::vector<tcp_interface> tcp_interfaces_named(std::string_view list) {
    std::vector<tcp_interface> all = tcp_interfaces();
    if (list.empty()) {
        return all;
    }
    std::vector<tcp_interface> named;
    for (const std::string_view name : words_of(list, ",")) {
        std::ranges::copy_if(all, std::back_inserter(named), [name](const tcp_interface &each) {
            return each.name == name || each.address.is_in(name);
        });
    }
    return named;
}

} // namespace lisle::tcp
