// SPDX-License-Identifier: Apache-2.0
#include "api/collective_arguments.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "collective/selection/plan.hpp"
#include "datatype/predefined.hpp"

namespace lisle::abi {

namespace {

using namespace collective;

bool in_place(const void *address) noexcept {
    return address == MPI_IN_PLACE;
}

/// The buffer that a rank gives, or none for MPI_IN_PLACE.
own_buffer own(const void *address, MPI_Count count, const datatype &type) {
    own_buffer found;
    if (!in_place(address)) {
        found.emplace(address, count, type);
    }
    return found;
}

// What the call uses is noted where that is asked for (LISLE_CHECK=2). What it writes may have to be written
// elsewhere: such a buffer is changed where it stands, since a copy of what was written only just now makes
// the processor wait.

std::vector<typed_buffer> listed(const block_view &blocks) {
    std::vector<typed_buffer> all;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        all.push_back(blocks[rank]);
    }
    return all;
}
/// @param each the first of so many blocks, one after the other
void note_read(const collective_call &on, const typed_buffer &each, int count) {
    if (on.watched != nullptr) [[unlikely]] {
        on.watched->reads(collective::whole({each, count}));
    }
}
void note_read(const collective_call &on, const own_buffer &buffer) {
    if (buffer) {
        note_read(on, *buffer, 1);
    }
}
void note_read(const collective_call &on, const block_view &blocks) {
    if (on.watched != nullptr) [[unlikely]] {
        on.watched->add(watched_memory::use::reads, listed(blocks));
    }
}
void note_written(const collective_call &on, typed_buffer &each, int count) {
    if (on.watched != nullptr) [[unlikely]] {
        each.address = on.watched->writes(collective::whole({each, count})).address;
    }
}
void note_written(const collective_call &on, own_buffer &buffer) {
    if (buffer) {
        note_written(on, *buffer, 1);
    }
}
/// @param blocks of an array
void note_written(const collective_call &on, block_view &blocks) {
    if (on.watched != nullptr && blocks.size() != 0) [[unlikely]] {
        const watched_memory &added = on.watched->add(watched_memory::use::writes, listed(blocks));
        blocks = blocks.moved([&added](const void *address) { return added.instead_of(address); });
    }
}
void note_written(const collective_call &on, std::vector<typed_buffer> &blocks) {
    if (on.watched != nullptr) {
        const watched_memory &added = on.watched->add(watched_memory::use::writes, blocks);
        for (typed_buffer &each : blocks) {
            each.address = added.instead_of(each.address);
        }
    }
}

void refuse_in_place(const void *address, const char *argument) {
    if (in_place(address)) {
        fail(MPI_ERR_BUFFER, argument, " is MPI_IN_PLACE, which this call does not allow there");
    }
}

/// MPI_IN_PLACE is for intra-communicators, and for the first of the two buffers; the two are not one,
/// unless there are no data.
void check_pair(const communicator &comm, const void *first, const void *second, const char *second_name,
                bool data) {
    refuse_in_place(second, second_name);
    if (in_place(first)) {
        if (comm.inter()) {
            fail(MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed on an inter-communicator");
        }
    } else if (data && first == second && first != MPI_BOTTOM) {
        fail(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same (", first, "): say MPI_IN_PLACE instead");
    }
}

/// What a rank gives to itself does not lie where it gets it.
void check_own_place(const void *given, const typed_buffer &place) {
    if (given == place.address && place.bytes() > 0 && given != MPI_BOTTOM) {
        fail(MPI_ERR_BUFFER, "what this rank gives lies where it gets it (", given,
             "): say MPI_IN_PLACE instead");
    }
}

bool any_data(const block_view &blocks) {
    int rank = 0;
    while (rank < blocks.size() && blocks[rank].bytes() == 0) {
        ++rank;
    }
    return rank < blocks.size();
}

/// Buffers of reductions: a null address makes sense with no elements or with a type of addresses.
void check_address(const void *address, MPI_Count count, const datatype &type, const char *argument) {
    if (address == MPI_BOTTOM && count > 0 && type.predefined()) {
        fail(MPI_ERR_BUFFER, argument, " is a null pointer, but there are ", count, " elements");
    }
}

void check_list(count_list list, const char *argument) {
    if (list.null()) {
        fail(MPI_ERR_ARG, argument, " is a null pointer");
    }
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_negative(MPI_Count count, int rank, const char *argument) {
    fail(MPI_ERR_COUNT, argument, '[', rank, "] is ", count, ", which is negative");
}

inline MPI_Count count_at(count_list counts, int rank, const char *argument) {
    const MPI_Count count = counts[rank];
    if (count < 0) [[unlikely]] {
        refuse_negative(count, rank, argument);
    }
    return count;
}

/// Blocks of one type, displaced by multiples of its extent.
block_view blocks(const void *address, count_list counts, count_list displacements, const datatype &type,
                  int ranks, const char *counts_name, const char *displacements_name) {
    check_list(counts, counts_name);
    check_list(displacements, displacements_name);
    const MPI_Count most = counts.with_array([&](const auto *array) { // much of a short call's time
        MPI_Count found = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            if (array[rank] < 0) [[unlikely]] {
                refuse_negative(array[rank], rank, counts_name);
            }
            found = std::max<MPI_Count>(found, array[rank]);
        }
        return found;
    });
    check_address(address, most, type, "the buffer");
    return {{address, 0, type}, counts, displacements, ranks};
}

/// Blocks of a type each, displaced by bytes.
std::vector<typed_buffer> blocks(const void *address, count_list counts, count_list displacements,
                                 const MPI_Datatype *types, int ranks, const char *counts_name,
                                 const char *displacements_name, const char *types_name) {
    check_list(counts, counts_name);
    check_list(displacements, displacements_name);
    if (types == nullptr) {
        fail(MPI_ERR_TYPE, types_name, " is a null pointer");
    }
    const typed_buffer origin{address, 0, byte_type()};
    std::vector<typed_buffer> found;
    found.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        const MPI_Count count = count_at(counts, rank, counts_name);
        const datatype *const type = find_datatype(types[rank]);
        if (type == nullptr || !type->committed()) {
            fail(MPI_ERR_TYPE, types_name, '[', rank, "] is ",
                 type == nullptr ? "no datatype" : "a datatype that was not committed");
        }
        const typed_buffer place = collective::part(origin, displacements[rank], 0);
        found.emplace_back(place.address, count, *type);
    }
    return found;
}

bool is_root(const communicator &comm, int root) noexcept {
    return comm.inter() ? root == MPI_ROOT : root == comm.rank();
}

/// Notes what a gather or a reduction writes: a block for each that gives one, or one in all.
void note_written_at_root(const collective_call &on, typed_buffer &each, int root, bool reduces) {
    if (is_root(on.comm, root)) {
        note_written(on, each, reduces ? 1 : on.comm.peer_count());
    }
}

/// Notes the buffers of a reduction whose result is scattered.
/// @param total what all ranks get @param piece where this one gets its part
void note_scattered(const collective_call &on, const void *sendbuf, MPI_Count total, typed_buffer &piece) {
    if (on.watched == nullptr) [[likely]] {
        return;
    }
    if (in_place(sendbuf)) {
        typed_buffer all{piece.address, total, *piece.type};
        note_written(on, all, 1);
        piece.address = all.address;
    } else {
        note_read(on, typed_buffer{sendbuf, total, *piece.type}, 1);
        note_written(on, piece, 1);
    }
}

} // namespace

void check_reduction_further(const communicator &comm, const void *sendbuf, const void *recvbuf,
                             MPI_Count count, const datatype &type) {
    check_pair(comm, sendbuf, recvbuf, "recvbuf", count > 0);
    check_address(sendbuf, count, type, "sendbuf");
    check_address(recvbuf, count, type, "recvbuf");
}

schedule barrier_plan(const collective_call &on) {
    return plan_barrier(on);
}

schedule bcast_plan(const collective_call &on, void *buffer, MPI_Count count, const datatype &type,
                    int root) {
    refuse_in_place(buffer, "buffer");
    typed_buffer data{buffer, count, type};
    if (is_root(on.comm, root)) {
        note_read(on, data, 1);
    } else {
        note_written(on, data, 1);
    }
    return plan_bcast(on, data, root);
}

schedule gather_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                     const datatype &sendtype, void *recvbuf, MPI_Count recvcount, const datatype &recvtype,
                     int root) {
    if (!is_root(on.comm, root)) {
        refuse_in_place(sendbuf, "sendbuf");
    } else if (!on.comm.inter()) {
        check_pair(on.comm, sendbuf, recvbuf, "recvbuf", recvcount > 0);
    }
    const own_buffer given = own(sendbuf, sendcount, sendtype);
    typed_buffer each{recvbuf, recvcount, recvtype};
    note_read(on, given);
    note_written_at_root(on, each, root, false);
    return plan_gather(on, given, each, root);
}

