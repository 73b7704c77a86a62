// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ofi/libfabric_choices.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "base/error.hpp"
#include "fabric/network/ofi/libfabric_device.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

constexpr std::uint32_t api_version = FI_VERSION(1, 14);

struct hints {
    fi_info *info = libfabric::instance().dupinfo(nullptr);
    ~hints() { libfabric::instance().freeinfo(info); }
};

const char *text(const char *said) noexcept {
    return said != nullptr ? said : "";
}

choice choice_of(const fi_info &info) {
    tcp::socket_address address;
    if (info.src_addr != nullptr &&
        (info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6)) {
        address = {static_cast<const sockaddr *>(info.src_addr), info.src_addrlen};
    }
    // The list goes, and a choice can be copied.
    const std::shared_ptr<fi_info> own{libfabric::instance().dupinfo(&info), release_info{}};
    return {text(info.fabric_attr->prov_name), text(info.domain_attr->name), text(info.fabric_attr->name),
            address, [own](const shared_secret &) {
                return std::make_unique<libfabric_device>(provider{libfabric::instance().dupinfo(own.get())});
            }};
}

} // namespace

std::vector<choice> libfabric_choices() {
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
    const provider list{found};
    std::vector<choice> all;
    for (const fi_info *each = list.get(); each != nullptr; each = each->next) {
        all.push_back(choice_of(*each));
    }
    return all;
}

} // namespace lisle::fabric::network
