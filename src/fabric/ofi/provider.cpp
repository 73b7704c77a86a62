// SPDX-License-Identifier: Apache-2.0
#include "fabric/ofi/provider.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "base/error.hpp"
#include "fabric/ofi/libfabric_device.hpp"
#include "fabric/ofi/socket_device.hpp"
#include "mpi.h"

namespace lisle::fabric::ofi {

namespace {

constexpr std::uint32_t api_version = FI_VERSION(1, 14);

// Hardware, then TCP: ours is the fastest there. `net` is libfabric 1.15's to 1.17's TCP provider with
// reliable datagrams of its own; later ones call it `tcp`.
constexpr std::array<std::string_view, 10> preferred = {
    "psm3", "psm2", "verbs;ofi_rxm", "efa", "cxi", own_tcp, "tcp", "net", "tcp;ofi_rxm", "udp;ofi_rxd",
};

struct hints {
    fi_info *info = libfabric::instance().dupinfo(nullptr);
    ~hints() { libfabric::instance().freeinfo(info); }
};

/// All that offer what the fabric needs: reliable ordered datagrams and copies between memories.
provider all_providers() {
    const hints wanted;
    if (wanted.info == nullptr) {
        fail(MPI_ERR_NO_MEM, "no memory for libfabric's description of what is wanted");
    }
    wanted.info->caps = FI_MSG | FI_RMA;
    wanted.info->mode = FI_CONTEXT | FI_CONTEXT2;
    wanted.info->ep_attr->type = FI_EP_RDM;
    wanted.info->tx_attr->msg_order = FI_ORDER_SAS;
    wanted.info->rx_attr->msg_order = FI_ORDER_SAS;
    wanted.info->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    wanted.info->domain_attr->resource_mgmt = FI_RM_ENABLED;
    fi_info *found = nullptr;
    const int status = libfabric::instance().getinfo(api_version, nullptr, nullptr, 0, wanted.info, &found);
    if (status != 0) {
        fail(MPI_ERR_OTHER, "libfabric has no provider of reliable datagrams on this machine: ",
             libfabric::instance().strerror(-status));
    }
    return provider{found};
}

/// What may be chosen.
struct candidate {
    std::string_view name;               ///< of the provider
    std::string_view on;                 ///< interface
    std::string_view network;            ///< as libfabric calls it, or empty
    socket_address address;              ///< of the interface, where it has one of TCP
    const fi_info *by = nullptr;         ///< of libfabric's
    const tcp_interface *ours = nullptr; ///< of our own
};

std::string_view view(const char *text) noexcept {
    return text != nullptr ? text : std::string_view{};
}

candidate candidate_of(const fi_info &info) noexcept {
    socket_address address;
    if (info.src_addr != nullptr &&
        (info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6)) {
        address = {static_cast<const sockaddr *>(info.src_addr), info.src_addrlen};
    }
    return {.name = view(info.fabric_attr->prov_name),
            .on = view(info.domain_attr->name),
            .network = view(info.fabric_attr->name),
            .address = address,
            .by = &info};
}

/// Whether one is on an interface that the user names.
bool is_on(const candidate &one, std::string_view interface) noexcept {
    return interface == one.on || interface == one.network || one.address.is_in(interface);
}

std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> parts;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        parts.push_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return parts;
}

std::string names_of(const std::vector<candidate> &all) {
    std::string names;
    for (const candidate &each : all) {
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
    const std::vector<std::string_view> named = parts_of(wanted.names);
    const std::vector<tcp_interface> own = tcp_interfaces();
    std::vector<candidate> all;
    all.reserve(own.size());
    for (const tcp_interface &each : own) {
        all.push_back(
            {.name = own_tcp, .on = each.name, .network = {}, .address = each.address, .ours = &each});
    }
    provider others;
    if (named.empty() || std::ranges::any_of(named, [](std::string_view each) { return each != own_tcp; })) {
        try {
            others = all_providers();
        } catch (const std::exception &) {
            if (!named.empty() || own.empty()) {
                throw;
            }
        }
    }
    for (const fi_info *each = others.get(); each != nullptr; each = each->next) {
        all.push_back(candidate_of(*each));
    }
    const auto rank = [&](const candidate &one) {
        if (named.empty()) {
            return rank_of_provider(one.name);
        }
        const auto at = std::find(named.begin(), named.end(), one.name);
        return at == named.end() ? -1 : static_cast<int>(at - named.begin());
    };
    const bool others_than_loopback = std::ranges::any_of(all, [](const candidate &each) {
        return each.address.family() == AF_INET && !each.address.is_loopback();
    });
    // Where an interface stands among those that the user names.
    const std::vector<std::string_view> interfaces = parts_of(wanted.interface);
    const auto place_of = [&](const candidate &one) {
        return std::ranges::find_if(interfaces, [&](std::string_view each) { return is_on(one, each); }) -
               interfaces.begin();
    };
    const auto suits = [&](const candidate &one) {
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
    std::vector<candidate> suitable;
    std::ranges::copy_if(all, std::back_inserter(suitable), suits);
    if (suitable.empty()) {
        fail(MPI_ERR_OTHER, "no network suits provider \"", wanted.names.empty() ? "any" : wanted.names,
             "\" and interface \"", wanted.interface.empty() ? "any" : wanted.interface,
             "\" (LISLE_NETWORK_PROVIDER, LISLE_NETWORK_INTERFACE); there are: ", names_of(all));
    }
    std::ranges::stable_sort(suitable, [&](const candidate &one, const candidate &other) {
        return std::pair{rank(one), place_of(one)} < std::pair{rank(other), place_of(other)};
    });
    std::vector<candidate> taken;
    for (const candidate &each : suitable) {
        const auto same_interface = [&](const candidate &known) { return known.on == each.on; };
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
    std::vector<choice> chosen;
    for (const candidate &each : taken) {
        if (each.ours != nullptr) {
            chosen.push_back({nullptr, *each.ours});
        } else {
            chosen.push_back({provider{libfabric::instance().dupinfo(each.by)}, {}});
        }
    }
    return chosen;
}

std::unique_ptr<device> open_device(choice chosen, std::uint64_t secret) {
    if (chosen.by == nullptr) {
        return std::make_unique<socket_device>(chosen.on, secret);
    }
    return std::make_unique<libfabric_device>(std::move(chosen.by));
}

} // namespace lisle::fabric::ofi