schedule gatherv_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                      const datatype &sendtype, void *recvbuf, count_list recvcounts, count_list displs,
                      const datatype &recvtype, int root) {
    const bool gives_all = is_root(on.comm, root);
    if (!gives_all) {
        refuse_in_place(sendbuf, "sendbuf");
    }
    block_view places = gives_all ? blocks(recvbuf, recvcounts, displs, recvtype, on.comm.peer_count(),
                                           "recvcounts", "displs")
                                  : block_view{};
    if (gives_all && !on.comm.inter()) {
        check_own_place(sendbuf, places[root]);
    }
    const own_buffer given = own(sendbuf, sendcount, sendtype);
    note_read(on, given);
    note_written(on, places);
    return plan_gatherv(on, given, places, root);
}

schedule scatter_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                      const datatype &sendtype, void *recvbuf, MPI_Count recvcount, const datatype &recvtype,
                      int root) {
    if (!is_root(on.comm, root)) {
        refuse_in_place(recvbuf, "recvbuf");
    } else if (!on.comm.inter()) {
        check_pair(on.comm, recvbuf, sendbuf, "sendbuf", sendcount > 0);
    }
    const typed_buffer each{sendbuf, sendcount, sendtype};
    own_buffer taken = own(recvbuf, recvcount, recvtype);
    note_read(on, each, is_root(on.comm, root) ? on.comm.peer_count() : 0);
    note_written(on, taken);
    return plan_scatter(on, each, taken, root);
}

