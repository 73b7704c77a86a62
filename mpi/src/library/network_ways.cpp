// SPDX-License-Identifier: Apache-2.0
#include "library/network_ways.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "fabric/network/device/choice.hpp"
#include "fabric/network/ofi/hardware.hpp"
#include "mpi.h"
#include "tcp/connecting.hpp"

namespace lisle {

namespace {

constexpr std::string_view interfaces_key = "network-interfaces";
/// By node: the number of the path that is open, or that there is none.
constexpr std::string_view open_paths_key = "network-paths";

std::vector<std::byte> bytes_of(const tcp::told_machine &told) {
    std::vector<std::byte> bytes(sizeof told.number + told.interfaces.size() * sizeof(tcp::told_interface));
    std::memcpy(bytes.data(), &told.number, sizeof told.number);
    if (!told.interfaces.empty()) {
        std::memcpy(bytes.data() + sizeof told.number, told.interfaces.data(),
                    bytes.size() - sizeof told.number);
    }
    return bytes;
}

tcp::told_machine told_by(bootstrap &start, int process) {
    const std::vector<std::byte> said = start.get(process, interfaces_key);
    tcp::told_machine told;
    const std::size_t rest = said.size() - std::min(said.size(), sizeof told.number);
    if (said.size() < sizeof told.number || rest % sizeof(tcp::told_interface) != 0) {
        fail(MPI_ERR_OTHER, "process ", process, " uses another version of Lisle");
    }
    std::memcpy(&told.number, said.data(), sizeof told.number);
    told.interfaces.resize(rest / sizeof(tcp::told_interface));
    if (rest != 0) {
        std::memcpy(told.interfaces.data(), said.data() + sizeof told.number, rest);
    }
    return told;
}

std::vector<tcp::told_machine> told_by_all(bootstrap &start) {
    std::vector<tcp::told_machine> machines;
    for (int node = 0; node != start.places().nodes(); ++node) {
        machines.push_back(told_by(start, start.places().process_on(node, 0)));
    }
    return machines;
}

/// Nodes may be parts of one machine: the first one speaks for it.
std::size_t first_on_machine_of(const std::vector<tcp::told_machine> &machines, std::size_t node) {
    const auto found = std::ranges::find(machines, machines[node].number, &tcp::told_machine::number);
    return static_cast<std::size_t>(found - machines.begin());
}

std::size_t own_node(bootstrap &start) {
    return static_cast<std::size_t>(start.places().node_of_process(start.self().index));
}

} // namespace

bool chooses_interface() {
    const std::string &names = text_of(setting::network_provider);
    const bool own =
        names.empty() ? !fabric::network::has_hardware_for_libfabric() : names == fabric::network::own_tcp;
    return own && words_of(text_of(setting::network_interface), ",").size() < 2;
}

tcp::told_machine this_machine() {
    const std::string &named = text_of(setting::network_interface);
    std::vector<tcp::tcp_interface> usable = tcp::tcp_interfaces_named(named);
    if (!named.empty() && !usable.empty()) {
        usable.resize(1);
    }
    return tcp::this_machine_as_told(usable);
}

network_trial::network_trial(bootstrap &start) : start_{start} {
    tcp::told_machine own = this_machine();
    if (chooses_interface()) {
        listener_ = tcp::listen_at(tcp::any_address());
    }
    if (listener_) {
        const in_port_t port = tcp::end_of(listener_.get(), getsockname).port();
        for (tcp::told_interface &each : own.interfaces) {
            each.address.set_port(port);
        }
    }
    start.put(interfaces_key, bytes_of(own));
}

void network_trial::try_all() {
    const std::vector<tcp::told_machine> machines = told_by_all(start_);
    const std::size_t own = own_node(start_);
    std::vector<std::int8_t> open(machines.size(), tcp::open_path::none);
    if (listener_ && first_on_machine_of(machines, own) == own) {
        std::vector<std::vector<tcp::path>> paths(machines.size());
        for (std::size_t node = 0; node != machines.size(); ++node) {
            if (machines[node].number != machines[own].number &&
                first_on_machine_of(machines, node) == node) {
                paths[node] = tcp::paths_between(machines[own], machines[node]);
            }
        }
        std::ranges::transform(tcp::find_open(paths), open.begin(), &tcp::open_path::number);
    }
    start_.put(open_paths_key, std::as_bytes(std::span{open}));
}

network_ways::network_ways(bootstrap &start)
    : start_{start}, machines_{told_by_all(start)}, own_{own_node(start)}, by_node_(machines_.size()) {}

bool network_ways::has_choice() const {
    return std::ranges::count_if(machines_[own_].interfaces, [](const tcp::told_interface &each) {
               return !each.address.is_loopback();
           }) > 1;
}

const tcp::way &network_ways::to_process(int process) {
    const auto node = static_cast<std::size_t>(start_.places().node_of_process(process));
    if (!by_node_[node]) {
        by_node_[node] = find(node);
    }
    return *by_node_[node];
}

tcp::way network_ways::find(std::size_t node) const {
    using kind = tcp::way::kind;
    if (machines_[node].number == machines_[own_].number) {
        return {};
    }
    const std::size_t here = first_on_machine_of(machines_, own_);
    const std::size_t there = first_on_machine_of(machines_, node);
    const auto open_path = [&](std::size_t from, std::size_t to) {
        const auto said = start_.get(start_.places().process_on(static_cast<int>(from), 0), open_paths_key);
        return to < said.size() ? static_cast<int>(said[to]) : tcp::open_path::none;
    };
    const auto is_open = [](int path) { return path >= 0 && path < 128; };
    const int to = open_path(here, there), back = open_path(there, here);
    const std::vector<tcp::path> paths = tcp::paths_between(machines_[here], machines_[there]);
    if (is_open(to) && static_cast<std::size_t>(to) < paths.size()) {
        return {is_open(back) ? kind::by_path : kind::calling, paths[static_cast<std::size_t>(to)]};
    }
    return is_open(back) ? tcp::way{kind::called, {}} : tcp::way{};
}

} // namespace lisle
