// SPDX-License-Identifier: Apache-2.0
// Every neighbourhood collective in every form, small and large count, on all three sorts of topology:
// what arrives names its sender, the sender's edge and the element, so any mix-up shows.
#include "check.hpp"

#include <functional>
#include <random>
#include <vector>

namespace {

/// Whom a rank hears from and tells; edges[i] is the sender's number of the edge that ends at source i.
struct hood {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = -1;
    std::vector<int> sources;
    std::vector<int> edges;
    std::vector<int> destinations;
    [[nodiscard]] std::size_t in() const { return sources.size(); }
    [[nodiscard]] std::size_t out() const { return destinations.size(); }
};

int value(int sender, int edge, int element) {
    return sender * 10000 + edge * 100 + element;
}

enum class form { blocking, non_blocking, persistent };
constexpr form forms[] = {form::blocking, form::non_blocking, form::persistent};

/// Completes what a call of this form began.
void complete(form how, MPI_Request &request) {
    if (how == form::non_blocking)
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (how == form::persistent) {
        for (int round = 0; round < 3; ++round) {
            CHECK_MPI(MPI_Start(&request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK_MPI(MPI_Request_free(&request));
    }
}

constexpr int length = 3;

void gathers(const hood &near, form how) {
    std::vector<int> mine(length);
    for (int i = 0; i < length; ++i)
        mine[static_cast<std::size_t>(i)] = value(near.rank, 0, i);
    const auto verify = [&](const std::vector<int> &got, std::size_t stride) {
        for (std::size_t k = 0; k < near.in(); ++k)
            for (int i = 0; i < length; ++i)
                CHECK_EQ(got[k * stride + static_cast<std::size_t>(i)],
                         near.sources[k] == MPI_PROC_NULL ? -1 : value(near.sources[k], 0, i));
    };
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<int> got(near.in() * length + 1, -1);
    if (how == form::blocking)
        CHECK_MPI(
            MPI_Neighbor_allgather(mine.data(), length, MPI_INT, got.data(), length, MPI_INT, near.comm));
    else if (how == form::non_blocking)
        CHECK_MPI(MPI_Ineighbor_allgather(mine.data(), length, MPI_INT, got.data(), length, MPI_INT,
                                          near.comm, &request));
    else
        CHECK_MPI(MPI_Neighbor_allgather_init(mine.data(), length, MPI_INT, got.data(), length, MPI_INT,
                                              near.comm, MPI_INFO_NULL, &request));
    complete(how, request);
    verify(got, length);

    // Blocks with gaps between them, and the large form.
    std::vector<int> counts(near.in() + 1, length);
    std::vector<int> places(near.in() + 1);
    std::vector<MPI_Count> large_counts(counts.begin(), counts.end());
    std::vector<MPI_Aint> large_places(near.in() + 1);
    for (std::size_t k = 0; k < near.in(); ++k) {
        places[k] = static_cast<int>(k) * (length + 2);
        large_places[k] = places[k];
    }
    std::vector<int> wide(near.in() * (length + 2) + 1, -1);
    if (how == form::blocking)
        CHECK_MPI(MPI_Neighbor_allgatherv(mine.data(), length, MPI_INT, wide.data(), counts.data(),
                                          places.data(), MPI_INT, near.comm));
    else if (how == form::non_blocking)
        CHECK_MPI(MPI_Ineighbor_allgatherv_c(mine.data(), length, MPI_INT, wide.data(), large_counts.data(),
                                             large_places.data(), MPI_INT, near.comm, &request));
    else
        CHECK_MPI(MPI_Neighbor_allgatherv_init(mine.data(), length, MPI_INT, wide.data(), counts.data(),
                                               places.data(), MPI_INT, near.comm, MPI_INFO_NULL, &request));
    complete(how, request);
    verify(wide, length + 2);
}

void exchanges(const hood &near, form how) {
    std::vector<int> mine(near.out() * length + 1);
    for (std::size_t k = 0; k < near.out(); ++k)
        for (int i = 0; i < length; ++i)
            mine[k * length + static_cast<std::size_t>(i)] = value(near.rank, static_cast<int>(k), i);
    const auto verify = [&](const std::vector<int> &got) {
        for (std::size_t k = 0; k < near.in(); ++k)
            for (int i = 0; i < length; ++i)
                CHECK_EQ(got[k * length + static_cast<std::size_t>(i)],
                         near.sources[k] == MPI_PROC_NULL ? -1 : value(near.sources[k], near.edges[k], i));
    };
    const auto fresh = [&] { return std::vector<int>(near.in() * length + 1, -1); };
    MPI_Request request = MPI_REQUEST_NULL;
    auto got = fresh();
    if (how == form::blocking)
        CHECK_MPI(
            MPI_Neighbor_alltoall(mine.data(), length, MPI_INT, got.data(), length, MPI_INT, near.comm));
    else if (how == form::non_blocking)
        CHECK_MPI(MPI_Ineighbor_alltoall(mine.data(), length, MPI_INT, got.data(), length, MPI_INT, near.comm,
                                         &request));
    else
        CHECK_MPI(MPI_Neighbor_alltoall_init_c(mine.data(), length, MPI_INT, got.data(), length, MPI_INT,
                                               near.comm, MPI_INFO_NULL, &request));
    complete(how, request);
    verify(got);

    std::vector<int> out_counts(near.out() + 1, length);
    std::vector<int> in_counts(near.in() + 1, length);
    std::vector<int> out_places(near.out() + 1);
    std::vector<int> in_places(near.in() + 1);
    std::vector<MPI_Aint> out_bytes(near.out() + 1);
    std::vector<MPI_Aint> in_bytes(near.in() + 1);
    for (std::size_t k = 0; k < near.out(); ++k) {
        out_places[k] = static_cast<int>(k) * length;
        out_bytes[k] = out_places[k] * static_cast<MPI_Aint>(sizeof(int));
    }
    for (std::size_t k = 0; k < near.in(); ++k) {
        in_places[k] = static_cast<int>(k) * length;
        in_bytes[k] = in_places[k] * static_cast<MPI_Aint>(sizeof(int));
    }
    got = fresh();
    if (how == form::blocking)
        CHECK_MPI(MPI_Neighbor_alltoallv(mine.data(), out_counts.data(), out_places.data(), MPI_INT,
                                         got.data(), in_counts.data(), in_places.data(), MPI_INT, near.comm));
    else if (how == form::non_blocking)
        CHECK_MPI(MPI_Ineighbor_alltoallv(mine.data(), out_counts.data(), out_places.data(), MPI_INT,
                                          got.data(), in_counts.data(), in_places.data(), MPI_INT, near.comm,
                                          &request));
    else
        CHECK_MPI(MPI_Neighbor_alltoallv_init(mine.data(), out_counts.data(), out_places.data(), MPI_INT,
                                              got.data(), in_counts.data(), in_places.data(), MPI_INT,
                                              near.comm, MPI_INFO_NULL, &request));
    complete(how, request);
    verify(got);

    // A type for each edge: all in one, or element by element.
    MPI_Datatype triple = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_contiguous(length, MPI_INT, &triple));
    CHECK_MPI(MPI_Type_commit(&triple));
    std::vector<MPI_Datatype> out_types(near.out() + 1, triple);
    std::vector<MPI_Datatype> in_types(near.in() + 1, MPI_INT);
    std::vector<int> ones(near.out() + 1, 1);
    std::vector<MPI_Count> large_ones(near.out() + 1, 1);
    std::vector<MPI_Count> large_counts(near.in() + 1, length);
    got = fresh();
    if (how == form::blocking)
        CHECK_MPI(MPI_Neighbor_alltoallw(mine.data(), ones.data(), out_bytes.data(), out_types.data(),
                                         got.data(), in_counts.data(), in_bytes.data(), in_types.data(),
                                         near.comm));
    else if (how == form::non_blocking)
        CHECK_MPI(MPI_Ineighbor_alltoallw_c(mine.data(), large_ones.data(), out_bytes.data(),
                                            out_types.data(), got.data(), large_counts.data(),
                                            in_bytes.data(), in_types.data(), near.comm, &request));
    else
        CHECK_MPI(MPI_Neighbor_alltoallw_init(mine.data(), ones.data(), out_bytes.data(), out_types.data(),
                                              got.data(), in_counts.data(), in_bytes.data(), in_types.data(),
                                              near.comm, MPI_INFO_NULL, &request));
    CHECK_MPI(MPI_Type_free(&triple)); // what has begun keeps it
    complete(how, request);
    verify(got);
}

void everything(const hood &near) {
    for (const form how : forms) {
        gathers(near, how);
        exchanges(near, how);
    }
}

void on_grid(std::vector<int> dims, std::vector<int> periods) {
    hood near;
    CHECK_MPI(MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 1,
                              &near.comm));
    if (near.comm == MPI_COMM_NULL)
        return;
    CHECK_MPI(MPI_Comm_rank(near.comm, &near.rank));
    for (int i = 0; i < static_cast<int>(dims.size()); ++i) {
        int before = -7;
        int behind = -7;
        CHECK_MPI(MPI_Cart_shift(near.comm, i, 1, &before, &behind));
        near.sources.insert(near.sources.end(), {before, behind});
        near.edges.insert(near.edges.end(), {2 * i + 1, 2 * i}); // it came along the opposite edge
    }
    near.destinations = near.sources;
    everything(near);
    CHECK_MPI(MPI_Comm_free(&near.comm));
}

/// Random edges, loops and repeated ones among them.
void on_distributed_graph(const check::job &job, unsigned seed) {
    std::mt19937 random{seed};
    hood near;
    near.rank = job.rank;
    std::vector<int> degrees(static_cast<std::size_t>(job.size));
    for (int i = std::uniform_int_distribution{0, 5 * job.size}(random); i > 0; --i) {
        const int from = std::uniform_int_distribution{0, job.size - 1}(random);
        const int to = std::uniform_int_distribution{0, job.size - 1}(random);
        const int edge = degrees[static_cast<std::size_t>(from)]++;
        if (from == job.rank)
            near.destinations.push_back(to);
        if (to == job.rank) {
            near.sources.push_back(from);
            near.edges.push_back(edge);
        }
    }
    CHECK_MPI(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(near.in()), near.sources.data(),
                                             MPI_UNWEIGHTED, static_cast<int>(near.out()),
                                             near.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                             &near.comm));
    everything(near);
    CHECK_MPI(MPI_Comm_free(&near.comm));
}

/// Everyone with everyone, in an order of its own.
void on_graph(const check::job &job) {
    hood near;
    near.rank = job.rank;
    std::vector<int> index;
    std::vector<int> edges;
    for (int rank = 0; rank < job.size; ++rank) {
        for (int i = 0; i < job.size; ++i)
            edges.push_back((rank + i) % job.size);
        index.push_back(static_cast<int>(edges.size()));
    }
    for (int i = 0; i < job.size; ++i) {
        const int peer = (job.rank + i) % job.size;
        near.sources.push_back(peer);
        near.edges.push_back((job.rank - peer + job.size) % job.size);
    }
    near.destinations = near.sources;
    CHECK_MPI(MPI_Graph_create(MPI_COMM_WORLD, job.size, index.data(), edges.data(), 0, &near.comm));
    everything(near);
    CHECK_MPI(MPI_Comm_free(&near.comm));
}

void refused(const check::job &job) {
    MPI_Comm line = MPI_COMM_NULL;
    const int periods[] = {0};
    CHECK_MPI(MPI_Cart_create(MPI_COMM_WORLD, 1, &job.size, periods, 0, &line));
    CHECK_MPI(MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN));
    int data[4] = {};
    int counts[] = {1, -1};
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, data, 1, MPI_INT, line));
    CHECK_ERROR(MPI_ERR_COUNT,
                MPI_Neighbor_allgatherv(data, 1, MPI_INT, data, counts, counts, MPI_INT, line));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Neighbor_allgatherv(data, 1, MPI_INT, data, counts, nullptr, MPI_INT, line));
    CHECK_MPI(MPI_Comm_free(&line));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    on_grid({job.size}, {0});
    on_grid({job.size}, {1});
    int two[2] = {};
    CHECK_MPI(MPI_Dims_create(job.size, 2, two));
    on_grid({two[0], two[1]}, {1, 1});
    on_grid({1, 1}, {1, 1});
    on_grid({two[0], two[1], 1}, {0, 1, 1});
    for (unsigned seed = 0; seed < 8; ++seed)
        on_distributed_graph(job, seed);
    on_graph(job);
    refused(job);
    return 0;
}
