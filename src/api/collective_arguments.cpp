// SPDX-License-Identifier: Apache-2.0
#include "api/collective_arguments.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "collective/schedule/plan.hpp"
#include "collective/schedule/planning.hpp"
#include "datatype/predefined.hpp"

namespace lisle::abi {

namespace {

using namespace collective;

bool in_place(const void *address) noexcept {
    return address == MPI_IN_PLACE;
}

/// The buffer that a rank gives, or none for MPI_IN_PLACE.
own_buffer own(const void *address, MPI_Count count, const datatype &type) {
    return in_place(address) ? own_buffer{} : own_buffer{typed_buffer{address, count, type}};
}

// What the call uses is noted where that is asked for (LISLE_CHECK=2). Each returns what the call is to be
// given instead.

own_buffer read(const collective_call &on, const own_buffer &buffer) {
    return on.watched != nullptr && buffer ? own_buffer{on.watched->reads(*buffer)} : buffer;
}
own_buffer written(const collective_call &on, const own_buffer &buffer) {
    return on.watched != nullptr && buffer ? own_buffer{on.watched->writes(*buffer)} : buffer;
}
/// @param each the first of so many blocks, one after the other
typed_buffer read(const collective_call &on, const typed_buffer &each, int count) {
    if (on.watched != nullptr) {
        on.watched->reads(collective::whole(each, count));
    }
    return each;
}
typed_buffer written(const collective_call &on, const typed_buffer &each, int count) {
    return on.watched == nullptr ? each
                                 : typed_buffer{on.watched->writes(collective::whole(each, count)).address,
                                                each.count, *each.type};
}
std::vector<typed_buffer> listed(const block_view &blocks) {
    std::vector<typed_buffer> all;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        all.push_back(blocks[rank]);
    }
    return all;
}
void note_read(const collective_call &on, const block_view &blocks) {
    if (on.watched != nullptr) {
        on.watched->add(watched_memory::use::reads, listed(blocks));
    }
}
/// @param blocks of an array
block_view written(const collective_call &on, const block_view &blocks) {
    if (on.watched == nullptr || blocks.size() == 0) {
        return blocks;
    }
    const watched_memory &added = on.watched->add(watched_memory::use::writes, listed(blocks));
    return blocks.moved([&added](const void *address) { return added.instead_of(address); });
}
std::vector<typed_buffer> written(const collective_call &on, std::vector<typed_buffer> blocks) {
    if (on.watched != nullptr) {
        const watched_memory &added = on.watched->add(watched_memory::use::writes, blocks);
        for (typed_buffer &each : blocks) {
            each.address = added.instead_of(each.address);
        }
    }
    return blocks;
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

/// What a gather or a reduction writes: a block for each that gives one, or one in all.
typed_buffer written_at_root(const collective_call &on, const typed_buffer &each, int root, bool reduces) {
    const int blocks = reduces ? 1 : on.comm.peer_count();
    return is_root(on.comm, root) ? written(on, each, blocks) : each;
}

/// Notes the buffers of a reduction whose result is scattered. Returns the address of what is written.
const void *note_scattered(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count total,
                           MPI_Count own_count, const datatype &type) {
    if (in_place(sendbuf)) {
        return written(on, typed_buffer{recvbuf, total, type}, 1).address;
    }
    static_cast<void>(read(on, typed_buffer{sendbuf, total, type}, 1));
    return written(on, typed_buffer{recvbuf, own_count, type}, 1).address;
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
    const typed_buffer data{buffer, count, type};
    return plan_bcast(on, is_root(on.comm, root) ? read(on, data, 1) : written(on, data, 1), root);
}

schedule gather_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                     const datatype &sendtype, void *recvbuf, MPI_Count recvcount, const datatype &recvtype,
                     int root) {
    if (!is_root(on.comm, root)) {
        refuse_in_place(sendbuf, "sendbuf");
    } else if (!on.comm.inter()) {
        check_pair(on.comm, sendbuf, recvbuf, "recvbuf", recvcount > 0);
    }
    return plan_gather(on, read(on, own(sendbuf, sendcount, sendtype)),
                       written_at_root(on, {recvbuf, recvcount, recvtype}, root, false), root);
}

schedule gatherv_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                      const datatype &sendtype, void *recvbuf, count_list recvcounts, count_list displs,
                      const datatype &recvtype, int root) {
    const bool gives_all = is_root(on.comm, root);
    if (!gives_all) {
        refuse_in_place(sendbuf, "sendbuf");
    }
    const block_view places = gives_all ? blocks(recvbuf, recvcounts, displs, recvtype, on.comm.peer_count(),
                                                 "recvcounts", "displs")
                                        : block_view{};
    if (gives_all && !on.comm.inter()) {
        check_own_place(sendbuf, places[root]);
    }
    return plan_gatherv(on, read(on, own(sendbuf, sendcount, sendtype)), written(on, places), root);
}

