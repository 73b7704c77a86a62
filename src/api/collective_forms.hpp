// SPDX-License-Identifier: Apache-2.0
// The three forms of a collective call, made from the function that turns its arguments into a schedule:
// they differ in how they launch it. Info hints of the persistent form are not used.
#pragma once

#include "api/request.hpp"
#include "collective/schedule/launch.hpp"
#include "communicator/communicator.hpp"
#include "communicator/info.hpp"

namespace lisle::abi {

/// @param Plan schedule(const collective_call &, the arguments but for communicator, info and request)
template <auto Plan> struct forms;

template <class... Arguments, collective::schedule (*Plan)(const collective::collective_call &, Arguments...)>
struct forms<Plan> {
    using form = collective::form;

    static void blocking(Arguments... arguments, communicator &comm) {
        collective::run(comm, Plan({comm, form::blocking}, arguments...));
    }
    static void nonblocking(Arguments... arguments, communicator &comm, MPI_Request *request) {
        *request =
            give_request(collective::start(comm, Plan({comm, form::nonblocking}, arguments...)), &comm);
    }
    static void persistent(Arguments... arguments, communicator &comm, info *, MPI_Request *request) {
        *request =
            give_request(collective::prepare(comm, Plan({comm, form::persistent}, arguments...)), &comm);
    }
};

} // namespace lisle::abi
