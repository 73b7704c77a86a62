// SPDX-License-Identifier: Apache-2.0
// From the communication calls on windows to operations. To MPI_PROC_NULL nothing is done.
#include "api/rma.hpp"

#include "abi/call_place.hpp"
#include "api/explored.hpp"
#include "base/error.hpp"
#include "protocol/engine.hpp"
#include "rma/operations.hpp"
#include "rma/races/watch.hpp"

namespace lisle::api {

namespace {

/// For the user, of an operation of which `started` is to come yet; null: nothing.
MPI_Request give(const rma::window &win, protocol::request *started) {
    return handle_of<MPI_Request>(started != nullptr ? *started : *win.home().completed_send());
}

/// For operations that a later synchronisation completes.
void let_go(protocol::request *started) {
    if (started != nullptr) [[unlikely]] {
        started->free();
    }
}

/// The request forms are for passive targets only. [MPI-5.0 12.3.5]
void check_passive(rma::window &win, int rank) {
    if (rank != MPI_PROC_NULL) {
        win.access.check_passive(rank);
    }
}

/// MPI_NO_OP is for operations that bring something back. [MPI-5.0 12.3.4]
void check_changes(const op &operation) {
    if (&operation == find_op(MPI_NO_OP)) {
        fail(MPI_ERR_OP, "MPI_NO_OP changes nothing: it is for MPI_Get_accumulate and MPI_Fetch_and_op");
    }
}

/// A null pointer is an address only with types of absolute addresses.
[[gnu::cold]] void refuse_null(const typed_buffer &origin) {
    if (origin.address == nullptr && origin.bytes() > 0 && origin.type->predefined()) {
        fail(MPI_ERR_BUFFER, "origin_addr is a null pointer, but there are ", origin.count, " elements");
    }
}

/// Makes an access. With LISLE_CHECK=1 it is noted, to be compared with those of other ranks.
/// @param origin null: looked at elsewhere @param bytes of the target's data @param brings something that
/// others may have written for this rank to see
template <class Access> protocol::request *noted(const rma::window &win, const typed_buffer *origin,
                                                 const rma::target_data &target, MPI_Count bytes,
                                                 rma::access_kind what, bool brings, Access access) {
    if (!rma::race_watch::watched()) [[likely]] {
        return access();
    }
    if (origin != nullptr) {
        refuse_null(*origin);
    }
    if (explored() != nullptr && brings && what == rma::access_kind::update) {
        await_turn(win, target.rank);
    }
    const auto begun = rma::race_watch::begin_access(win.members, what, brings);
    protocol::request *const started = access();
    const abi::call_place place = abi::current_call();
    rma::race_watch::note(win.members, begun, target, bytes, what,
                          {std::string{place.call}, place.site.file, place.site.offsets});
    return started;
}

/// The same for an access that its own request completes: it is not noted.
void begin_unnoted(const rma::window &win, rma::access_kind what) {
    if (rma::race_watch::watched()) [[unlikely]] {
        static_cast<void>(rma::race_watch::begin_access(win.members, what, true));
    }
}

protocol::request *start_put(rma::window &win, const typed_buffer &origin, const rma::target_data &target) {
    return noted(win, &origin, target, origin.bytes(), rma::access_kind::put, false,
                 [&] { return rma::put(win, origin, target); });
}

void check_predefined(const datatype &type) {
    if (type.facts() == nullptr) {
        fail(MPI_ERR_TYPE, "the datatype is derived; the call takes one element of a predefined type");
    }
}

} // namespace

void put(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win) {
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, target_count, &target_datatype};
        const typed_buffer origin{origin_addr, origin_count, origin_datatype};
        let_go(start_put(win, origin, target));
    }
}

void get(void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win) {
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, target_count, &target_datatype};
        const typed_buffer origin{origin_addr, origin_count, origin_datatype};
        let_go(noted(win, &origin, target, target.bytes(), rma::access_kind::get, true,
                     [&] { return rma::get(win, origin, target); }));
    }
}

void accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                const datatype &target_datatype, const op &op, rma::window &win) {
    check_changes(op);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, target_count, &target_datatype};
        const typed_buffer origin{origin_addr, origin_count, origin_datatype};
        let_go(noted(win, &origin, target, origin.bytes(), rma::access_kind::update, false,
                     [&] { return rma::accumulate(win, origin, nullptr, target, op); }));
    }
}

void get_accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                    void *result_addr, MPI_Count result_count, const datatype &result_datatype,
                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                    const datatype &target_datatype, const op &op, rma::window &win) {
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const typed_buffer result{result_addr, result_count, result_datatype};
        const rma::target_data target{target_rank, target_disp, target_count, &target_datatype};
        const typed_buffer origin{origin_addr, origin_count, origin_datatype};
        const MPI_Count bytes = &op == find_op(MPI_NO_OP) ? target.bytes() : origin.bytes();
        let_go(noted(win, nullptr, target, bytes, rma::access_kind::update, true,
                     [&] { return rma::accumulate(win, origin, &result, target, op); }));
    }
}

void fetch_and_op(const void *origin_addr, void *result_addr, const datatype &datatype, int target_rank,
                  MPI_Aint target_disp, const op &op, rma::window &win) {
    check_predefined(datatype);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, 1, &datatype};
        let_go(noted(win, nullptr, target, target.bytes(), rma::access_kind::update, true,
                     [&] { return rma::fetch_and_op(win, origin_addr, result_addr, target, op); }));
    }
}

void compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                      const datatype &datatype, int target_rank, MPI_Aint target_disp, rma::window &win) {
    check_predefined(datatype);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, 1, &datatype};
        let_go(noted(win, nullptr, target, target.bytes(), rma::access_kind::update, true, [&] {
            return rma::compare_and_swap(win, origin_addr, compare_addr, result_addr, target);
        }));
    }
}

void rput(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win,
          MPI_Request *request) {
    check_passive(win, target_rank);
    *request = give(win, target_rank == MPI_PROC_NULL
                             ? nullptr
                             : start_put(win, {origin_addr, origin_count, origin_datatype},
                                         {target_rank, target_disp, target_count, &target_datatype}));
}

void rget(void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win,
          MPI_Request *request) {
    check_passive(win, target_rank);
    begin_unnoted(win, rma::access_kind::get);
    *request = give(win, target_rank == MPI_PROC_NULL
                             ? nullptr
                             : rma::get(win, {origin_addr, origin_count, origin_datatype},
                                        {target_rank, target_disp, target_count, &target_datatype}));
}

void raccumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                 const datatype &target_datatype, const op &op, rma::window &win, MPI_Request *request) {
    check_passive(win, target_rank);
    accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
               target_datatype, op, win);
    *request = give(win, nullptr);
}

void rget_accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                     void *result_addr, MPI_Count result_count, const datatype &result_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     const datatype &target_datatype, const op &op, rma::window &win, MPI_Request *request) {
    check_passive(win, target_rank);
    begin_unnoted(win, rma::access_kind::update);
    const typed_buffer result{result_addr, result_count, result_datatype};
    *request =
        give(win, target_rank == MPI_PROC_NULL
                      ? nullptr
                      : rma::accumulate(win, {origin_addr, origin_count, origin_datatype}, &result,
                                        {target_rank, target_disp, target_count, &target_datatype}, op));
}

} // namespace lisle::api
