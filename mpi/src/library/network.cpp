// SPDX-License-Identifier: Apache-2.0
#include "library/network.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fabric/network/network_fabric.hpp"
#include "mpi.h"
#include "tcp/common_network.hpp"

namespace lisle {

using namespace fabric::network;

namespace {

constexpr std::string_view secret_key = "network-secret";
constexpr std::string_view address_key = "network-address";

/// What the user has chosen; with LISLE_NETWORK_SECURITY our own device, which alone can give it.
std::string wanted_providers() {
    const std::string &names = text_of(setting::network_provider);
    const std::int64_t security = value_of(setting::network_security);
    if (security == 0) {
        return names;
    }
    if (!names.empty() && names != own_tcp) {
        fail(MPI_ERR_OTHER,
             "LISLE_NETWORK_SECURITY=", description_of(setting::network_security).text_of(security),
             " is for ", own_tcp, " alone, not for LISLE_NETWORK_PROVIDER=", names);
    }
    return std::string{own_tcp};
}

/// What the user has chosen, or the best. @param address of the interface where the user names none; none:
/// any
std::vector<fabric::network::choice> chosen_rails(const std::optional<tcp::socket_address> &address = {},
                                                  bool everywhere = false) {
    provider_request wanted = wanted_network();
    if (wanted.interface.empty() && address) {
        wanted.interface = tcp::network_text(*address, address->family() == AF_INET ? 32 : 128);
    }
    wanted.everywhere = everywhere;
    return choose_providers(wanted);
}

void put_secret(bootstrap &start) {
    const auto secret = make_secret();
    if (!secret) {
        fail(MPI_ERR_OTHER, "the system gives no random numbers for the job's secret");
    }
    start.put(secret_key, secret->bytes);
}

} // namespace

provider_request wanted_network() {
    return {wanted_providers(), text_of(setting::network_interface)};
}

job_secret network_secret(bootstrap &start) {
    const std::vector<std::byte> said = start.get(0, secret_key);
    job_secret secret;
    if (said.size() != sizeof secret) {
        fail(MPI_ERR_OTHER, "process 0 uses another version of Lisle");
    }
    std::memcpy(&secret, said.data(), sizeof secret);
    return secret;
}

std::unique_ptr<network_trial> announce_network(bootstrap &start) {
    const locality &places = start.places();
    std::unique_ptr<network_trial> trial;
    if (places.process_on(places.node_of_process(start.self().index), 0) == start.self().index) {
        trial = std::make_unique<network_trial>(start);
    }
    if (start.self().index == 0) {
        put_secret(start);
    }
    return trial;
}

std::unique_ptr<fabric::fabric> make_network_fabric(bootstrap &start, traffic_count &traffic) {
    const locality &places = start.places();
    const int self = start.self().index;
    const int own_node = places.node_of_process(self);
    const auto ways = std::make_shared<network_ways>(start);
    job_view view{
        .ranks = places.ranks(),
        .processes = places.processes(),
        .first_rank = places.first_rank(self),
        .rank_count = places.rank_count(self),
        .process_of = [&places](int rank) { return places.process_of(rank); },
        .first_rank_of = [&places](int process) { return places.first_rank(process); },
        .elsewhere =
            [&places, own_node](int rank) {
                return rank >= 0 && rank < places.ranks() && places.node_of(rank) != own_node;
            },
        .secret = network_secret(start),
        .silence = std::chrono::seconds{value_of(setting::network_silence)},
        .way_to = [ways](int process) { return ways->to_process(process); },
        .traffic = &traffic,
    };
    const auto address = chooses_interface() ? ways->own_address() : std::nullopt;
    auto made = std::make_unique<network_fabric>(
        chosen_rails(address, address && !address->is_loopback() && ways->has_choice()), std::move(view),
        [&start, &places](int peer) { return start.get(places.process_of(peer), address_key); });
    start.put(address_key, made->address(places.first_rank(self)));
    return made;
}

std::unique_ptr<network_fabric> make_fabric_between_jobs(const fabric::introduction &all,
                                                         fabric::address_lookup where) {
    const auto self = static_cast<int>(all.self);
    std::vector<int> first_ranks, processes;
    for (const fabric::introduced_process &each : all.processes) {
        first_ranks.push_back(static_cast<int>(processes.size()));
        processes.insert(processes.end(), static_cast<std::size_t>(each.rank_count),
                         static_cast<int>(first_ranks.size()) - 1);
    }
    const auto process_of = [processes](int rank) { return processes[static_cast<std::size_t>(rank)]; };
    const auto ranks = static_cast<int>(processes.size());
    job_view view{
        .ranks = ranks,
        .processes = static_cast<int>(all.processes.size()),
        .first_rank = first_ranks[all.self],
        .rank_count = all.processes[all.self].rank_count,
        .process_of = process_of,
        .first_rank_of =
            [first_ranks](int process) { return first_ranks[static_cast<std::size_t>(process)]; },
        .elsewhere = [=](int rank) { return rank >= 0 && rank < ranks && process_of(rank) != self; },
        .secret = all.secret,
        .silence = std::chrono::seconds{value_of(setting::network_silence)},
    };
    return std::make_unique<network_fabric>(
        chosen_rails(), std::move(view),
        [process_of, where = std::move(where)](int peer) { return where(process_of(peer)); });
}

namespace {

const network_fabric *network_among(const fabric::routes &routes) {
    for (fabric::fabric *const each : routes.fabrics()) {
        if (const auto *const network = dynamic_cast<const network_fabric *>(&each->innermost())) {
            return network;
        }
    }
    return nullptr;
}

} // namespace

tcp::socket_address network_interface(const fabric::routes &routes) {
    const network_fabric *const network = network_among(routes);
    return network != nullptr ? network->own_address() : tcp::socket_address{};
}

void connect_at_start(const fabric::routes &routes, bootstrap &start, bool to_all) {
    const locality &places = start.places();
    const int own_node = places.node_of_process(start.self().index);
    const network_fabric *const network = network_among(routes);
    for (int process = 0; process != places.processes(); ++process) {
        if (places.node_of_process(process) != own_node &&
            (to_all || (network != nullptr && network->leads_in_one_direction(process)))) {
            const int peer = places.first_rank(process);
            const auto to = std::ranges::find_if(
                routes.fabrics(), [peer](const fabric::fabric *each) { return each->reaches(peer); });
            (*to)->connect(peer, start.get(process, address_key));
        }
    }
}

} // namespace lisle
