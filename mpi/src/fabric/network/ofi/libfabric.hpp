// SPDX-License-Identifier: Apache-2.0
// libfabric, loaded when a job needs a network: a job on one node starts without it, and a machine without it
// runs everything else. All but these functions lies behind tables of the library's own.
#pragma once

#include <memory>
#include <rdma/fabric.h>

namespace lisle::fabric::network {

/// The library of the process. Stays loaded until the process ends: providers have threads of their own.
class libfabric {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) with the way out if it cannot be loaded.
    static const libfabric &instance();

    decltype(&fi_getinfo) getinfo;
    decltype(&fi_freeinfo) freeinfo;
    decltype(&fi_dupinfo) dupinfo;
    decltype(&fi_fabric) fabric;
    decltype(&fi_strerror) strerror;

  private:
    libfabric();
};

struct release_info {
    void operator()(fi_info *info) const noexcept { libfabric::instance().freeinfo(info); }
};
/// One provider on one interface, alone (not a list).
using provider = std::unique_ptr<fi_info, release_info>;

} // namespace lisle::fabric::network
