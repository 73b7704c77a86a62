// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/provider.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#ifdef LISLE_WITH_LIBFABRIC
#include "fabric/network/ofi/libfabric_choices.hpp"
#endif
#include "fabric/network/ofi/hardware.hpp"
#include "fabric/network/tcp/socket_device.hpp"
#include "mpi.h"
#include "tcp/tcp_interface.hpp"

namespace lisle::fabric::network {

namespace {

// Hardware, then TCP: ours is the fastest there. `net` is libfabric 1.15's to 1.17's TCP provider with
// reliable datagrams of its own; later ones call it `tcp`.
constexpr std::array<std::string_view, 10> preferred = {
    "psm3", "psm2", "verbs;ofi_rxm", "efa", "cxi", own_tcp, "tcp", "net", "tcp;ofi_rxm", "udp;ofi_rxd",
};

/// What libfabric has.
std::vector<choice> others() {
#ifdef LISLE_WITH_LIBFABRIC
    return libfabric_choices();
#else
    fail(MPI_ERR_OTHER,
         "this build of Lisle has no libfabric: build it again with Debian's libfabric-dev installed");
#endif
}

/// Whether one is on an interface that the user names.
bool is_on(const choice &one, std::string_view interface) noexcept {
    return interface == one.on || interface == one.network || one.address.is_in(interface);
}

std::string names_of(const std::vector<choice> &all) {
    std::string names;
    for (const choice &each : all) {
        const std::string name = sentence(each.name, " on ", each.on.empty() ? "?" : each.on);
        if (names.find(name) == std::string::npos) {
            names += names.empty() ? name : ", " + name;
        }
    }
    return names.empty() ? "none" : names;
}

} // namespace

int rank_of_provider(std::string_view name) noexcept {
    return static_cast<int>(std::find(preferred.begin(), preferred.end(), name) - preferred.begin());
}

std::vector<choice> choose_providers(const provider_request &wanted) {
    const std::vector<std::string_view> named = words_of(wanted.names, ",");
    std::vector<choice> all;
    for (tcp::tcp_interface &each : tcp::tcp_interfaces()) {
        all.push_back({own_tcp.data(), each.name, "", each.address,
                       [each, everywhere = wanted.everywhere](const shared_secret &secret) {
                           return std::make_unique<socket_device>(each, everywhere, secret);
                       }});
    }
    const bool ask_libfabric =
        named.empty() ? all.empty() || has_hardware_for_libfabric(wanted.kinds_of_devices)
                      : std::ranges::any_of(named, [](std::string_view each) { return each != own_tcp; });
    if (ask_libfabric) {
        try {
            std::ranges::move(others(), std::back_inserter(all));
        } catch (const std::exception &) {
            if (!named.empty() || all.empty()) {
                throw;
            }
        }
    }
    const auto rank = [&](const choice &one) {
        if (named.empty()) {
            return rank_of_provider(one.name);
        }
        const auto at = std::find(named.begin(), named.end(), one.name);
        return at == named.end() ? -1 : static_cast<int>(at - named.begin());
    };
    const bool others_than_loopback = std::ranges::any_of(all, [](const choice &each) {
        return each.address.family() == AF_INET && !each.address.is_loopback();
    });
    // Where an interface stands among those that the user names.
    const std::vector<std::string_view> interfaces = words_of(wanted.interface, ",");
    const auto place_of = [&](const choice &one) {
        return std::ranges::find_if(interfaces, [&](std::string_view each) { return is_on(one, each); }) -
               interfaces.begin();
    };
    const auto suits = [&](const choice &one) {
        const int place = rank(one);
        if (place < 0 || (named.empty() && place == static_cast<int>(preferred.size()))) {
            return false; // not asked for; or one that nobody has tried
        }
        if (!interfaces.empty()) {
            return place_of(one) != std::ssize(interfaces);
        }
        // Link-local IPv6 addresses do not reach everywhere, nor does the loopback interface.
        return one.address.family() != AF_INET6 && !(one.address.is_loopback() && others_than_loopback);
    };
    std::vector<choice> suitable;
    std::ranges::copy_if(all, std::back_inserter(suitable), suits);
    if (suitable.empty()) {
        fail(MPI_ERR_OTHER, "no network suits provider \"", wanted.names.empty() ? "any" : wanted.names,
             "\" and interface \"", wanted.interface.empty() ? "any" : wanted.interface,
             "\" (LISLE_NETWORK_PROVIDER, LISLE_NETWORK_INTERFACE); there are: ", names_of(all));
    }
    std::ranges::stable_sort(suitable, [&](const choice &one, const choice &other) {
        return std::pair{rank(one), place_of(one)} < std::pair{rank(other), place_of(other)};
    });
    std::vector<choice> taken;
    for (const choice &each : suitable) {
        const auto same_interface = [&](const choice &known) { return known.on == each.on; };
        // Further ones only where they are named: not every interface of a machine leads to its peers.
        if (taken.empty() || (taken.size() < interfaces.size() && rank(each) == rank(taken.front()) &&
                              std::ranges::none_of(taken, same_interface))) {
            taken.push_back(each);
        }
    }
    if (taken.size() < interfaces.size()) {
        fail(MPI_ERR_OTHER, "the provider ", taken.front().name, " is on ", taken.size(),
             " of the interfaces \"", wanted.interface,
             "\" (LISLE_NETWORK_INTERFACE); there are: ", names_of(all));
    }
    return taken;
}

} // namespace lisle::fabric::network
