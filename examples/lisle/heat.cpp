// SPDX-License-Identifier: Apache-2.0
// ../heat/heat.cpp through the C++ interface: heat flows through a plate that a picture describes. Each rank
// has some rows of it and swaps edge rows with its neighbours while it computes the inner ones. Use: heat
// input.png output.png [steps]
#include <lisle/lisle.hpp>

#include "../heat/picture.hpp"
#include "../heat/plate.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace {

using bytes = std::vector<std::uint8_t>;

/// How many rows each rank has. With more ranks than rows the last ranks have none.
std::vector<int> deal_rows(int height, int size) {
    std::vector<int> rows(static_cast<std::size_t>(size), height / size);
    for (int i = 0; i < height % size; ++i)
        ++rows[static_cast<std::size_t>(i)];
    return rows;
}

/// The ranks above and below that share an edge with the caller, or no_rank.
struct neighbours {
    int above = lisle::no_rank;
    int below = lisle::no_rank;
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

/// Deals out the picture: the caller's rows, with one row of the neighbours on either side (black at the edge
/// of the picture).
bytes scatter_picture(const lisle::communicator &world, const picture &image,
                      const std::vector<int> &all_rows, int width, const neighbours &next) {
    const auto stride = static_cast<std::size_t>(width) * 3;
    std::vector<MPI_Count> shares;
    for (const int rows : all_rows)
        shares.push_back(static_cast<MPI_Count>(stride) * rows);
    const bytes inner = world.scatterv(image.pixels, {.counts = shares});
    bytes mine(inner.size() + 2 * stride);
    std::copy(inner.begin(), inner.end(), mine.begin() + static_cast<std::ptrdiff_t>(stride));
    const auto row = [&](std::size_t offset) { return std::span{mine}.subspan(offset, stride); };
    world.sendrecv_into(row(stride), row(stride + inner.size()), {.dest = next.above, .source = next.below});
    world.sendrecv_into(row(inner.size()), row(0), {.dest = next.below, .source = next.above});
    return mine;
}

/// One step: edge rows travel while the inner ones are computed.
void step(const lisle::communicator &world, plate &part, int width, int rows, const neighbours &next) {
    const auto row = [&](int index) { return std::span{part.row(index), static_cast<std::size_t>(width)}; };
    const auto first = row(0);
    const auto last = row(rows - 1);
    auto before = row(-1);
    auto behind = row(rows);
    auto from_above = world.ireceive_into(lisle::borrow(before), next.above, 0);
    auto from_below = world.ireceive_into(lisle::borrow(behind), next.below, 1);
    auto to_above = world.isend(lisle::borrow(first), next.above, 1);
    auto to_below = world.isend(lisle::borrow(last), next.below, 0);
    part.step_rows(1, rows - 1);
    lisle::wait_all(from_above, from_below, to_above, to_below);
    part.step_rows(0, 1);
    if (rows > 1)
        part.step_rows(rows - 1, rows);
    part.advance();
}

/// Prints how far it has come and the mean temperature, ten times in a run.
void report(const lisle::communicator &world, plate &part, int done, int steps, double cells, double start) {
    const long long all = world.reduce(part.energy(), std::plus<>{});
    if (world.rank() == 0)
        std::cout << "  " << std::setw(3) << 100LL * done / steps << "%  step " << std::setw(6) << done
                  << "  mean temperature " << std::showpos << std::fixed << std::setprecision(6)
                  << static_cast<double>(all) / 1e6 / cells << std::noshowpos << std::setprecision(2)
                  << "  after " << lisle::wall_time() - start << " s" << std::endl;
}

/// FNV-1a over the colours: equal pictures have equal sums.
std::uint32_t checksum(const bytes &data) {
    std::uint32_t sum = 2166136261u;
    for (const std::uint8_t byte : data)
        sum = (sum ^ byte) * 16777619u;
    return sum;
}

void run(const lisle::communicator &world, const std::string &input, const std::string &output, int steps) {
    picture image;
    if (world.rank() == 0)
        image = read_png(input);
    struct {
        int width, height;
    } extent{image.width, image.height};
    world.broadcast(extent);
    const auto [width, height] = extent;

    const std::vector<int> all_rows = deal_rows(height, world.size());
    const int rows = all_rows[static_cast<std::size_t>(world.rank())];
    const neighbours next(all_rows, world.rank());
    plate part(width, rows, scatter_picture(world, image, all_rows, width, next));
    if (world.rank() == 0)
        std::cout << "heat: " << width << " x " << height << " cells, " << steps << " steps, " << world.size()
                  << (world.size() == 1 ? " rank" : " ranks") << std::endl;

    const double cells = static_cast<double>(width) * height;
    const double start = lisle::wall_time();
    for (int done = 1; done <= steps; ++done) {
        if (rows > 0)
            step(world, part, width, rows, next);
        if (done * 10LL / steps != (done - 1) * 10LL / steps)
            report(world, part, done, steps, cells, start);
    }
    const double seconds = lisle::wall_time() - start;

    image.pixels = world.gatherv(part.colours()).data;
    if (world.rank() == 0) {
        write_png(output, image);
        std::cout << "heat: " << std::fixed << std::setprecision(0) << cells * steps / seconds / 1e6
                  << " million cells/s, picture " << std::hex << checksum(image.pixels) << std::dec << " in "
                  << output << std::endl;
    }
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int steps = argc > 3 ? std::atoi(argv[3]) : 3000;
    if (argc < 3 || steps < 1) {
        if (world.rank() == 0)
            std::cerr << "use: heat input.png output.png [steps]\n";
        return 2;
    }
    try {
        run(world, argv[1], argv[2], steps);
    } catch (const std::exception &error) {
        std::cerr << "heat: " << error.what() << "\n";
        world.abort();
    }
}
