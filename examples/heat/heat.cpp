// SPDX-License-Identifier: Apache-2.0
// Heat flows through a plate that a picture describes: red is held hot, blue is held cold, black insulates.
// Each rank has some rows of it and swaps edge rows with its neighbours while it computes the inner ones.
// The output picture is the same to the last byte for any number and any kind of ranks.
// Use: heat input.png output.png [steps]
#include <mpi.h>

#include "picture.hpp"
#include "plate.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct world {
    int rank = 0;
    int size = 0;
};

/// How many rows each rank has. With more ranks than rows the last ranks have none.
std::vector<int> deal_rows(int height, int size) {
    std::vector<int> rows(static_cast<std::size_t>(size), height / size);
    for (int i = 0; i < height % size; ++i)
        ++rows[static_cast<std::size_t>(i)];
    return rows;
}

/// Lengths in bytes and offsets in bytes of the ranks' rows in a whole picture.
struct layout {
    std::vector<int> lengths;
    std::vector<int> offsets;
    layout(const std::vector<int> &rows, int width) : offsets(rows.size()) {
        for (const int count : rows)
            lengths.push_back(count * width * 3);
        std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
    }
};

/// The ranks above and below that share an edge with the caller, or MPI_PROC_NULL.
struct neighbours {
    int above = MPI_PROC_NULL;
    int below = MPI_PROC_NULL;
    neighbours(const std::vector<int> &rows, int rank) {
        const auto me = static_cast<std::size_t>(rank);
        if (rows[me] == 0)
            return;
        if (rank > 0)
            above = rank - 1;
        if (me + 1 < rows.size() && rows[me + 1] > 0)
            below = rank + 1;
    }
};

/// Deals out the picture: the caller's rows, with one row of the neighbours on either side (black at the
/// edge of the picture).
std::vector<std::uint8_t> scatter_picture(const picture &image, const layout &shares, int width, int rows,
                                          const neighbours &next) {
    const int stride = width * 3;
    std::vector<std::uint8_t> mine(static_cast<std::size_t>(stride) * static_cast<std::size_t>(rows + 2));
    std::uint8_t *const first = mine.data() + stride;
    std::uint8_t *const last = first + static_cast<std::ptrdiff_t>(stride) * (rows - 1);
    MPI_Scatterv(image.pixels.data(), shares.lengths.data(), shares.offsets.data(), MPI_UINT8_T, first,
                 rows * stride, MPI_UINT8_T, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(first, stride, MPI_UINT8_T, next.above, 0, last + stride, stride, MPI_UINT8_T, next.below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, stride, MPI_UINT8_T, next.below, 1, mine.data(), stride, MPI_UINT8_T, next.above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine;
}

/// One step: edge rows travel while the inner ones are computed.
void step(plate &part, int width, int rows, const neighbours &next) {
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(part.row(-1), width, MPI_FLOAT, next.above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(part.row(rows), width, MPI_FLOAT, next.below, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(part.row(0), width, MPI_FLOAT, next.above, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(part.row(rows - 1), width, MPI_FLOAT, next.below, 0, MPI_COMM_WORLD, &requests[3]);
    part.step_rows(1, rows - 1);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    part.step_rows(0, 1);
    if (rows > 1)
        part.step_rows(rows - 1, rows);
    part.advance();
}

/// Prints how far it has come and the mean temperature, ten times in a run.
void report(plate &part, const world &me, int done, int steps, double cells, double start) {
    const long long mine = part.energy();
    long long all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me.rank == 0)
        std::cout << "  " << std::setw(3) << 100LL * done / steps << "%  step " << std::setw(6) << done
                  << "  mean temperature " << std::showpos << std::fixed << std::setprecision(6)
                  << static_cast<double>(all) / 1e6 / cells << std::noshowpos << std::setprecision(2)
                  << "  after " << MPI_Wtime() - start << " s" << std::endl;
}

/// FNV-1a over the colours: equal pictures have equal sums.
std::uint32_t checksum(const std::vector<std::uint8_t> &bytes) {
    std::uint32_t sum = 2166136261u;
    for (const std::uint8_t byte : bytes)
        sum = (sum ^ byte) * 16777619u;
    return sum;
}

void run(const std::string &input, const std::string &output, int steps, const world &me) {
    picture image;
    if (me.rank == 0)
        image = read_png(input);
    std::array<int, 2> extent{image.width, image.height};
    MPI_Bcast(extent.data(), 2, MPI_INT, 0, MPI_COMM_WORLD);
    const auto [width, height] = extent;

    const std::vector<int> all_rows = deal_rows(height, me.size);
    const int rows = all_rows[static_cast<std::size_t>(me.rank)];
    const layout shares(all_rows, width);
    const neighbours next(all_rows, me.rank);
    plate part(width, rows, scatter_picture(image, shares, width, rows, next));
    if (me.rank == 0)
        std::cout << "heat: " << width << " x " << height << " cells, " << steps << " steps, " << me.size
                  << (me.size == 1 ? " rank" : " ranks") << std::endl;

    const double cells = static_cast<double>(width) * height;
    const double start = MPI_Wtime();
    for (int done = 1; done <= steps; ++done) {
        if (rows > 0)
            step(part, width, rows, next);
        if (done * 10LL / steps != (done - 1) * 10LL / steps)
            report(part, me, done, steps, cells, start);
    }
    const double seconds = MPI_Wtime() - start;

    const std::vector<std::uint8_t> mine = part.colours();
    MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_UINT8_T, image.pixels.data(),
                shares.lengths.data(), shares.offsets.data(), MPI_UINT8_T, 0, MPI_COMM_WORLD);
    if (me.rank == 0) {
        write_png(output, image);
        std::cout << "heat: " << std::fixed << std::setprecision(0) << cells * steps / seconds / 1e6
                  << " million cells/s, picture " << std::hex << checksum(image.pixels) << std::dec << " in "
                  << output << std::endl;
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    world me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &me.size);
    const int steps = argc > 3 ? std::atoi(argv[3]) : 3000;
    if (argc < 3 || steps < 1) {
        if (me.rank == 0)
            std::cerr << "use: heat input.png output.png [steps]\n";
        MPI_Finalize();
        return 2;
    }
    try {
        run(argv[1], argv[2], steps, me);
    } catch (const std::exception &error) {
        std::cerr << "heat: " << error.what() << "\n";
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
