// SPDX-License-Identifier: Apache-2.0
// The three forms of a collective call, made from the function that turns its arguments into a schedule:
// they differ in how they launch it. Info hints of the persistent form are not used.
//
// A call cannot fail at all ranks because one of them has no memory: others may have ended it already, as the
// root of a broadcast. So it waits for memory for its plan; for room as large as the data it does not, and
// then has done nothing at this rank: called again, it takes part.
#pragma once

#include <new>

#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "collective/call.hpp"
#include "collective/selection/launch.hpp"
#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "protocol/once_there_is_memory.hpp"

namespace lisle::abi {

/// @param Plan schedule(const collective_call &, the arguments but for communicator, info and request)
template <auto Plan> struct forms;

template <class... Arguments, collective::schedule (*Plan)(const collective::collective_call &, Arguments...)>
struct forms<Plan> {
    using form = collective::form;

    [[gnu::always_inline]] static inline collective::schedule
    plan(communicator &comm, form how, watched_list *used, Arguments... arguments) {
        try {
            return Plan({comm, how, used}, arguments...);
        } catch (const std::bad_alloc &) {
            return plan_with_patience(comm, how, used, arguments...);
        }
    }
    /// @param launch a function that makes a request of a plan
    template <class Launch>
    static protocol::request *request_of(communicator &comm, collective::schedule made, Launch launch) {
        return protocol::once_there_is_memory(*comm.collective.home,
                                              [&] { return launch(comm, std::move(made)); });
    }
    static void blocking(Arguments... arguments, communicator &comm) {
        if (pending_buffers::watched()) [[unlikely]] {
            watched_list used{false};
            collective::schedule made = plan(comm, form::blocking, &used, arguments...);
            pending->look(used);
            collective::run(comm, std::move(made));
            return;
        }
        collective::run(comm, plan(comm, form::blocking, nullptr, arguments...));
    }
    static void nonblocking(Arguments... arguments, communicator &comm, MPI_Request *request) {
        if (pending_buffers::watched()) [[unlikely]] {
            watched_list used;
            collective::schedule made_plan = plan(comm, form::nonblocking, &used, arguments...);
            pending->begin(used);
            protocol::request *const made = request_of(comm, std::move(made_plan), collective::start);
            pending->add(*made, std::move(used));
            *request = give_request(made, &comm);
            return;
        }
        *request = give_request(
            request_of(comm, plan(comm, form::nonblocking, nullptr, arguments...), collective::start), &comm);
    }
    static void persistent(Arguments... arguments, communicator &comm, info *, MPI_Request *request) {
        watched_list used;
        watched_list *const watched = pending_buffers::watched() ? &used : nullptr;
        protocol::request *const made =
            request_of(comm, plan(comm, form::persistent, watched, arguments...), collective::prepare);
        if (watched != nullptr) {
            pending->add(*made, std::move(used));
        }
        *request = give_request(made, &comm);
    }

  private:
    [[gnu::cold, gnu::noinline]] static collective::schedule
    plan_with_patience(communicator &comm, form how, watched_list *used, Arguments... arguments) {
        return protocol::once_there_is_some_memory(*comm.collective.home, [&] {
            if (used != nullptr) {
                *used = watched_list{how != form::blocking};
            }
            return Plan({comm, how, used}, arguments...);
        });
    }
};

} // namespace lisle::abi
