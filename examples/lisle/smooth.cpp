// SPDX-License-Identifier: Apache-2.0
// ../smooth.cpp through the C++ interface: smooths a picture, or sharpens it, in memory that all ranks share.
// Each rank stores its rows and loads the rows next to them from where its neighbours have stored them. Use:
// smooth input.png output.png [times], a negative number sharpens
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>

#include "../heat/picture.hpp"
#include "../parts/filter.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace {

/// A picture across all ranks: the rows of each follow those of the rank before, so that they are one array.
using shared_picture = lisle::window<std::uint8_t>;

/// What any rank has stored before is loaded by all afterwards.
void meet(const lisle::communicator &ranks, const shared_picture &image) {
    image.sync();
    ranks.barrier();
    image.sync();
}

void run(const lisle::communicator &ranks, const std::string &input, const std::string &output, int times) {
    picture image;
    if (ranks.rank() == 0)
        image = read_png(input);
    struct {
        int width, height;
    } extent{image.width, image.height};
    ranks.broadcast(extent);
    const auto [width, height] = extent;

    const share own(height, ranks.rank(), ranks.size());
    const std::size_t stride = std::size_t{3} * static_cast<unsigned>(width);
    const std::size_t bytes = stride * static_cast<std::size_t>(own.rows());
    const auto one = shared_picture::shared(ranks, bytes);
    const auto other = shared_picture::shared(ranks, bytes);
    auto epoch_of_one = one.lock_all();
    auto epoch_of_other = other.lock_all();
    std::uint8_t *from = one.part(lisle::no_rank).data(); // where the first rank that has rows has them
    std::uint8_t *to = other.part(lisle::no_rank).data();
    if (ranks.rank() == 0)
        std::copy(image.pixels.begin(), image.pixels.end(), from);
    meet(ranks, one);
    for (int done = 0; done < std::abs(times); ++done) {
        const auto row_of = [stride](std::uint8_t *pixels) {
            return [=](int row) { return pixels + stride * static_cast<std::size_t>(row); };
        };
        for (int row = own.first; row < own.end; ++row)
            filter_row(row_of(from), row_of(to), row, width, height, times < 0);
        meet(ranks, done % 2 == 0 ? other : one);
        std::swap(from, to);
    }
    if (ranks.rank() == 0) {
        std::copy_n(from, image.pixels.size(), image.pixels.begin());
        write_png(output, image);
        std::cout << "smooth: " << width << " x " << height << " pixels, " << std::abs(times)
                  << (times < 0 ? " times sharper" : " times smoother") << ", in " << output << std::endl;
    }
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const auto node = world.split_by(lisle::hardware::memory);
    if (argc < 3 || node.size() != world.size()) {
        if (world.rank() == 0)
            std::cerr << (argc < 3 ? "use: smooth input.png output.png [times]\n"
                                   : "smooth: the ranks are on several nodes, which share no memory\n");
        world.abort(2);
    }
    try {
        run(node, argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 3);
    } catch (const std::exception &wrong) {
        std::cerr << "smooth: " << wrong.what() << "\n";
        world.abort();
    }
}
