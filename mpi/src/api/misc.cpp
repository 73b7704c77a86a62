// SPDX-License-Identifier: Apache-2.0
// Inquiry about the library and the node.
#include "api/misc.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

#include "base/error.hpp"
#include "communicator/hardware.hpp"
#include "communicator/info.hpp"

namespace lisle::api {

namespace {

constexpr std::string_view library_version = "Lisle " LISLE_VERSION ", MPI 5.0, standard ABI 1.0";
static_assert(library_version.size() < MPI_MAX_LIBRARY_VERSION_STRING);

} // namespace

void get_version(int *version, int *subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
}

void get_library_version(char *version, int *resultlen) {
    version[library_version.copy(version, library_version.size())] = '\0';
    *resultlen = static_cast<int>(library_version.size());
}

void get_processor_name(char *name, int *resultlen) {
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) {
        fail(MPI_ERR_OTHER, "the host name cannot be read: ", std::strerror(errno));
    }
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
    *resultlen = static_cast<int>(std::strlen(name));
}

void get_hw_resource_info(MPI_Info *hw_info) {
    auto resources = std::make_unique<info>();
    resources->set(std::string{shared_memory_type}, "true");
    const hardware_place place = find_hardware_place();
    for (std::size_t i = 0; i < place.size(); ++i) {
        if (place[i] != not_known) {
            resources->set(std::string{hardware_types[i]}, place[i] == not_restricted ? "false" : "true");
        }
    }
    *hw_info = handle_of<MPI_Info>(*resources.release());
}

void pcontrol(int) {}

} // namespace lisle::api