schedule scatterv_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                       count_list displs, const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                       const datatype &recvtype, int root) {
    const bool gives_all = is_root(on.comm, root);
    if (!gives_all) {
        refuse_in_place(recvbuf, "recvbuf");
    }
    const block_view places = gives_all ? blocks(sendbuf, sendcounts, displs, sendtype, on.comm.peer_count(),
                                                 "sendcounts", "displs")
                                        : block_view{};
    if (gives_all && !on.comm.inter()) {
        check_own_place(recvbuf, places[root]);
    }
    own_buffer taken = own(recvbuf, recvcount, recvtype);
    note_read(on, places);
    note_written(on, taken);
    return plan_scatterv(on, places, taken, root);
}

schedule allgather_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                        const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                        const datatype &recvtype) {
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", recvcount > 0);
    if (!on.comm.inter()) {
        check_own_place(sendbuf,
                        collective::part({recvbuf, 0, recvtype}, on.comm.rank() * recvcount, recvcount));
    }
    const own_buffer given = own(sendbuf, sendcount, sendtype);
    typed_buffer each{recvbuf, recvcount, recvtype};
    note_read(on, given);
    note_written(on, each, on.comm.peer_count());
    return plan_allgather(on, given, each);
}

schedule allgatherv_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                         const datatype &sendtype, void *recvbuf, count_list recvcounts, count_list displs,
                         const datatype &recvtype) {
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", sendcount > 0);
    block_view places =
        blocks(recvbuf, recvcounts, displs, recvtype, on.comm.peer_count(), "recvcounts", "displs");
    if (!on.comm.inter()) {
        check_own_place(sendbuf, places[on.comm.rank()]);
    }
    const own_buffer given = own(sendbuf, sendcount, sendtype);
    note_read(on, given);
    note_written(on, places);
    return plan_allgatherv(on, given, places);
}

schedule alltoall_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                       const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                       const datatype &recvtype) {
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", recvcount > 0);
    const int peers = on.comm.peer_count();
    const own_buffer given = own(sendbuf, sendcount, sendtype);
    typed_buffer each{recvbuf, recvcount, recvtype};
    if (given) {
        note_read(on, *given, peers);
    }
    note_written(on, each, peers);
    return plan_alltoall(on, given, each);
}

schedule alltoallv_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                        count_list sdispls, const datatype &sendtype, void *recvbuf, count_list recvcounts,
                        count_list rdispls, const datatype &recvtype) {
    const int peers = on.comm.peer_count();
    block_view places = blocks(recvbuf, recvcounts, rdispls, recvtype, peers, "recvcounts", "rdispls");
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", any_data(places));
    note_written(on, places);
    if (in_place(sendbuf)) {
        return plan_alltoallv(on, {}, places);
    }
    const block_view given = blocks(sendbuf, sendcounts, sdispls, sendtype, peers, "sendcounts", "sdispls");
    note_read(on, given);
    return plan_alltoallv(on, given, places);
}