schedule scatter_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                      const datatype &sendtype, void *recvbuf, MPI_Count recvcount, const datatype &recvtype,
                      int root) {
    if (!is_root(on.comm, root)) {
        refuse_in_place(recvbuf, "recvbuf");
    } else if (!on.comm.inter()) {
        check_pair(on.comm, recvbuf, sendbuf, "sendbuf", sendcount > 0);
    }
    const int given = is_root(on.comm, root) ? on.comm.peer_count() : 0;
    return plan_scatter(on, read(on, typed_buffer{sendbuf, sendcount, sendtype}, given),
                        written(on, own(recvbuf, recvcount, recvtype)), root);
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
    note_read(on, places);
    return plan_scatterv(on, places, written(on, own(recvbuf, recvcount, recvtype)), root);
}

schedule allgather_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                        const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                        const datatype &recvtype) {
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", recvcount > 0);
    if (!on.comm.inter()) {
        check_own_place(sendbuf,
                        collective::part({recvbuf, 0, recvtype}, on.comm.rank() * recvcount, recvcount));
    }
    return plan_allgather(on, read(on, own(sendbuf, sendcount, sendtype)),
                          written(on, typed_buffer{recvbuf, recvcount, recvtype}, on.comm.peer_count()));
}

schedule allgatherv_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                         const datatype &sendtype, void *recvbuf, count_list recvcounts, count_list displs,
                         const datatype &recvtype) {
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", sendcount > 0);
    const auto places =
        blocks(recvbuf, recvcounts, displs, recvtype, on.comm.peer_count(), "recvcounts", "displs");
    if (!on.comm.inter()) {
        check_own_place(sendbuf, places[on.comm.rank()]);
    }
    return plan_allgatherv(on, read(on, own(sendbuf, sendcount, sendtype)), written(on, places));
}

schedule alltoall_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                       const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                       const datatype &recvtype) {
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", recvcount > 0);
    const int peers = on.comm.peer_count();
    if (!in_place(sendbuf)) {
        static_cast<void>(read(on, typed_buffer{sendbuf, sendcount, sendtype}, peers));
    }
    return plan_alltoall(on, own(sendbuf, sendcount, sendtype),
                         written(on, typed_buffer{recvbuf, recvcount, recvtype}, peers));
}

schedule alltoallv_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                        count_list sdispls, const datatype &sendtype, void *recvbuf, count_list recvcounts,
                        count_list rdispls, const datatype &recvtype) {
    const int peers = on.comm.peer_count();
    const auto places = blocks(recvbuf, recvcounts, rdispls, recvtype, peers, "recvcounts", "rdispls");
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", any_data(places));
    if (in_place(sendbuf)) {
        return plan_alltoallv(on, {}, written(on, places));
    }
    const block_view given = blocks(sendbuf, sendcounts, sdispls, sendtype, peers, "sendcounts", "sdispls");
    note_read(on, given);
    return plan_alltoallv(on, given, written(on, places));
}

schedule alltoallw_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                        count_list sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                        count_list recvcounts, count_list rdispls, const MPI_Datatype *recvtypes) {
    const int peers = on.comm.peer_count();
    auto places =
        blocks(recvbuf, recvcounts, rdispls, recvtypes, peers, "recvcounts", "rdispls", "recvtypes");
    check_pair(on.comm, sendbuf, recvbuf, "recvbuf", any_data(places));
    places = written(on, std::move(places));
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
    return plan_reduce(on, gives ? read(on, mine) : mine,
                       written_at_root(on, {recvbuf, count, type}, root, true), operation, root);
}

schedule allreduce_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                        const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, count, type);
    return plan_allreduce(on, read(on, own(sendbuf, count, type)),
                          written(on, typed_buffer{recvbuf, count, type}, 1), operation);
}

schedule reduce_scatter_block_plan(const collective_call &on, const void *sendbuf, void *recvbuf,
                                   MPI_Count recvcount, const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, recvcount, type);
    const small_vector<MPI_Count, 8> counts(static_cast<std::size_t>(on.comm.size()), recvcount);
    const MPI_Count total = recvcount * on.comm.size();
    const void *const into = note_scattered(on, sendbuf, recvbuf, total, recvcount, type);
    return plan_reduce_scatter(on, own(sendbuf, 0, type), {into, recvcount, type}, counts, operation);
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
    const void *const into =
        note_scattered(on, sendbuf, recvbuf, total, counts[static_cast<std::size_t>(on.comm.rank())], type);
    return plan_reduce_scatter(on, own(sendbuf, 0, type), {into, 0, type}, counts, operation);
}

schedule scan_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                   const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, count, type);
    return plan_scan(on, read(on, own(sendbuf, count, type)),
                     written(on, typed_buffer{recvbuf, count, type}, 1), operation);
}

schedule exscan_plan(const collective_call &on, const void *sendbuf, void *recvbuf, MPI_Count count,
                     const datatype &type, const op &operation) {
    check_reduction(on.comm, sendbuf, recvbuf, count, type);
    const int taken = on.comm.rank() != 0 || in_place(sendbuf) ? 1 : 0; // the first rank gets nothing
    return plan_exscan(on, read(on, own(sendbuf, count, type)),
                       written(on, typed_buffer{recvbuf, count, type}, taken), operation);
}

} // namespace lisle::abi
