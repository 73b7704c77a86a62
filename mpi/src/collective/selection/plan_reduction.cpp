// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "collective/selection/planning.hpp"

namespace lisle::collective {

schedule plan_no_part(const collective_call &call, const char *name) {
    return plan_of(call, name, MPI_PROC_NULL, call_signature::unsaid);
}

namespace {

/// A reduction of vectors of one length. @param send none: MPI_IN_PLACE
[[gnu::always_inline]] inline schedule plan_of_vectors(const collective_call &call, collective_operation what,
                                                       const char *name, const own_buffer &send,
                                                       const typed_buffer &receive, const op &operation,
                                                       std::int64_t root = call_signature::unsaid) {
    operation.check(*receive.type);
    schedule plan;
    if (comparing()) [[unlikely]] {
        describe_call(plan, call, name, root, receive.bytes(), &operation, &receive);
    }
    carry_out(plan, call, what, of_vector(operation, receive),
              {.send = send ? &*send : &receive,
               .receive = &receive,
               .reduction = &operation,
               .root = static_cast<int>(root)});
    return plan;
}

} // namespace

schedule plan_reduce(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                     const op &operation, int root) {
    return plan_of_vectors(call, collective_operation::reduce, "Reduce", send, receive, operation, root);
}

schedule plan_allreduce(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                        const op &operation) {
    return plan_of_vectors(call, collective_operation::allreduce, "Allreduce", send, receive, operation);
}

schedule plan_scan(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                   const op &operation) {
    return plan_of_vectors(call, collective_operation::scan, "Scan", send, receive, operation);
}

schedule plan_exscan(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                     const op &operation) {
    return plan_of_vectors(call, collective_operation::exscan, "Exscan", send, receive, operation);
}

schedule plan_reduce_scatter(const collective_call &call, const own_buffer &send, const typed_buffer &receive,
                             std::span<const MPI_Count> counts, const op &operation) {
    operation.check(*receive.type);
    const auto rank = static_cast<std::size_t>(call.comm.rank());
    const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
    const typed_buffer vector{send ? send->address : receive.address, total, *receive.type};
    const typed_buffer piece{receive.address, counts[rank], *receive.type};
    schedule plan;
    if (comparing()) [[unlikely]] {
        describe_call(plan, call, "Reduce_scatter", call_signature::unsaid, vector.bytes(), &operation,
                      &vector);
        describe_counts(plan, counts);
    }
    carry_out(plan, call, collective_operation::reduce_scatter, of_vector(operation, vector),
              {.send = &vector, .receive = &piece, .reduction = &operation, .counts = counts});
    return plan;
}

} // namespace lisle::collective
