// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/check_of_host.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <utility>

#include "launch/hosts/path_measure.hpp"
#include "tcp/common_network.hpp"
#include "tcp/connecting.hpp"
#include "tcp/paths.hpp"

namespace lisle::launch {

namespace {

tcp::told_machine machine_of(const host_addresses &host) {
    tcp::told_machine made{host.machine, {}};
    for (const host_address &each : host.all) {
        tcp::told_interface one;
        if (each.told.size() == sizeof one) {
            std::memcpy(&one, each.told.data(), sizeof one);
            made.interfaces.push_back(one);
        }
    }
    return made;
}

std::string interface_at(const host_addresses &host, const tcp::socket_address &address) {
    const tcp::told_machine machine = machine_of(host);
    for (std::size_t at = 0; at != machine.interfaces.size(); ++at) {
        if (machine.interfaces[at].address.is_on_machine_of(address)) {
            return host.all[at].interface;
        }
    }
    return {};
}

/// What the slower one of a path's interfaces says.
std::uint32_t speed_of_path(const tcp::told_machine &from, const tcp::told_machine &to, const tcp::path &by) {
    std::uint32_t slowest = 0;
    for (const tcp::told_machine *const machine : {&from, &to}) {
        for (const tcp::told_interface &each : machine->interfaces) {
            const bool is_end = each.address.is_on_machine_of(machine == &from ? by.from : by.to);
            if (is_end && each.speed != 0 && (slowest == 0 || each.speed < slowest)) {
                slowest = each.speed;
            }
        }
    }
    return slowest;
}

std::vector<tried_path> try_paths(int here, const std::vector<host_addresses> &hosts, std::uint64_t token) {
    std::vector<tried_path> found;
    const tcp::told_machine own = machine_of(hosts[static_cast<std::size_t>(here)]);
    for (std::size_t to = 0; to != hosts.size(); ++to) {
        const tcp::told_machine peer = machine_of(hosts[to]);
        if (static_cast<int>(to) == here || peer.number == own.number) {
            continue;
        }
        for (const tcp::path &by : tcp::paths_between(own, peer)) {
            const measured_path result = measure(by, token);
            std::array<char, INET6_ADDRSTRLEN> text{};
            tcp::write_text(by.to, text);
            found.push_back({here, static_cast<int>(to), interface_at(hosts[to], by.to), text.data(),
                             by.to.port(), result.problem, result.microseconds, result.megabytes,
                             speed_of_path(own, peer, by)});
        }
    }
    return found;
}

/// A process that ends with this one.
pid_t fork_below() {
    const pid_t made = fork();
    if (made < 0) {
        give_up(1, "cannot start a process: ", std::strerror(errno));
    }
    if (made == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    return made;
}

} // namespace

check_of_host::check_of_host(const check_start &start) : start_{start} {
    const descriptor listener = tcp::listen_at(tcp::any_address());
    if (!listener) {
        give_up(1, "cannot listen for the other hosts: ", std::strerror(errno));
    }
    const in_port_t port = tcp::end_of(listener.get(), getsockname).port();
    const std::vector<tcp::tcp_interface> interfaces = tcp::tcp_interfaces();
    const tcp::told_machine told = tcp::this_machine_as_told(interfaces);
    own_.machine = told.number;
    for (std::size_t at = 0; at != told.interfaces.size(); ++at) {
        tcp::told_interface one = told.interfaces[at];
        one.address.set_port(port);
        own_.all.push_back({interfaces[at].name, {reinterpret_cast<const char *>(&one), sizeof one}});
    }
    if (fork_below() == 0) {
        serve_measurements(listener.get(), start_.token);
    }
}

void check_of_host::try_all(int here, const std::vector<host_addresses> &hosts) {
    if (here < 0 || here >= static_cast<int>(hosts.size()) || results_) {
        give_up(1, "the launcher speaks of hosts that cannot be");
    }
    pipe_ends ends = make_pipe();
    if (fork_below() == 0) {
        const std::string result = packed(try_paths(here, hosts, start_.token));
        const bool told =
            write(ends.write.get(), result.data(), result.size()) == static_cast<ssize_t>(result.size());
        _exit(told ? 0 : 1);
    }
    results_ = std::move(ends.read);
}

void check_of_host::prepare(std::vector<pollfd> &polled) const {
    polled.push_back({results_.get(), POLLIN, 0});
}

std::string check_of_host::handle(const pollfd &polled) {
    if (polled.fd < 0 || polled.revents == 0) {
        return {};
    }
    std::array<char, 65536> piece;
    const ssize_t some = read(results_.get(), piece.data(), piece.size());
    if (some > 0) {
        heard_.append(piece.data(), static_cast<std::size_t>(some));
        return {};
    }
    results_.reset();
    return std::exchange(heard_, {});
}

} // namespace lisle::launch