schedule alltoallw_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                        count_list sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                        count_list recvcounts, count_list rdispls, const MPI_Datatype *recvtypes) {
    const int peers = on.comm.peer_count();
    auto places =
        blocks(recvbuf, recvcounts, rdispls, recvtypes, peers, "recvcounts", "rdispls", "recvtypes");
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", any_data(places));
    note_written(on, places);
    if (in_place(sendbuf)) {
        return plan_alltoallv(on, {}, places);
    }
    const auto given =
        blocks(sendbuf, sendcounts, sdispls, sendtypes, peers, "sendcounts", "sdispls", "sendtypes");
    note_read(on, given);
    return plan_alltoallv(on, block_view{given}, places);
}

schedule reduce_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                     const datatype &type, const op &operation, int root) {
    if (is_root(on.comm, root)) {
        if (on.comm.inter()) {
            check_address(recvbuf, count, type, "recvbuf");
        } else {
            check_reduction(on.comm, sendbuf, recvbuf, count, type);
        }
    } else if (root != MPI_PROC_NULL) {
        refuse_in_place(sendbuf, "sendbuf");
        check_address(sendbuf, count, type, "sendbuf");
    } else {
        // In the root's group, but not the root: count, type and operation mean nothing.
        return plan_no_part(on, "Reduce");
    }
    const bool gives = !on.comm.inter() || !is_root(on.comm, root);
    const own_buffer mine = own(sendbuf, count, type);
    typed_buffer result{recvbuf, count, type};
    if (gives) {
        note_read(on, mine);
    }
    note_written_at_root(on, result, root, true);
    return plan_reduce(on, mine, result, operation, root);
}

schedule allreduce_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                        const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, count, type);
    const own_buffer given = own(sendbuf, count, type);
    typed_buffer result{recvbuf, count, type};
    note_read(on, given);
    note_written(on, result, 1);
    return plan_allreduce(on, given, result, operation);
}

schedule reduce_scatter_block_plan(const collective_call &on, const void *sendbuf, void *recvbuf,
                                   MPI_Count recvcount, const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, recvcount, type);
    const small_vector<MPI_Count, 8> counts(static_cast<std::size_t>(on.comm.size()), recvcount);
    typed_buffer piece{recvbuf, recvcount, type};
    note_scattered(on, sendbuf, recvcount * on.comm.size(), piece);
    return plan_reduce_scatter(on, own(sendbuf, 0, type), piece, counts, operation);
}

schedule reduce_scatter_plan(const collective_call &on, const void *sendbuf, void *recvbuf,
                             count_list recvcounts, const datatype &type, const op &operation) {
    check_list(recvcounts, "recvcounts");
    std::vector<MPI_Count> counts;
    MPI_Count total = 0;
    for (int rank = 0; rank < on.comm.size(); ++rank) {
        counts.push_back(count_at(recvcounts, rank, "recvcounts"));
        total += counts.back();
    }
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", total > 0);
    check_address(sendbuf, total, type, "sendbuf");
    check_address(recvbuf, counts[static_cast<std::size_t>(on.comm.rank())], type, "recvbuf");
    typed_buffer piece{recvbuf, counts[static_cast<std::size_t>(on.comm.rank())], type};
    note_scattered(on, sendbuf, total, piece);
    return plan_reduce_scatter(on, own(sendbuf, 0, type), piece, counts, operation);
}

schedule scan_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                   const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, count, type);
    const own_buffer given = own(sendbuf, count, type);
    typed_buffer result{recvbuf, count, type};
    note_read(on, given);
    note_written(on, result, 1);
    return plan_scan(on, given, result, operation);
}

schedule exscan_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                     const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, count, type);
    const int taken = on.comm.rank() != 0 || in_place(sendbuf) ? 1 : 0; // the first rank gets nothing
    const own_buffer given = own(sendbuf, count, type);
    typed_buffer result{recvbuf, count, type};
    note_read(on, given);
    note_written(on, result, taken);
    return plan_exscan(on, given, result, operation);
}

} // namespace lisle::abi
