// SPDX-License-Identifier: Apache-2.0
// A field of a square grid goes from stripes of rows to tiles, each rank having one of both: what it takes to
// make the router, and a step beside one written by hand for these two decompositions (a receive and a send
// of a subarray for each pair of ranks, started again and again). Prints the slowest rank's times, and how
// much memory the router has taken in the process.
//
//     mpirun -n 1024 --ranks fiber bench_couple_routing [points of a side] [steps]
#include <mpi.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lisle/couple/exchange.hpp"

namespace {

namespace couple = lisle::couple;
using couple::decomposition;
int rank, ranks;

/// A rectangle of the grid.
struct part {
    std::array<std::int64_t, 2> begin, extents;
    [[nodiscard]] std::int64_t points() const { return extents[0] * extents[1]; }
};
std::int64_t cut(std::int64_t side, int which, int parts) {
    return side * which / parts;
}
part stripe_of(int which, std::int64_t side) {
    const std::int64_t first = cut(side, which, ranks);
    return {{first, 0}, {cut(side, which + 1, ranks) - first, side}};
}
part tile_of(int which, std::int64_t side) {
    std::array<int, 2> shape{0, 0};
    MPI_Dims_create(ranks, 2, shape.data());
    const int row = which / shape[1], column = which % shape[1];
    const std::int64_t top = cut(side, row, shape[0]), left = cut(side, column, shape[1]);
    return {{top, left}, {cut(side, row + 1, shape[0]) - top, cut(side, column + 1, shape[1]) - left}};
}

/// Requests for what two parts have in common, one of them the caller's in memory.
void add_common(const part &own, const part &other, int peer, float *data, bool sends,
                std::vector<MPI_Request> &requests) {
    std::array<int, 2> extents{}, common{}, begin{};
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t first = std::max(own.begin[d], other.begin[d]);
        const std::int64_t end = std::min(own.begin[d] + own.extents[d], other.begin[d] + other.extents[d]);
        if (first >= end) {
            return;
        }
        extents[d] = static_cast<int>(own.extents[d]);
        common[d] = static_cast<int>(end - first);
        begin[d] = static_cast<int>(first - own.begin[d]);
    }
    MPI_Datatype type;
    MPI_Type_create_subarray(2, extents.data(), common.data(), begin.data(), MPI_ORDER_C, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    MPI_Request request;
    if (sends) {
        MPI_Send_init(data, 1, type, peer, 1, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv_init(data, 1, type, peer, 1, MPI_COMM_WORLD, &request);
    }
    requests.push_back(request);
    MPI_Type_free(&type);
}

/// The best of the steps, of the slowest rank.
template <class Step> double best_of(int steps, const Step &step) {
    double best = 1e9;
    for (int i = 0; i < steps; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        step();
        double took = MPI_Wtime() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = std::min(best, took);
    }
    return best;
}
double megabytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : 10000;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
    const part stripe = stripe_of(rank, side), tile = tile_of(rank, side);
    const std::array<std::int64_t, 2> grid{side, side};
    std::vector<float> from(static_cast<std::size_t>(stripe.points()), static_cast<float>(rank)),
        to(static_cast<std::size_t>(tile.points())), by_hand(to.size());
    {
        MPI_Barrier(MPI_COMM_WORLD);
        const double before = megabytes();
        const decomposition offered = decomposition::block(grid, stripe.begin, stripe.extents),
                            wanted = decomposition::block(grid, tile.begin, tile.extents);
        std::vector<couple::router> made;
        const double routing = best_of(1, [&] { made.emplace_back(MPI_COMM_WORLD, offered, wanted); });
        MPI_Barrier(MPI_COMM_WORLD);
        const double routed = megabytes();
        couple::exchange field{MPI_COMM_WORLD,
                               made.front(),
                               offered,
                               wanted,
                               {couple::field_place::of(from.data())},
                               {couple::field_place::of(to.data())}};
        std::vector<MPI_Request> requests;
        for (int other = 0; other < ranks; ++other) {
            add_common(tile, stripe_of(other, side), other, by_hand.data(), false, requests);
            add_common(stripe, tile_of(other, side), other, from.data(), true, requests);
        }
        double coupled = 1e9, plain = 1e9;
        for (int turn = 0; turn < steps; ++turn) {
            coupled = std::min(coupled, best_of(1, [&] { field(); }));
            plain = std::min(plain, best_of(1, [&] {
                                 MPI_Startall(static_cast<int>(requests.size()), requests.data());
                                 MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
                                             MPI_STATUSES_IGNORE);
                             }));
        }
        if (to != by_hand) {
            std::fprintf(stderr, "rank %d has got other values than by hand\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (rank == 0) {
            std::printf(
                "%d ranks, %.3g points: router %.4f s, %.1f MB; a step %.6f s, by hand %.6f s, ratio %.2f\n",
                ranks, static_cast<double>(side * side), routing, routed - before, coupled, plain,
                coupled / plain);
        }
        for (MPI_Request &each : requests) {
            MPI_Request_free(&each);
        }
    }
    MPI_Finalize();
}
