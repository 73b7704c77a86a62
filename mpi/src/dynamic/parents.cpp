// SPDX-License-Identifier: Apache-2.0
#include "dynamic/parents.hpp"

#include <cstdlib>
#include <string>

#include "base/environment.hpp"
#include "communicator/introduction.hpp"
#include "communicator/predefined.hpp"
#include "dynamic/port.hpp"
#include "dynamic/start.hpp"
#include "world/job.hpp"

namespace lisle::dynamic {

void meet_parents() {
    const std::string port{environment_text(parent_port_variable)};
    if (port.empty()) {
        return;
    }
    communicator_ref parents =
        introduce(*predefined->world, 0, [&port] { return connect_to_port(port, usual_patience); });
    parents->set_name("MPI_COMM_PARENT");
    predefined->parent = parents.give();
    if (this_rank().get_job().rank_count() == 1) {
        unsetenv(parent_port_variable); // programs that this one starts are not spawned
    }
}

} // namespace lisle::dynamic
