// SPDX-License-Identifier: Apache-2.0
// Graph and distributed-graph communicators: what goes in comes out again, no matter which rank says it,
// weighted or not, reordered or not.
#include "check.hpp"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace {

using edge = std::tuple<int, int, int>; // source, destination, weight

/// The same on all ranks; also loops and repeated edges.
std::vector<edge> draw_edges(int size, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<edge> edges;
    for (int i = std::uniform_int_distribution{0, 4 * size}(random); i > 0; --i)
        edges.emplace_back(std::uniform_int_distribution{0, size - 1}(random),
                           std::uniform_int_distribution{0, size - 1}(random),
                           std::uniform_int_distribution{0, 9}(random));
    return edges;
}

void verify_edges(MPI_Comm graph, const std::vector<edge> &edges, bool weighted) {
    int rank = -1;
    int kind = 0;
    CHECK_MPI(MPI_Comm_rank(graph, &rank));
    CHECK_MPI(MPI_Topo_test(graph, &kind));
    CHECK_EQ(kind, MPI_DIST_GRAPH);
    int in = -1;
    int out = -1;
    int flag = -1;
    CHECK_MPI(MPI_Dist_graph_neighbors_count(graph, &in, &out, &flag));
    CHECK_EQ(flag != 0, weighted);
    std::vector<int> sources(static_cast<std::size_t>(in));
    std::vector<int> source_weights(sources.size());
    std::vector<int> destinations(static_cast<std::size_t>(out));
    std::vector<int> destination_weights(destinations.size());
    CHECK_MPI(MPI_Dist_graph_neighbors(
        graph, in, sources.data(), weighted ? source_weights.data() : MPI_UNWEIGHTED, out,
        destinations.data(), weighted ? destination_weights.data() : MPI_UNWEIGHTED));
    std::vector<edge> got;
    for (std::size_t i = 0; i < sources.size(); ++i)
        got.emplace_back(sources[i], rank, source_weights[i]);
    for (std::size_t i = 0; i < destinations.size(); ++i)
        got.emplace_back(rank, destinations[i], destination_weights[i]);
    std::vector<edge> expected;
    for (const auto &[source, destination, weight] : edges) {
        if (destination == rank)
            expected.emplace_back(source, destination, weighted ? weight : 0);
        if (source == rank)
            expected.emplace_back(source, destination, weighted ? weight : 0);
    }
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    CHECK(got == expected);
}

void distributed(const check::job &job, unsigned seed, bool weighted, bool reorder) {
    const auto edges = draw_edges(job.size, seed);
    // Edge i is known to rank i mod size.
    std::vector<int> sources;
    std::vector<int> degrees;
    std::vector<int> destinations;
    std::vector<int> weights;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (static_cast<int>(i) % job.size == job.rank) {
            sources.push_back(std::get<0>(edges[i]));
            degrees.push_back(1);
            destinations.push_back(std::get<1>(edges[i]));
            weights.push_back(std::get<2>(edges[i]));
        }
    }
    MPI_Comm graph = MPI_COMM_NULL;
    const int *const given = !weighted         ? MPI_UNWEIGHTED
                             : weights.empty() ? MPI_WEIGHTS_EMPTY
                                               : weights.data();
    CHECK_MPI(MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                    degrees.data(), destinations.data(), given, MPI_INFO_NULL, reorder,
                                    &graph));
    verify_edges(graph, edges, weighted);
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(graph, &copy));
    verify_edges(copy, edges, weighted);
    CHECK_MPI(MPI_Comm_free(&copy));
    CHECK_MPI(MPI_Comm_free(&graph));
}

