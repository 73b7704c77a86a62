// SPDX-License-Identifier: Apache-2.0
// From the communication calls on windows to operations. To MPI_PROC_NULL nothing is done.
#include "api/rma.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "abi/call_place.hpp"
#include "api/explored.hpp"
#include "api/pending_buffers.hpp"
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

/// What an access does, and to which memory of its origin.
struct access_facts {
    const rma::target_data &target;
    MPI_Count bytes; ///< of the target's data
    rma::access_kind what;
    /// It brings something that others may have written for this rank to see.
    bool brings = false;
    bool has_request = false;
    const op *operation = nullptr; ///< of an update
    std::optional<typed_buffer> reads{}, compares{}, writes{};
};

/// A null pointer is an address only with types of absolute addresses.
[[gnu::cold]] void refuse_null(const std::optional<typed_buffer> &used, const char *name) {
    if (used && used->address == nullptr && used->bytes() > 0 && used->type->predefined()) {
        fail(MPI_ERR_BUFFER, name, " is a null pointer, but there are ", used->count, " elements");
    }
}

[[gnu::cold]] watched_list used_by(const access_facts &made) {
    watched_list used{false};
    for (const auto &each : {made.reads, made.compares}) {
        if (each && each->bytes() > 0) {
            used.add(watched_memory::use::reads, {*each});
        }
    }
    if (made.writes && made.writes->bytes() > 0) {
        used.add(watched_memory::use::writes, {*made.writes});
    }
    return used;
}

/// See rma::access_record. Only operations of the standard may update [MPI-5.0 12.3.4].
rma::operation_name same_operation(const rma::window &win, const access_facts &made) {
    rma::operation_name name{};
    if (made.operation != nullptr && made.operation->predefined() && made.what == rma::access_kind::update &&
        win.hints.gives("accumulate_ops")) {
        std::strncpy(name.data(), made.operation->name(), name.size() - 1);
    }
    return name;
}

/// Makes an access. With LISLE_CHECK=1 it is noted, to be compared with those of other ranks.
template <class Access>
protocol::request *noted(const rma::window &win, const access_facts &made, Access access) {
    if (!rma::race_watch::watched()) [[likely]] {
        return access();
    }
    refuse_null(made.reads, "origin_addr");
    refuse_null(made.writes, made.what == rma::access_kind::get ? "origin_addr" : "result_addr");
    refuse_null(made.compares, "compare_addr");
    watched_list used = used_by(made);
    if (abi::pending_buffers::watched()) {
        abi::pending->look(used);
        abi::pending->windows.accesses(win);
    }
    if (explored() != nullptr && made.brings && made.what == rma::access_kind::update) {
        await_turn(win, made.target.rank);
    }
    const auto begun = rma::race_watch::begin_access(win.members, made.what, made.brings);
    protocol::request *const started = access();
    const abi::call_place place = abi::current_call();
    rma::race_watch::note(
        win.members, begun,
        {made.target, made.bytes, made.what,
         made.has_request && (made.what == rma::access_kind::get || made.what == rma::access_kind::fetch),
         same_operation(win, made)},
        {std::string{place.call}, place.site.file, place.site.offsets});
    if (abi::pending_buffers::watched()) {
        abi::pending->accesses.begin({&win.members, made.target.rank, made.has_request, std::move(used)},
                                     started == nullptr);
    }
    return started;
}

protocol::request *start_put(rma::window &win, const typed_buffer &origin, const rma::target_data &target,
                             bool has_request) {
    return noted(win,
                 {.target = target,
                  .bytes = origin.bytes(),
                  .what = rma::access_kind::put,
                  .has_request = has_request,
                  .reads = origin},
                 [&] { return rma::put(win, origin, target); });
}

protocol::request *start_get(rma::window &win, const typed_buffer &origin, const rma::target_data &target,
                             bool has_request) {
    return noted(win,
                 {.target = target,
                  .bytes = target.bytes(),
                  .what = rma::access_kind::get,
                  .brings = true,
                  .has_request = has_request,
                  .writes = origin},
                 [&] { return rma::get(win, origin, target); });
}

/// @param result null: an accumulate that brings nothing
protocol::request *start_update(rma::window &win, const typed_buffer &origin, const typed_buffer *result,
                                const rma::target_data &target, const op &operation, bool has_request) {
    const bool only_fetches = &operation == find_op(MPI_NO_OP);
    return noted(win,
                 {.target = target,
                  .bytes = only_fetches ? target.bytes() : origin.bytes(),
                  .what = only_fetches ? rma::access_kind::fetch : rma::access_kind::update,
                  .brings = result != nullptr,
                  .has_request = has_request,
                  .operation = &operation,
                  .reads = only_fetches ? std::nullopt : std::optional{origin},
                  .writes = result != nullptr ? std::optional{*result} : std::nullopt},
                 [&] { return rma::accumulate(win, origin, result, target, operation); });
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
        let_go(start_put(win, origin, target, false));
    }
}

