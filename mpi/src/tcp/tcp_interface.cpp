// SPDX-License-Identifier: Apache-2.0
#include "tcp/tcp_interface.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <ifaddrs.h>
#include <iterator>
#include <memory>
#include <net/if.h>
#include <new>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace lisle::tcp {

namespace {

/// The bits of a network mask that are set.
int bits_of(const sockaddr *mask, sa_family_t family) {
    if (mask == nullptr) {
        return 0;
    }
    const auto *const bytes = reinterpret_cast<const unsigned char *>(mask);
    const std::size_t begin =
        family == AF_INET ? offsetof(sockaddr_in, sin_addr) : offsetof(sockaddr_in6, sin6_addr);
    const std::size_t length = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
    int bits = 0;
    for (std::size_t i = begin; i != begin + length; ++i) {
        bits += std::popcount(bytes[i]);
    }
    return bits;
}

/// The interfaces with a default route.
std::vector<std::string> with_default_route() {
    std::vector<std::string> names;
    std::string line;
    std::ifstream routes{"/proc/net/route"}; // Iface Destination ...
    while (std::getline(routes, line)) {
        const auto words = words_of(line, "\t ");
        if (words.size() > 1 && words[1] == "00000000") {
            names.emplace_back(words[0]);
        }
    }
    std::ifstream routes6{"/proc/net/ipv6_route"}; // Destination Length ... Iface; one to nowhere is on lo
    while (std::getline(routes6, line)) {
        const auto words = words_of(line, "\t ");
        if (words.size() > 9 && words[1] == "00" && words[9] != "lo" &&
            words[0].find_first_not_of('0') == std::string_view::npos) {
            names.emplace_back(words[9]);
        }
    }
    return names;
}

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
        if (errno == ENOMEM) {
            throw std::bad_alloc{};
        }
        return {};
    }
    const std::unique_ptr<ifaddrs, release_addresses> owner{list};
    const auto routes = with_default_route();
    std::vector<tcp_interface> found;
    for (const ifaddrs *each = list; each != nullptr; each = each->ifa_next) {
        constexpr unsigned works = IFF_UP | IFF_RUNNING;
        if (each->ifa_addr == nullptr || (each->ifa_flags & works) != works) {
            continue;
        }
        const sa_family_t family = each->ifa_addr->sa_family;
        const std::size_t length = family == AF_INET    ? sizeof(sockaddr_in)
                                   : family == AF_INET6 ? sizeof(sockaddr_in6)
                                                        : 0;
        tcp_interface one{each->ifa_name, socket_address{each->ifa_addr, length},
                          bits_of(each->ifa_netmask, family)};
        if (one.address.exists() && !one.address.is_in("fe80::/10")) {
            one.leads_out = std::ranges::find(routes, one.name) != routes.end();
            one.speed = speed_of(one.name);
            found.push_back(std::move(one));
        }
    }
    const auto order = [](const tcp_interface &each) {
        return std::tuple{each.address.family() != AF_INET, !each.leads_out, -each.speed};
    };
    std::ranges::stable_sort(found,
                             [&](const auto &one, const auto &other) { return order(one) < order(other); });
    return found;
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