void adjacent(const check::job &job, unsigned seed, bool weighted, bool reorder) {
    const auto edges = draw_edges(job.size, seed);
    std::vector<int> sources;
    std::vector<int> source_weights{0}; // never empty: a pointer to something
    std::vector<int> destinations;
    std::vector<int> destination_weights{0};
    for (const auto &[source, destination, weight] : edges) {
        if (destination == job.rank) {
            sources.push_back(source);
            source_weights.insert(source_weights.end() - 1, weight);
        }
        if (source == job.rank) {
            destinations.push_back(destination);
            destination_weights.insert(destination_weights.end() - 1, weight);
        }
    }
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_MPI(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                             weighted ? source_weights.data() : MPI_UNWEIGHTED,
                                             static_cast<int>(destinations.size()), destinations.data(),
                                             weighted ? destination_weights.data() : MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, reorder, &graph));
    verify_edges(graph, edges, weighted);
    CHECK_MPI(MPI_Comm_free(&graph));
}

/// A star: everyone is a neighbour of rank 0.
void general(const check::job &job, bool reorder) {
    std::vector<int> index;
    std::vector<int> edges;
    for (int rank = 1; rank < job.size; ++rank)
        edges.push_back(rank);
    index.push_back(job.size - 1);
    for (int rank = 1; rank < job.size; ++rank) {
        edges.push_back(0);
        index.push_back(index.back() + 1);
    }
    MPI_Comm star = MPI_COMM_NULL;
    CHECK_MPI(MPI_Graph_create(MPI_COMM_WORLD, job.size, index.data(), edges.data(), reorder, &star));
    int nodes = -1;
    int count = -1;
    CHECK_MPI(MPI_Graphdims_get(star, &nodes, &count));
    CHECK_EQ(nodes, job.size);
    CHECK_EQ(count, static_cast<int>(edges.size()));
    std::vector<int> got_index(index.size());
    std::vector<int> got_edges(edges.size());
    CHECK_MPI(MPI_Graph_get(star, nodes, count, got_index.data(), got_edges.data()));
    CHECK(got_index == index);
    CHECK(got_edges == edges);
    for (int rank = 0; rank < job.size; ++rank) {
        int degree = -1;
        CHECK_MPI(MPI_Graph_neighbors_count(star, rank, &degree));
        CHECK_EQ(degree, rank == 0 ? job.size - 1 : 1);
        std::vector<int> near(static_cast<std::size_t>(degree));
        CHECK_MPI(MPI_Graph_neighbors(star, rank, degree, near.data()));
        for (int i = 0; i < degree; ++i)
            CHECK_EQ(near[static_cast<std::size_t>(i)], rank == 0 ? i + 1 : 0);
    }
    CHECK_MPI(MPI_Comm_free(&star));
    // Fewer nodes than ranks, and none.
    const int alone[] = {0};
    CHECK_MPI(MPI_Graph_create(MPI_COMM_WORLD, 1, alone, alone, reorder, &star));
    if (star != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_free(&star));
    CHECK_MPI(MPI_Graph_create(MPI_COMM_WORLD, 0, alone, alone, reorder, &star));
    CHECK(star == MPI_COMM_NULL);
}

void refused(const check::job &job) {
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Comm graph = MPI_COMM_NULL;
    const int index[] = {1};
    const int beyond[] = {job.size};
    const int minus[] = {-1};
    CHECK_ERROR(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, index, beyond, 0, &graph));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, minus, beyond, 0, &graph));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, job.size + 1, index, beyond, 0, &graph));
    CHECK_ERROR(MPI_ERR_RANK,
                MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, beyond, MPI_UNWEIGHTED, 0, nullptr,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    CHECK_ERROR(MPI_ERR_ARG,
                MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                               MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph));
    const int zero[] = {0};
    CHECK_ERROR(MPI_ERR_ARG, MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, minus, beyond, MPI_UNWEIGHTED,
                                                   MPI_INFO_NULL, 0, &graph));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, index, beyond, MPI_UNWEIGHTED,
                                                    MPI_INFO_NULL, 0, &graph));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    for (const bool reorder : {false, true}) {
        for (const bool weighted : {false, true}) {
            for (unsigned seed = 0; seed < 15; ++seed) {
                distributed(job, seed, weighted, reorder);
                adjacent(job, seed, weighted, reorder);
            }
        }
        general(job, reorder);
    }
    refused(job);
    return 0;
}