void get(void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win) {
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, target_count, &target_datatype};
        const typed_buffer origin{origin_addr, origin_count, origin_datatype};
        let_go(start_get(win, origin, target, false));
    }
}

void accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                const datatype &target_datatype, const op &op, rma::window &win) {
    check_changes(op);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        let_go(start_update(win, {origin_addr, origin_count, origin_datatype}, nullptr,
                            {target_rank, target_disp, target_count, &target_datatype}, op, false));
    }
}

void get_accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                    void *result_addr, MPI_Count result_count, const datatype &result_datatype,
                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                    const datatype &target_datatype, const op &op, rma::window &win) {
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const typed_buffer result{result_addr, result_count, result_datatype};
        let_go(start_update(win, {origin_addr, origin_count, origin_datatype}, &result,
                            {target_rank, target_disp, target_count, &target_datatype}, op, false));
    }
}

void fetch_and_op(const void *origin_addr, void *result_addr, const datatype &datatype, int target_rank,
                  MPI_Aint target_disp, const op &op, rma::window &win) {
    check_predefined(datatype);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, 1, &datatype};
        const bool only_fetches = &op == find_op(MPI_NO_OP);
        let_go(noted(
            win,
            {.target = target,
             .bytes = target.bytes(),
             .what = only_fetches ? rma::access_kind::fetch : rma::access_kind::update,
             .brings = true,
             .operation = &op,
             .reads = only_fetches ? std::nullopt : std::optional{typed_buffer{origin_addr, 1, datatype}},
             .writes = typed_buffer{result_addr, 1, datatype}},
            [&] { return rma::fetch_and_op(win, origin_addr, result_addr, target, op); }));
    }
}

void compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                      const datatype &datatype, int target_rank, MPI_Aint target_disp, rma::window &win) {
    check_predefined(datatype);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        const rma::target_data target{target_rank, target_disp, 1, &datatype};
        let_go(noted(
            win,
            {.target = target,
             .bytes = target.bytes(),
             .what = rma::access_kind::update,
             .brings = true,
             .reads = typed_buffer{origin_addr, 1, datatype},
             .compares = typed_buffer{compare_addr, 1, datatype},
             .writes = typed_buffer{result_addr, 1, datatype}},
            [&] { return rma::compare_and_swap(win, origin_addr, compare_addr, result_addr, target); }));
    }
}

void rput(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win,
          MPI_Request *request) {
    check_passive(win, target_rank);
    *request = give(win, target_rank == MPI_PROC_NULL
                             ? nullptr
                             : start_put(win, {origin_addr, origin_count, origin_datatype},
                                         {target_rank, target_disp, target_count, &target_datatype}, true));
}

void rget(void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const datatype &target_datatype, rma::window &win,
          MPI_Request *request) {
    check_passive(win, target_rank);
    *request = give(win, target_rank == MPI_PROC_NULL
                             ? nullptr
                             : start_get(win, {origin_addr, origin_count, origin_datatype},
                                         {target_rank, target_disp, target_count, &target_datatype}, true));
}

void raccumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                 const datatype &target_datatype, const op &op, rma::window &win, MPI_Request *request) {
    check_passive(win, target_rank);
    check_changes(op);
    if (target_rank != MPI_PROC_NULL) [[likely]] {
        let_go(start_update(win, {origin_addr, origin_count, origin_datatype}, nullptr,
                            {target_rank, target_disp, target_count, &target_datatype}, op, true));
    }
    *request = give(win, nullptr);
}

void rget_accumulate(const void *origin_addr, MPI_Count origin_count, const datatype &origin_datatype,
                     void *result_addr, MPI_Count result_count, const datatype &result_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     const datatype &target_datatype, const op &op, rma::window &win, MPI_Request *request) {
    check_passive(win, target_rank);
    const typed_buffer result{result_addr, result_count, result_datatype};
    *request =
        give(win, target_rank == MPI_PROC_NULL
                      ? nullptr
                      : start_update(win, {origin_addr, origin_count, origin_datatype}, &result,
                                     {target_rank, target_disp, target_count, &target_datatype}, op, true));
}

} // namespace lisle::api
