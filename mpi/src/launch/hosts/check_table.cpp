// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/check_table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>

#include "base/text.hpp"

namespace lisle::launch {

namespace {

enum class state { open, slow, blocked };

/// A tenth of what the interfaces say, or what is slow in any cluster.
state state_of(const tried_path &each) {
    constexpr double slow_megabytes = 20, slow_microseconds = 2000, share = 10, bits = 8;
    if (each.problem != 0) {
        return state::blocked;
    }
    const double said = each.speed / bits;
    return each.microseconds > slow_microseconds || each.megabytes < std::max(slow_megabytes, said / share)
               ? state::slow
               : state::open;
}

std::string text_of(const char *form, double value) {
    std::array<char, 64> room{};
    std::snprintf(room.data(), room.size(), form, value);
    return room.data();
}

std::string row_of(const check_result &found, const tried_path &each) {
    const state is = state_of(each);
    const auto name = [&](int host) { return found.names[static_cast<std::size_t>(host)].c_str(); };
    const std::string latency = is == state::blocked ? "-" : text_of("%.0f us", each.microseconds);
    const std::string rate = is == state::blocked ? "-" : text_of("%.0f MB/s", each.megabytes);
    std::array<char, 512> room{};
    std::snprintf(room.data(), room.size(), "%-12s %-12s %-10s %-26s %-8s %10s %12s\n", name(each.from),
                  name(each.to), each.interface.c_str(), each.address.c_str(),
                  is == state::blocked ? "blocked"
                  : is == state::slow  ? "slow"
                                       : "open",
                  latency.c_str(), rate.c_str());
    return room.data();
}

const tried_path *first_open(const check_result &found, int from, int to) {
    const auto at = std::ranges::find_if(found.paths, [&](const tried_path &each) {
        return each.from == from && each.to == to && each.problem == 0;
    });
    return at == found.paths.end() ? nullptr : &*at;
}

/// Calls for each pair of hosts that are reached and are two machines.
void for_each_pair(const check_result &found, const std::function<void(int one, int other)> &call) {
    for (std::size_t one = 0; one != found.hosts.size(); ++one) {
        for (std::size_t other = one + 1; other != found.hosts.size(); ++other) {
            const auto &of_one = found.hosts[one], &of_other = found.hosts[other];
            if (!of_one.all.empty() && !of_other.all.empty() && of_one.machine != of_other.machine) {
                call(static_cast<int>(one), static_cast<int>(other));
            }
        }
    }
}

/// What blocks a path, and what to do about it.
std::string advice_for(const check_result &found, const tried_path &each) {
    const auto &from = found.names[static_cast<std::size_t>(each.from)];
    const auto &to = found.names[static_cast<std::size_t>(each.to)];
    const auto begin = sentence(from, " cannot connect to ", each.address, " (", each.interface, " of ", to,
                                "), port ", each.port, ": ", std::strerror(each.problem), ": ");
    switch (each.problem) {
    case ETIMEDOUT:
        return sentence(begin, "a firewall drops what is sent there, or nothing leads there: let ", to,
                        " take TCP from ", from,
                        " on the ports of net.ipv4.ip_local_port_range, or end the interface\n");
    case ECONNREFUSED:
        return sentence(begin, "a firewall of ", to, " rejects it: let it take TCP from ", from,
                        " on the ports of net.ipv4.ip_local_port_range\n");
    case EHOSTUNREACH:
    case ENETUNREACH:
        return sentence(begin, "no route leads there: look at `ip route` on both hosts\n");
    default:
        return begin.substr(0, begin.size() - 2) + "\n";
    }
}

std::string verdict_of(const check_result &found, int one, int other) {
    const auto &name = found.names[static_cast<std::size_t>(one)];
    const auto &other_name = found.names[static_cast<std::size_t>(other)];
    const tried_path *const to = first_open(found, one, other);
    const tried_path *const back = first_open(found, other, one);
    if (to == nullptr && back == nullptr) {
        return sentence(name, " and ", other_name, " cannot reach each other: no job runs on both\n");
    }
    const tried_path &used = to != nullptr ? *to : *back;
    std::string text = sentence(name, " and ", other_name, " use ", used.interface, " (", used.address, ")");
    if (to == nullptr || back == nullptr) {
        text += sentence("; ", to != nullptr ? name : other_name,
                         " makes all connections, since the other one cannot");
    }
    if (state_of(used) == state::slow) {
        text += "; that is slow: is it the cable's network, and the interface's speed right (ethtool)?";
    }
    return text + "\n";
}

/// Addresses that lead nowhere, since several machines have them.
std::string passed_over(const check_result &found) {
    std::string text;
    for (std::size_t host = 0; host != found.hosts.size(); ++host) {
        for (const host_address &each : found.hosts[host].all) {
            const bool is_tried = std::ranges::any_of(found.paths, [&](const tried_path &path) {
                return path.to == static_cast<int>(host) && path.interface == each.interface;
            });
            if (!is_tried && each.interface != "lo") {
                text += sentence(found.names[host], "'s ", each.interface,
                                 " is passed over: another host has its address as well, or none its kind\n");
            }
        }
    }
    return text;
}

} // namespace

bool can_run(const check_result &found) {
    bool all = found.not_reached.empty();
    for_each_pair(found, [&](int one, int other) {
        all = all && (first_open(found, one, other) != nullptr || first_open(found, other, one) != nullptr);
    });
    return all;
}

std::string table_of(const check_result &found) {
    std::string text;
    if (!found.paths.empty()) {
        text += "from         to           interface  address                    state       latency        "
                "speed\n";
    }
    for (const tried_path &each : found.paths) {
        text += row_of(found, each);
    }
    text += found.paths.empty() ? "" : "\n";
    for_each_pair(found, [&](int one, int other) { text += verdict_of(found, one, other); });
    for (const tried_path &each : found.paths) {
        text += each.problem != 0 ? advice_for(found, each) : "";
    }
    text += passed_over(found);
    for (const std::string &why : found.not_reached) {
        text += why + "\n";
    }
    return text;
}

} // namespace lisle::launch
