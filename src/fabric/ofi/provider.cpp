// SPDX-License-Identifier: Apache-2.0
#include "fabric/ofi/provider.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::fabric::ofi {

namespace {

constexpr std::uint32_t api_version = FI_VERSION(1, 14);

// `net` is libfabric 1.15's to 1.17's TCP provider with reliable datagrams of its own; later ones call it
// `tcp`.
constexpr std::array<std::string_view, 9> preferred = {
    "psm3", "psm2", "verbs;ofi_rxm", "efa", "cxi", "tcp", "net", "tcp;ofi_rxm", "udp;ofi_rxd",
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

/// The IPv4 address of a provider's interface in the order of its bytes; 0: it has none.
std::uint32_t address_of(const fi_info &info) noexcept {
    if (info.addr_format != FI_SOCKADDR_IN || info.src_addr == nullptr) {
        return 0;
    }
    return ntohl(static_cast<const sockaddr_in *>(info.src_addr)->sin_addr.s_addr);
}

bool is_loopback(const fi_info &info) noexcept {
    return (address_of(info) >> 24U) == 127;
}

/// Whether a provider is on an interface that the user names.
bool is_on(const fi_info &info, std::string_view interface) noexcept {
    const auto same = [&](const char *name) { return name != nullptr && interface == name; };
    return same(info.domain_attr->name) || same(info.fabric_attr->name);
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

std::string names_of(const fi_info *list) {
    std::string names;
    for (const fi_info *each = list; each != nullptr; each = each->next) {
        const std::string name = sentence(each->fabric_attr->prov_name, " on ",
                                          each->domain_attr->name ? each->domain_attr->name : "?");
        if (names.find(name) == std::string::npos) {
            names += names.empty() ? name : ", " + name;
        }
    }
    return names;
}

} // namespace

int rank_of_provider(std::string_view name) noexcept {
    return static_cast<int>(std::find(preferred.begin(), preferred.end(), name) - preferred.begin());
}

std::vector<provider> choose_providers(const provider_request &wanted) {
    const provider all = all_providers();
    const std::vector<std::string_view> named = parts_of(wanted.names);
    const auto rank = [&](const fi_info &info) {
        const std::string_view name = info.fabric_attr->prov_name;
        if (named.empty()) {
            return rank_of_provider(name);
        }
        const auto at = std::find(named.begin(), named.end(), name);
        return at == named.end() ? -1 : static_cast<int>(at - named.begin());
    };
    const bool others_than_loopback = [&] {
        for (const fi_info *each = all.get(); each != nullptr; each = each->next) {
            if (address_of(*each) != 0 && !is_loopback(*each)) {
                return true;
            }
        }
        return false;
    }();
    // Where an interface stands among those that the user names.
    const std::vector<std::string_view> interfaces = parts_of(wanted.interface);
    const auto place_of = [&](const fi_info &info) {
        return std::ranges::find_if(interfaces, [&](std::string_view each) { return is_on(info, each); }) -
               interfaces.begin();
    };
    const auto suits = [&](const fi_info &info) {
        const int place = rank(info);
        if (place < 0 || (named.empty() && place == static_cast<int>(preferred.size()))) {
            return false; // not asked for; or one that nobody has tried
        }
        if (!interfaces.empty()) {
            return place_of(info) != std::ssize(interfaces);
        }
        // Link-local IPv6 addresses do not reach everywhere, nor does the loopback interface.
        return info.addr_format != FI_SOCKADDR_IN6 && !(is_loopback(info) && others_than_loopback);
    };
    std::vector<const fi_info *> suitable;
    for (const fi_info *each = all.get(); each != nullptr; each = each->next) {
        if (suits(*each)) {
            suitable.push_back(each);
        }
    }
    if (suitable.empty()) {
        fail(MPI_ERR_OTHER, "no network suits provider \"", wanted.names.empty() ? "any" : wanted.names,
             "\" and interface \"", wanted.interface.empty() ? "any" : wanted.interface,
             "\" (LISLE_NETWORK_PROVIDER, LISLE_NETWORK_INTERFACE); there are: ", names_of(all.get()));
    }
    std::stable_sort(suitable.begin(), suitable.end(), [&](const fi_info *one, const fi_info *other) {
        return std::pair{rank(*one), place_of(*one)} < std::pair{rank(*other), place_of(*other)};
    });
    std::vector<provider> chosen;
    for (const fi_info *each : suitable) {
        const auto same_interface = [&](const provider &known) {
            return std::strcmp(known->domain_attr->name, each->domain_attr->name) == 0;
        };
        // Further ones only where they are named: not every interface of a machine leads to its peers.
        if (chosen.empty() || (chosen.size() < interfaces.size() && rank(*each) == rank(*chosen.front()) &&
                               std::ranges::none_of(chosen, same_interface))) {
            chosen.emplace_back(libfabric::instance().dupinfo(each));
        }
    }
    if (chosen.size() < interfaces.size()) {
        fail(MPI_ERR_OTHER, "the provider ", chosen.front()->fabric_attr->prov_name, " is on ", chosen.size(),
             " of the interfaces \"", wanted.interface,
             "\" (LISLE_NETWORK_INTERFACE); there are: ", names_of(all.get()));
    }
    return chosen;
}

} // namespace lisle::fabric::ofi
