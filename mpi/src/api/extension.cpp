// SPDX-License-Identifier: Apache-2.0
#include "api/extension.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "abi/mistakes.hpp"
#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "base/error.hpp"
#include "communicator/creation.hpp"
#include "communicator/predefined.hpp"
#include "datatype/predefined.hpp"
#include "execution/memory_times.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/receive_allocate.hpp"
#include "reduction/op.hpp"
#include "world/job.hpp"

namespace lisle::api {

void comm_shares_memory(communicator &comm, int rank, int *flag) {
    const int number = comm.point_to_point.peers->member(rank);
    const lisle::rank &self = this_rank();
    *flag = self.engine().routes().share_addresses(self.number(), number) ? 1 : 0;
}

void comm_shadow(communicator &comm, MPI_Comm *shadow) {
    *shadow = give_handle(make_shadow(comm));
}

void pending(MPIX_Pending_function *each, void *extra_state) {
    if (each == nullptr) {
        fail(MPI_ERR_ARG, "each is a null pointer");
    }
    if (!abi::pending_buffers::watched()) {
        return;
    }
    for (const auto &[place, about] : abi::pending->begun()) {
        using sort = wait_note::sort;
        const bool message =
            about.what == sort::receive || about.what == sort::send || about.what == sort::synchronous_send;
        const int peer = !message                           ? MPI_PROC_NULL
                         : about.peer == wait_note::anybody ? MPI_ANY_SOURCE
                                                            : about.peer;
        each(std::string{place.call}.c_str(), peer, message ? about.tag : MPI_ANY_TAG,
             abi::in_words(place.site).c_str(), extra_state);
    }
}

void rank_self(void *rank) {
    *static_cast<lisle::rank **>(rank) = &this_rank();
}

void rank_adopt(void *rank, void *former) {
    auto *const target = static_cast<lisle::rank *>(rank);
    if (target != nullptr) {
        target->several_call.store(true, std::memory_order_relaxed); // so that waits expect others
    }
    *static_cast<lisle::rank **>(former) = become(target);
}

void tile_compute(MPI_Count cycles) {
    if (cycles < 0) {
        fail(MPI_ERR_ARG, "cycles is ", cycles, ", less than 0");
    }
    lisle::rank &self = this_rank();
    self.get_job().clock().compute(self.number(), cycles);
    self.engine().waits().let_core_catch_up();
}

void tile_access(const void *start, MPI_Count bytes, int writes) {
    if (bytes < 0) {
        fail(MPI_ERR_ARG, "bytes is ", bytes, ", less than 0");
    }
    lisle::rank &self = this_rank();
    auto *const times = dynamic_cast<memory_times *>(&self.get_job().clock());
    if (times == nullptr) {
        return;
    }
    // Page by page: what other cores fetch meanwhile comes between.
    auto from = reinterpret_cast<std::uintptr_t>(start);
    for (auto left = static_cast<std::size_t>(bytes); left != 0;) {
        const std::size_t here = std::min(left, memory_times::page - from % memory_times::page);
        self.engine().waits().let_core_catch_up();
        times->touched(self.number(), from, here, writes != 0);
        from += here;
        left -= here;
    }
    self.engine().waits().let_core_catch_up();
}

void op_create_x(MPIX_User_function_x *user_fn, MPIX_Destructor_function *destructor_fn, int commute,
                 void *extra_state, MPI_Op *op) {
    *op = handle_of<MPI_Op>(*create_op(user_fn, destructor_fn, commute != 0, extra_state));
}

void op_create_in(void *memory, int bytes, MPIX_User_function_x *user_fn, int commute, void *extra_state,
                  MPI_Op *op) {
    *op = handle_of<MPI_Op>(
        *create_op_in(memory, static_cast<std::size_t>(bytes), user_fn, commute != 0, extra_state));
}

void recv_allocate(MPIX_Allocate_function *allocate, void *extra_state, const datatype &type, int source,
                   int tag, communicator &comm, MPI_Status *status) {
    const protocol::outcome ended =
        protocol::receive_allocate({allocate, extra_state}, type, comm.point_to_point, source, tag);
    ended.store(status);
    abi::throw_if_failed(ended, nullptr);
}

namespace {
/// The request of a receive that has no memory of the program's yet.
void give_receive(protocol::request *made, communicator &comm, MPI_Request *request) {
    if (abi::pending_buffers::watched()) [[unlikely]] {
        abi::pending->add(*made, watched_list{});
    }
    *request = abi::give_request(made, &comm);
}
} // namespace

void irecv_allocate(MPIX_Allocate_function *allocate, void *extra_state, const datatype &type, int source,
                    int tag, communicator &comm, MPI_Request *request) {
    give_receive(
        protocol::start_receive_allocate({allocate, extra_state}, type, comm.point_to_point, source, tag),
        comm, request);
}

void recv_inspect(MPIX_Inspect_function *inspect, MPIX_Allocate_function *allocate, void *extra_state,
                  int source, int tag, communicator &comm, MPI_Status *status) {
    const protocol::outcome ended = protocol::receive_allocate(
        {allocate, extra_state, inspect}, *find_datatype(MPI_BYTE), comm.point_to_point, source, tag);
    ended.store(status);
    abi::throw_if_failed(ended, nullptr);
}

void irecv_inspect(MPIX_Inspect_function *inspect, MPIX_Allocate_function *allocate, void *extra_state,
                   int source, int tag, communicator &comm, MPI_Request *request) {
    give_receive(protocol::start_receive_allocate({allocate, extra_state, inspect}, *find_datatype(MPI_BYTE),
                                                  comm.point_to_point, source, tag),
                 comm, request);
}

} // namespace lisle::api
