// SPDX-License-Identifier: Apache-2.0
// The blocking barriers and reductions, most of which are done without a plan
// (collective/process/immediate_calls.hpp).
#include "api/collective.hpp"
#include "collective/check.hpp"
#include "collective/node/message_scan.hpp"
#include "collective/node/pair.hpp"
#include "collective/process/immediate_calls.hpp"

namespace lisle::api {

namespace {

using collective::between_two;
using collective::in_process_collective;
using collective::operation;

/// Compares the call with those of the other members.
[[gnu::cold, gnu::noinline]] void compare(communicator &comm, operation what, const typed_buffer &vector,
                                          const op &reduction) {
    const char *const name = what == operation::allreduce ? "Allreduce"
                             : what == operation::scan    ? "Scan"
                                                          : "Exscan";
    collective::call_signature own =
        collective::signature_of(collective::form::blocking, name, collective::operation_in_words(reduction),
                                 collective::call_signature::unsaid, vector.bytes());
    collective::describe_elements(own, vector);
    collective::compare_calls(comm, own);
}

/// The check of a call that has no plan.
[[gnu::always_inline]] inline void compare_if_checked(communicator &comm, operation what,
                                                      const typed_buffer &vector, const op &reduction) {
    if (collective::comparing()) [[unlikely]] {
        compare(comm, what, vector, reduction);
    }
}

/// Does a reduction of two ranks without a plan, if that is chosen.
template <operation What> [[gnu::always_inline]] inline bool
reduce_between_two(const void *give, const typed_buffer &take, const op &reduction, communicator &comm) {
    switch (collective::select_between_two(comm, What, reduction, take)) {
    case between_two::message:
        compare_if_checked(comm, What, take, reduction);
        collective::scan_by_message(comm, What, {give, take.count, *take.type}, take, reduction);
        return true;
    case between_two::pair:
        compare_if_checked(comm, What, take, reduction);
        collective::pair{comm, What, take.bytes()}.reduce_for_all(What, reduction,
                                                                  {give, take.count, *take.type}, take);
        return true;
    case between_two::planned:
        break;
    }
    return false;
}

/// A reduction in whose result all ranks have a part: allreduce, scan or exscan.
/// @param Plan of all that are not done without one
template <operation What, auto Plan>
[[gnu::always_inline]] inline void reduce_for_all(const void *sendbuf, void *recvbuf, MPI_Count count,
                                                  const datatype &type, const op &reduction,
                                                  communicator &comm) {
    abi::check_reduction(comm, sendbuf, recvbuf, count, type);
    reduction.check(type);
    const void *const give = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    // The first that the selection takes: a scan by messages (which an allreduce never is), in the process,
    // as a pair.
    constexpr bool may_be_message = What != operation::allreduce;
    if (may_be_message && comm.size() == 2 &&
        reduce_between_two<What>(give, {recvbuf, count, type}, reduction, comm)) {
        return;
    }
    const MPI_Count bytes = count * type.size();
    in_process_collective *const shared = collective::in_process_for(comm, What, reduction, bytes, type);
    if (shared == nullptr) {
        if (may_be_message || comm.size() != 2 ||
            !reduce_between_two<What>(give, {recvbuf, count, type}, reduction, comm)) {
            abi::forms<Plan>::blocking(sendbuf, recvbuf, count, type, reduction, comm);
        }
        return;
    }
    compare_if_checked(comm, What, {recvbuf, count, type}, reduction);
    if (What != operation::allreduce && shared->scans_in_turn(type, bytes)) {
        shared->scan(comm, {.give = give,
                            .take = {recvbuf, count, type},
                            .bytes = bytes,
                            .operation = &reduction,
                            .exclusive = What == operation::exscan});
    } else {
        collective::reduce_in_process(
            comm, *shared, What, {.give = {give, count, type}, .take = {recvbuf, count, type}}, reduction);
    }
}

} // namespace

void barrier(communicator &comm) {
    if (in_process_collective *const shared = collective::in_process_for_barrier(comm)) {
        collective::barrier_in_process(comm, *shared);
    } else {
        abi::forms<abi::barrier_plan>::blocking(comm);
    }
}

void allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
               communicator &comm) {
    reduce_for_all<operation::allreduce, abi::allreduce_plan>(sendbuf, recvbuf, count, type, reduction, comm);
}

void scan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
          communicator &comm) {
    reduce_for_all<operation::scan, abi::scan_plan>(sendbuf, recvbuf, count, type, reduction, comm);
}

void exscan(const void *sendbuf, void *recvbuf, MPI_Count count, const datatype &type, const op &reduction,
            communicator &comm) {
    reduce_for_all<operation::exscan, abi::exscan_plan>(sendbuf, recvbuf, count, type, reduction, comm);
}

} // namespace lisle::api
