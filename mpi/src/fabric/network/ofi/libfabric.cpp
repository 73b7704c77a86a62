// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ofi/libfabric.hpp"

#include "base/loaded_library.hpp"

namespace lisle::fabric::network {

libfabric::libfabric() {
    const loaded_library library{
        "libfabric.so.1", "the job's processes are on several nodes, and the network library is not here",
        "install libfabric1 on every node"};
    library.find(getinfo, "fi_getinfo");
    library.find(freeinfo, "fi_freeinfo");
    library.find(dupinfo, "fi_dupinfo");
    library.find(fabric, "fi_fabric");
    library.find(strerror, "fi_strerror");
}

const libfabric &libfabric::instance() {
    static const libfabric only;
    return only;
}

} // namespace lisle::fabric::network
