// SPDX-License-Identifier: Apache-2.0
// Cartesian communicators: coordinates, shifts, parts, duplicates, reordering, and what must be refused.
#include "check.hpp"

#include <algorithm>
#include <vector>

namespace {

MPI_Comm make(MPI_Comm parent, std::vector<int> dims, std::vector<int> periods, bool reorder) {
    MPI_Comm grid = MPI_COMM_WORLD;
    CHECK_MPI(
        MPI_Cart_create(parent, static_cast<int>(dims.size()), dims.data(), periods.data(), reorder, &grid));
    return grid;
}

void verify_shifts(MPI_Comm grid, const std::vector<int> &dims, const std::vector<int> &periods) {
    int rank = -1;
    CHECK_MPI(MPI_Comm_rank(grid, &rank));
    std::vector<int> place(dims.size());
    CHECK_MPI(MPI_Cart_coords(grid, rank, static_cast<int>(dims.size()), place.data()));
    int back = -1;
    CHECK_MPI(MPI_Cart_rank(grid, place.data(), &back));
    CHECK_EQ(back, rank);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        for (const int far : {0, 1, -1, 2}) {
            int source = -7;
            int dest = -7;
            CHECK_MPI(MPI_Cart_shift(grid, static_cast<int>(i), far, &source, &dest));
            for (const bool forward : {true, false}) {
                auto target = place;
                target[i] += forward ? far : -far;
                const bool outside = target[i] < 0 || target[i] >= dims[i];
                int expected = MPI_PROC_NULL;
                if (!outside || periods[i] != 0) {
                    target[i] = ((target[i] % dims[i]) + dims[i]) % dims[i];
                    CHECK_MPI(MPI_Cart_rank(grid, target.data(), &expected));
                }
                CHECK_EQ(forward ? dest : source, expected);
            }
        }
    }
    // Messages along every dimension arrive from where MPI_Cart_shift says.
    for (std::size_t i = 0; i < dims.size(); ++i) {
        int source = -7;
        int dest = -7;
        CHECK_MPI(MPI_Cart_shift(grid, static_cast<int>(i), 1, &source, &dest));
        int heard = MPI_PROC_NULL;
        CHECK_MPI(
            MPI_Sendrecv(&rank, 1, MPI_INT, dest, 5, &heard, 1, MPI_INT, source, 5, grid, MPI_STATUS_IGNORE));
        CHECK_EQ(heard, source);
    }
}

void verify_queries(MPI_Comm grid, const std::vector<int> &dims, const std::vector<int> &periods) {
    int kind = 0;
    CHECK_MPI(MPI_Topo_test(grid, &kind));
    CHECK_EQ(kind, MPI_CART);
    int ndims = -1;
    CHECK_MPI(MPI_Cartdim_get(grid, &ndims));
    CHECK_EQ(ndims, static_cast<int>(dims.size()));
    std::vector<int> got_dims(dims.size());
    std::vector<int> got_periods(dims.size());
    std::vector<int> place(dims.size());
    CHECK_MPI(MPI_Cart_get(grid, ndims, got_dims.data(), got_periods.data(), place.data()));
    CHECK(got_dims == dims);
    CHECK(got_periods == periods);
}

void verify_parts(MPI_Comm grid, const std::vector<int> &dims) {
    const auto count = dims.size();
    int rank = -1;
    CHECK_MPI(MPI_Comm_rank(grid, &rank));
    std::vector<int> place(count);
    CHECK_MPI(MPI_Cart_coords(grid, rank, static_cast<int>(count), place.data()));
    for (unsigned choice = 0; choice < 1U << count; ++choice) {
        std::vector<int> keep(count);
        std::vector<int> expected_place;
        int expected_size = 1;
        for (std::size_t i = 0; i < count; ++i) {
            keep[i] = static_cast<int>(choice >> i & 1U);
            if (keep[i] != 0) {
                expected_place.push_back(place[i]);
                expected_size *= dims[i];
            }
        }
        MPI_Comm part = MPI_COMM_NULL;
        CHECK_MPI(MPI_Cart_sub(grid, keep.data(), &part));
        int size = -1;
        int part_rank = -1;
        int ndims = -1;
        CHECK_MPI(MPI_Comm_size(part, &size));
        CHECK_MPI(MPI_Comm_rank(part, &part_rank));
        CHECK_EQ(size, expected_size);
        CHECK_MPI(MPI_Cartdim_get(part, &ndims));
        CHECK_EQ(ndims, static_cast<int>(expected_place.size()));
        std::vector<int> part_place(expected_place.size());
        CHECK_MPI(MPI_Cart_coords(part, part_rank, ndims, part_place.data()));
        CHECK(part_place == expected_place);
        int together = 0;
        const int one = 1;
        CHECK_MPI(MPI_Allreduce(&one, &together, 1, MPI_INT, MPI_SUM, part));
        CHECK_EQ(together, size);
        CHECK_MPI(MPI_Comm_free(&part));
    }
}

