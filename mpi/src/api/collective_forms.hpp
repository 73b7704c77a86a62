// SPDX-License-Identifier: Apache-2.0
// The three forms of a collective call, made from the function that turns its arguments into a schedule:
// they differ in how they launch it. Info hints of the persistent form are not used.
#pragma once

#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "collective/call.hpp"
#include "collective/selection/launch.hpp"
#include "communicator/communicator.hpp"
#include "communicator/info.hpp"

namespace lisle::abi {

/// @param Plan schedule(const collective_call &, the arguments but for communicator, info and request)
template <auto Plan> struct forms;

template <class... Arguments, collective::schedule (*Plan)(const collective::collective_call &, Arguments...)>
struct forms<Plan> {
    using form = collective::form;

    static void blocking(Arguments... arguments, communicator &comm) {
        if (pending_buffers::watched()) [[unlikely]] {
            watched_list used{false};
            collective::schedule plan = Plan({comm, form::blocking, &used}, arguments...);
            pending->look(used);
            collective::run(comm, std::move(plan));
            return;
        }
        collective::run(comm, Plan({comm, form::blocking}, arguments...));
    }
    static void nonblocking(Arguments... arguments, communicator &comm, MPI_Request *request) {
        if (pending_buffers::watched()) [[unlikely]] {
            watched_list used;
            collective::schedule plan = Plan({comm, form::nonblocking, &used}, arguments...);
            pending->begin(used);
            protocol::request *const made = collective::start(comm, std::move(plan));
            pending->add(*made, std::move(used));
            *request = give_request(made, &comm);
            return;
        }
        *request =
            give_request(collective::start(comm, Plan({comm, form::nonblocking}, arguments...)), &comm);
    }
    static void persistent(Arguments... arguments, communicator &comm, info *, MPI_Request *request) {
        watched_list used;
        watched_list *const watched = pending_buffers::watched() ? &used : nullptr;
        protocol::request *const made =
            collective::prepare(comm, Plan({comm, form::persistent, watched}, arguments...));
        if (watched != nullptr) {
            pending->add(*made, std::move(used));
        }
        *request = give_request(made, &comm);
    }
};

} // namespace lisle::abi
