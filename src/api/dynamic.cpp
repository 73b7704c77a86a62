// SPDX-License-Identifier: Apache-2.0
#include "api/dynamic.hpp"

#include "base/error.hpp"

namespace lisle::api {

void comm_get_parent(MPI_Comm *parent) {
    *parent = MPI_COMM_NULL; // nobody is spawned
}

void lookup_name(const char *service_name, info *, char *) {
    fail(MPI_ERR_NAME, "no service called \"", service_name, "\" is published");
}

void unpublish_name(const char *service_name, info *, const char *) {
    fail(MPI_ERR_SERVICE, "no service called \"", service_name, "\" is published");
}

void close_port(const char *port_name) {
    fail(MPI_ERR_PORT, "no port called \"", port_name, "\" is open");
}

} // namespace lisle::api