void verify_grid(const check::job &job, std::vector<int> dims, std::vector<int> periods, bool reorder) {
    int places = 1;
    for (const int extent : dims)
        places *= extent;
    MPI_Comm grid = make(MPI_COMM_WORLD, dims, periods, reorder);
    if (!reorder)
        CHECK_EQ(grid == MPI_COMM_NULL, job.rank >= places);
    if (grid == MPI_COMM_NULL)
        return;
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(grid, &copy));
    for (const MPI_Comm comm : {grid, copy}) {
        verify_queries(comm, dims, periods);
        verify_shifts(comm, dims, periods);
    }
    verify_parts(grid, dims);
    int mapped = -7;
    CHECK_MPI(MPI_Cart_map(grid, static_cast<int>(dims.size()), dims.data(), periods.data(), &mapped));
    std::vector<int> all(static_cast<std::size_t>(places));
    CHECK_MPI(MPI_Allgather(&mapped, 1, MPI_INT, all.data(), 1, MPI_INT, grid));
    std::sort(all.begin(), all.end());
    for (int i = 0; i < places; ++i)
        CHECK_EQ(all[static_cast<std::size_t>(i)], i);
    CHECK_MPI(MPI_Comm_free(&copy));
    CHECK_MPI(MPI_Comm_free(&grid));
}

void refused(const check::job &job) {
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Comm grid = MPI_COMM_NULL;
    int dims[] = {job.size + 1, 1};
    const int periods[] = {0, 0};
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    dims[0] = -1;
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, -2, dims, periods, 0, &grid));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Cart_create(MPI_COMM_WORLD, 2, nullptr, periods, 0, &grid));
    int count = 0;
    CHECK_ERROR(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &count));
    CHECK_ERROR(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &count));
    CHECK_ERROR(MPI_ERR_TOPOLOGY,
                MPI_Neighbor_allgather(&count, 1, MPI_INT, &count, 1, MPI_INT, MPI_COMM_WORLD));
    int kind = 0;
    CHECK_MPI(MPI_Topo_test(MPI_COMM_WORLD, &kind));
    CHECK_EQ(kind, MPI_UNDEFINED);
    grid = make(MPI_COMM_WORLD, {job.size}, {0}, false);
    const int beyond[] = {job.size};
    CHECK_ERROR(MPI_ERR_ARG, MPI_Cart_rank(grid, beyond, &count));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Cart_coords(grid, job.size, 1, &count));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Cart_shift(grid, 1, 1, &count, &kind));
    CHECK_MPI(MPI_Comm_free(&grid));
    int impossible[] = {7, 0};
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Dims_create(12, 2, impossible));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    std::vector<int> two(2);
    CHECK_MPI(MPI_Dims_create(job.size, 2, two.data()));
    std::vector<int> three(3);
    CHECK_MPI(MPI_Dims_create(job.size, 3, three.data()));
    for (const bool reorder : {false, true}) {
        verify_grid(job, {}, {}, reorder);
        verify_grid(job, {job.size}, {1}, reorder);
        verify_grid(job, two, {0, 1}, reorder);
        verify_grid(job, three, {1, 0, 1}, reorder);
        verify_grid(job, {1, std::max(1, job.size / 2)}, {1, 0}, reorder);
    }
    refused(job);
    return 0;
}
