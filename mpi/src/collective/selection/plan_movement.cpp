// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collective/selection/planning.hpp"

namespace lisle::collective {

namespace {

/// What is for, or from, the other one of two ranks; of more ranks nothing that all of them know.
MPI_Count bytes_of_other(const collective_call &call, const block_view &blocks) noexcept {
    return call.comm.size() == 2 && blocks.size() == 2 ? blocks[1 - call.comm.rank()].bytes() : 0;
}

/// A block of an array.
typed_buffer block_of(const typed_buffer &block, int rank) noexcept {
    return part(block, rank * block.count, block.count);
}

/// The first block with data, whose type is that of all; null: there is none.
std::optional<typed_buffer> first_with_data(const block_view &blocks) noexcept {
    for (int rank = 0; rank < blocks.size(); ++rank) {
        if (blocks[rank].bytes() > 0) {
            return blocks[rank];
        }
    }
    return std::nullopt;
}

/// Says of what type the data is that goes from or to a root, and what the root has for itself. A rank
/// without data may name any type.
[[gnu::cold]] void describe_blocks(schedule &plan, const collective_call &call, operation what,
                                   const typed_buffer &mine, const block_view &blocks, int root) {
    const bool at_root = call.comm.rank() == root;
    const auto all = at_root ? first_with_data(blocks) : std::nullopt;
    const typed_buffer *const one = mine.bytes() > 0 ? &mine : nullptr;
    const bool gathers = what == operation::gatherv;
    describe_data(plan, call, gathers ? one : all ? &*all : nullptr, gathers ? all ? &*all : nullptr : one);
    if (at_root) {
        describe_own_block(plan, call, gathers ? mine : blocks[root], gathers ? blocks[root] : mine);
    }
}

/// A collective from or to a root where ranks do not know each other's sizes.
/// @param mine what the calling rank gives or gets @param blocks those of all, at the root
void carry_out_unknown(schedule &plan, const collective_call &call, operation what, const typed_buffer &mine,
                       const block_view &blocks, const operands &data) {
    MPI_Count for_other = 0;
    if (!call.comm.inter()) {
        if (comparing()) [[unlikely]] {
            describe_blocks(plan, call, what, mine, blocks, data.root);
        }
        for_other = call.comm.rank() == data.root ? bytes_of_other(call, blocks)
                    : call.comm.size() == 2       ? mine.bytes()
                                                  : 0;
    }
    carry_out(plan, call, what, of_blocks(for_other, for_other), data);
}

} // namespace

schedule plan_barrier(const collective_call &call) {
    if (comparing() && call.how == form::blocking && !call.comm.inter()) {
        static const call_signature same = signature_of(form::blocking, "Barrier");
        compare_calls(call.comm, same); // after that all have called
        schedule done;
        done.note_done();
        return done;
    }
    static constexpr operands none{};
    schedule plan = plan_of(call, "Barrier", call_signature::unsaid, 0);
    carry_out(plan, call, operation::barrier, {}, none);
    return plan;
}

schedule plan_bcast(const collective_call &call, const typed_buffer &buffer, int root) {
    const MPI_Count bytes = buffer.bytes();
    schedule plan = plan_of(call, "Bcast", root, bytes, &buffer);
    carry_out(plan, call, operation::bcast, of_blocks(bytes, bytes), {.receive = &buffer, .root = root});
    return plan;
}

schedule plan_gather(const collective_call &call, const own_buffer &own, const typed_buffer &block,
                     int root) {
    const communicator &comm = call.comm;
    if (comm.inter()) {
        return plan_gatherv(call, own, root == MPI_ROOT ? block_view{block, comm.peer_count()} : block_view{},
                            root);
    }
    const bool at_root = comm.rank() == root;
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    schedule plan = plan_of(call, "Gather", root, bytes, own ? &*own : nullptr, at_root ? &block : nullptr);
    const block_view blocks{block, comm.size()};
    carry_out(plan, call, operation::gather, of_blocks(bytes, bytes),
              {.send = &mine, .take = at_root ? &blocks : &no_blocks, .root = root});
    return plan;
}

schedule plan_gatherv(const collective_call &call, const own_buffer &own, const block_view &blocks,
                      int root) {
    schedule plan = plan_of(call, "Gatherv", root, call_signature::unsaid);
    const typed_buffer mine = own ? *own : call.comm.inter() ? nothing() : blocks[root];
    carry_out_unknown(plan, call, operation::gatherv, mine, blocks,
                      {.send = &mine, .take = &blocks, .root = root});
    return plan;
}

schedule plan_scatter(const collective_call &call, const typed_buffer &block, const own_buffer &own,
                      int root) {
    const communicator &comm = call.comm;
    if (comm.inter()) {
        return plan_scatterv(call, root == MPI_ROOT ? block_view{block, comm.peer_count()} : block_view{},
                             own, root);
    }
    const bool at_root = comm.rank() == root;
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const MPI_Count bytes = at_root ? block.bytes() : mine.bytes();
    schedule plan = plan_of(call, "Scatter", root, bytes, at_root ? &block : nullptr, own ? &*own : nullptr);
    const block_view blocks{block, comm.size()};
    carry_out(plan, call, operation::scatter, of_blocks(bytes, (comm.size() - 1) * bytes),
              {.receive = &mine, .give = at_root ? &blocks : &no_blocks, .root = root});
    return plan;
}

schedule plan_scatterv(const collective_call &call, const block_view &blocks, const own_buffer &own,
                       int root) {
    schedule plan = plan_of(call, "Scatterv", root, call_signature::unsaid);
    const typed_buffer mine = own ? *own : call.comm.inter() ? nothing() : blocks[root];
    carry_out_unknown(plan, call, operation::scatterv, mine, blocks,
                      {.receive = &mine, .give = &blocks, .root = root});
    return plan;
}

schedule plan_allgather(const collective_call &call, const own_buffer &own, const typed_buffer &block) {
    const communicator &comm = call.comm;
    if (comm.inter()) {
        return plan_allgatherv(call, own, {block, comm.peer_count()});
    }
    const MPI_Count bytes = block.bytes();
    schedule plan = plan_of(call, "Allgather", call_signature::unsaid, bytes, own ? &*own : nullptr, &block);
    const typed_buffer mine = own ? *own : block_of(block, comm.rank());
    const block_view blocks{block, comm.size()};
    carry_out(plan, call, operation::allgather, of_blocks(bytes, bytes), {.send = &mine, .take = &blocks});
    return plan;
}

namespace {

/// All blocks of one type, as a number of elements: what every rank has at the end.
typed_buffer all_elements(const block_view &blocks) {
    typed_buffer all = blocks[0];
    for (int rank = 1; rank < blocks.size(); ++rank) {
        all.count += blocks[rank].count;
    }
    return all;
}

/// What a rank says of the elements that it gives to an allgatherv, or of those that it gets.
schedule describe_allgatherv(const collective_call &call, const own_buffer &own, const block_view &blocks) {
    if (call.comm.inter()) {
        return plan_of(call, "Allgatherv", call_signature::unsaid, call_signature::unsaid);
    }
    const typed_buffer all = all_elements(blocks);
    schedule plan = plan_of(call, "Allgatherv", call_signature::unsaid, all.bytes());
    describe_claims(plan, call, own && own->bytes() > 0 ? claim_of(*own, data_claim::unsaid) : data_claim{},
                    claim_of(all, all.bytes()));
    if (own) {
        describe_own_block(plan, call, *own, blocks[call.comm.rank()]);
    }
    return plan;
}

} // namespace

schedule plan_allgatherv(const collective_call &call, const own_buffer &own, const block_view &blocks) {
    schedule plan = comparing() ? describe_allgatherv(call, own, blocks) : schedule{};
    MPI_Count longest = 0;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        longest = std::max(longest, blocks[rank].bytes());
    }
    const typed_buffer mine = own ? *own : call.comm.inter() ? nothing() : blocks[call.comm.rank()];
    carry_out(plan, call, operation::allgatherv, of_blocks(longest, longest),
              {.send = &mine, .take = &blocks});
    return plan;
}

