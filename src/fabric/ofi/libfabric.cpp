// SPDX-License-Identifier: Apache-2.0
#include "fabric/ofi/libfabric.hpp"

#include <dlfcn.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::fabric::ofi {

namespace {

template <class Function> void find(void *library, Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) {
        fail(MPI_ERR_OTHER, "libfabric.so.1 has no function ", name);
    }
}

} // namespace

libfabric::libfabric() {
    void *const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        fail(MPI_ERR_OTHER, "the job's processes are on several nodes, and the network library is not here (",
             dlerror(), "): install libfabric1 on every node");
    }
    find(library, getinfo, "fi_getinfo");
    find(library, freeinfo, "fi_freeinfo");
    find(library, dupinfo, "fi_dupinfo");
    find(library, fabric, "fi_fabric");
    find(library, strerror, "fi_strerror");
}

const libfabric &libfabric::instance() {
    static const libfabric only;
    return only;
}

} // namespace lisle::fabric::ofi
