// SPDX-License-Identifier: Apache-2.0
// Each call makes the blocks that go out and come in, one for each edge.
#include "api/neighbour.hpp"

#include <vector>

#include "base/error.hpp"
#include "collective/algorithms/neighbour.hpp"
#include "collective/selection/planning.hpp"
#include "datatype/predefined.hpp"

namespace lisle::abi {

namespace {

using collective::collective_call;
using collective::part;
using collective::plan_neighbours;
using collective::schedule;
using blocks = std::vector<typed_buffer>;

struct degrees {
    std::size_t in;
    std::size_t out;
};

degrees degrees_of(const communicator &comm) {
    if (comm.shape == nullptr) {
        fail(MPI_ERR_TOPOLOGY, comm.label(), " has no topology, so there are no neighbours");
    }
    const neighbourhood near = neighbourhood_of(*comm.shape, comm.rank());
    return {near.sources.size(), near.destinations.size()};
}

/// A buffer of `count` elements: a null address makes sense with a type of addresses only.
typed_buffer checked(const void *address, MPI_Count count, const datatype &type, const char *argument) {
    if (address == MPI_IN_PLACE) {
        fail(MPI_ERR_BUFFER, argument, " is MPI_IN_PLACE, which neighborhood collectives do not allow");
    }
    if (address == MPI_BOTTOM && count > 0 && type.predefined()) {
        fail(MPI_ERR_BUFFER, argument, " is a null pointer, but there are ", count, " elements");
    }
    return {address, count, type};
}

void check_list(const void *list, std::size_t length, const char *argument, int error = MPI_ERR_ARG) {
    if (list == nullptr && length > 0) {
        fail(error, argument, " is a null pointer");
    }
}

void check_list(count_list list, std::size_t length, const char *argument) {
    if (list.null() && length > 0) {
        fail(MPI_ERR_ARG, argument, " is a null pointer");
    }
}

MPI_Count count_at(count_list counts, std::size_t index, const char *argument) {
    if (counts[index] < 0) {
        fail(MPI_ERR_COUNT, argument, '[', index, "] is ", counts[index], ", which is negative");
    }
    return counts[index];
}

/// The parameters' names, for sentences.
struct names {
    const char *buffer;
    const char *counts;
    const char *displacements;
    const char *types;
};
constexpr names sending{"sendbuf", "sendcounts", "sdispls", "sendtypes"};
constexpr names receiving{"recvbuf", "recvcounts", "rdispls", "recvtypes"};

/// One block after the other.
blocks equal(const typed_buffer &first, std::size_t count) {
    blocks made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(part(first, static_cast<MPI_Count>(i) * first.count, first.count));
    }
    return made;
}

/// Displaced by multiples of the type's extent.
blocks displaced(const void *address, count_list counts, count_list displacements, const datatype &type,
                 std::size_t count, const names &named) {
    check_list(counts, count, named.counts);
    check_list(displacements, count, named.displacements);
    blocks made;
    for (std::size_t i = 0; i < count; ++i) {
        const typed_buffer block = checked(address, count_at(counts, i, named.counts), type, named.buffer);
        made.push_back(part(block, displacements[i], block.count));
    }
    return made;
}

/// Of a type each, displaced by bytes.
blocks displaced(const void *address, count_list counts, const MPI_Aint *displacements,
                 const MPI_Datatype *types, std::size_t count, const names &named) {
    check_list(counts, count, named.counts);
    check_list(displacements, count, named.displacements);
    check_list(types, count, named.types, MPI_ERR_TYPE);
    const typed_buffer origin{address, 0, byte_type()};
    blocks made;
    for (std::size_t i = 0; i < count; ++i) {
        const datatype *const type = find_datatype(types[i]);
        if (type == nullptr || !type->committed()) {
            fail(MPI_ERR_TYPE, named.types, '[', i, "] is ",
                 type == nullptr ? "no datatype" : "a datatype that was not committed");
        }
        const MPI_Count elements = count_at(counts, i, named.counts);
        checked(address, 0, *type, named.buffer);
        made.emplace_back(part(origin, displacements[i], 0).address, elements, *type);
    }
    return made;
}

/// Notes what the call uses, if that is asked for (LISLE_CHECK=2), and plans.
/// @param name of the call, without MPI_
schedule plan(const collective_call &on, const char *name, const blocks &out, blocks in) {
    if (on.watched != nullptr) {
        on.watched->add(watched_memory::use::reads, out);
        const watched_memory &written = on.watched->add(watched_memory::use::writes, in);
        for (typed_buffer &each : in) {
            each.address = written.instead_of(each.address);
        }
    }
    schedule made = plan_neighbours(on.comm, out, in);
    if (collective::comparing()) [[unlikely]] {
        constexpr auto unsaid = collective::call_signature::unsaid;
        describe_call(made, on, name, unsaid, unsaid, nullptr);
    }
    return made;
}

} // namespace

schedule neighbor_allgather_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                                 const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                                 const datatype &recvtype) {
    const degrees edges = degrees_of(on.comm);
    return plan(on, "Neighbor_allgather", blocks(edges.out, checked(sendbuf, sendcount, sendtype, "sendbuf")),
                equal(checked(recvbuf, recvcount, recvtype, "recvbuf"), edges.in));
}

schedule neighbor_allgatherv_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                                  const datatype &sendtype, void *recvbuf, count_list recvcounts,
                                  count_list displs, const datatype &recvtype) {
    const degrees edges = degrees_of(on.comm);
    return plan(
        on, "Neighbor_allgatherv", blocks(edges.out, checked(sendbuf, sendcount, sendtype, "sendbuf")),
        displaced(recvbuf, recvcounts, displs, recvtype, edges.in, {"recvbuf", "recvcounts", "displs", ""}));
}

schedule neighbor_alltoall_plan(const collective_call &on, const void *sendbuf, MPI_Count sendcount,
                                const datatype &sendtype, void *recvbuf, MPI_Count recvcount,
                                const datatype &recvtype) {
    const degrees edges = degrees_of(on.comm);
    return plan(on, "Neighbor_alltoall", equal(checked(sendbuf, sendcount, sendtype, "sendbuf"), edges.out),
                equal(checked(recvbuf, recvcount, recvtype, "recvbuf"), edges.in));
}

schedule neighbor_alltoallv_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                                 count_list sdispls, const datatype &sendtype, void *recvbuf,
                                 count_list recvcounts, count_list rdispls, const datatype &recvtype) {
    const degrees edges = degrees_of(on.comm);
    return plan(on, "Neighbor_alltoallv",
                displaced(sendbuf, sendcounts, sdispls, sendtype, edges.out, sending),
                displaced(recvbuf, recvcounts, rdispls, recvtype, edges.in, receiving));
}

schedule neighbor_alltoallw_plan(const collective_call &on, const void *sendbuf, count_list sendcounts,
                                 const MPI_Aint *sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                                 count_list recvcounts, const MPI_Aint *rdispls,
                                 const MPI_Datatype *recvtypes) {
    const degrees edges = degrees_of(on.comm);
    return plan(on, "Neighbor_alltoallw",
                displaced(sendbuf, sendcounts, sdispls, sendtypes, edges.out, sending),
                displaced(recvbuf, recvcounts, rdispls, recvtypes, edges.in, receiving));
}

} // namespace lisle::abi