schedule plan_alltoall(const collective_call &call, const own_buffer &send, const typed_buffer &receive) {
    const int peers = call.comm.peer_count();
    const MPI_Count bytes = receive.bytes();
    schedule plan =
        plan_of(call, "Alltoall", call_signature::unsaid, bytes, send ? &*send : nullptr, &receive);
    const block_view given = send ? block_view{*send, peers} : block_view{};
    const block_view taken{receive, peers};
    carry_out(plan, call, operation::alltoall, of_blocks(bytes, (peers - 1) * bytes),
              {.give = &given, .take = &taken});
    return plan;
}

schedule plan_alltoallv(const collective_call &call, const std::optional<block_view> &send,
                        const block_view &receive) {
    schedule plan = plan_of(call, "Alltoallv or Alltoallw", call_signature::unsaid, call_signature::unsaid);
    if (comparing() && send && !call.comm.inter()) [[unlikely]] {
        describe_own_block(plan, call, (*send)[call.comm.rank()], receive[call.comm.rank()]);
    }
    const MPI_Count for_other =
        std::max(bytes_of_other(call, send.value_or(receive)), bytes_of_other(call, receive));
    carry_out(plan, call, operation::alltoallv, of_blocks(for_other, for_other),
              {.give = send ? &*send : &no_blocks, .take = &receive});
    return plan;
}

} // namespace lisle::collective
