// SPDX-License-Identifier: Apache-2.0
#include "tcp/common_network.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <tuple>

#include "base/error.hpp"

namespace lisle::tcp {

namespace {

// What virtual interfaces say, or an ordinary one that says nothing: neither slow nor fast.
constexpr std::uint32_t speed_if_unknown = 10'000;
constexpr std::size_t most_interfaces = 32;

bool has(const told_machine &machine, const socket_address &address) {
    return std::ranges::any_of(machine.interfaces, [&](const told_interface &each) {
        return each.address.is_on_machine_of(address);
    });
}

/// Whether others could reach the machine there.
bool is_reachable(std::span<const told_machine> machines, std::size_t own, const told_interface &each) {
    const auto is_other = [&](const told_machine &machine) { return machine.number != machines[own].number; };
    return !each.address.is_loopback() && std::ranges::none_of(machines, [&](const told_machine &machine) {
        return is_other(machine) && has(machine, each.address);
    });
}

/// How good a network is, as all machines see it: the less, the better. Nothing: one of them is not on it.
using merit = std::tuple<int, std::int64_t, bool, socket_address>;
std::optional<merit> merit_of(std::span<const told_machine> machines, const told_interface &of) {
    const auto network = network_text(of.address, of.network_bits);
    int leads_out = 0;
    std::uint32_t slowest = UINT32_MAX;
    socket_address first = of.address;
    for (std::size_t i = 0; i != machines.size(); ++i) {
        const auto &all = machines[i].interfaces;
        const auto found = std::ranges::find_if(all, [&](const told_interface &each) {
            return each.address.is_in(network) && is_reachable(machines, i, each);
        });
        if (found == all.end()) {
            return std::nullopt;
        }
        leads_out += found->leads_out;
        slowest = std::min(slowest, speed_of(*found));
        first = std::min(first, found->address);
    }
    return merit{-leads_out, -std::int64_t{slowest}, of.address.family() != AF_INET, first};
}

std::optional<socket_address> loopback_of(const told_machine &machine) {
    for (const told_interface &each : machine.interfaces) {
        if (each.address.is_loopback()) {
            return each.address;
        }
    }
    return std::nullopt;
}

/// Without a network that all share: addresses of one family are needed, and routes between them.
std::optional<socket_address> choose_by_routes(std::span<const told_machine> machines, std::size_t own) {
    for (const int family : {AF_INET, AF_INET6}) {
        const auto suits = [&](std::size_t machine, const told_interface &each) {
            return each.address.family() == family && is_reachable(machines, machine, each);
        };
        bool all = true;
        for (std::size_t i = 0; i != machines.size(); ++i) {
            all = all && std::ranges::any_of(machines[i].interfaces, std::bind_front(suits, i));
        }
        const told_interface *best = nullptr;
        for (const told_interface &each : machines[own].interfaces) {
            const auto order = [](const told_interface &one) {
                return std::tuple{one.leads_out, speed_of(one)};
            };
            if (all && suits(own, each) && (best == nullptr || order(*best) < order(each))) {
                best = &each;
            }
        }
        if (best != nullptr) {
            return best->address;
        }
    }
    return std::nullopt;
}

} // namespace

std::uint32_t speed_of(const told_interface &each) noexcept {
    return each.speed == 0 ? speed_if_unknown : each.speed;
}

std::string network_text(const socket_address &address, int bits) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    write_text(address, text);
    return sentence(text.data(), "/", bits);
}

told_machine this_machine_as_told(const std::vector<tcp_interface> &interfaces) {
    std::string boot;
    std::ifstream{"/proc/sys/kernel/random/boot_id"} >> boot;
    struct stat network {};
    stat("/proc/self/ns/net", &network);
    told_machine told{std::hash<std::string>{}(sentence(boot, "-", network.st_ino)), {}};
    for (const tcp_interface &each : interfaces) {
        if (told.interfaces.size() < most_interfaces) {
            told.interfaces.push_back({each.address, each.network_bits, each.leads_out ? 1 : 0,
                                       static_cast<std::uint32_t>(each.speed)});
        }
    }
    return told;
}

std::optional<socket_address> choose_address(std::span<const told_machine> machines, std::size_t own) {
    const auto is_own = [&](const told_machine &each) { return each.number == machines[own].number; };
    if (std::ranges::all_of(machines, is_own)) {
        return loopback_of(machines[own]);
    }
    std::optional<merit> best;
    std::optional<socket_address> chosen;
    for (const told_interface &each : machines[own].interfaces) {
        const auto found = is_reachable(machines, own, each) ? merit_of(machines, each) : std::nullopt;
        if (found && (!best || *found < *best)) {
            best = found;
            chosen = each.address;
        }
    }
    return chosen ? chosen : choose_by_routes(machines, own);
}

} // namespace lisle::tcp
