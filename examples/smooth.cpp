// SPDX-License-Identifier: Apache-2.0
// Smooths a picture, or sharpens it, in memory that all ranks share: nothing is sent. Each rank stores its
// rows and loads the rows next to them from where its neighbours have stored them. The ranks have to be on
// one node. Use: smooth input.png output.png [times], a negative number sharpens
#include "heat/picture.hpp"
#include "parts/filter.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

/// A picture across all ranks: each allocates its rows, which follow those of the rank before, so that they
/// are one array. [MPI_Win_allocate_shared, MPI_Win_shared_query]
class shared_picture {
  public:
    shared_picture(MPI_Comm ranks, int width, int rows)
        : stride_{std::size_t{3} * static_cast<unsigned>(width)} {
        std::uint8_t *own = nullptr;
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(stride_) * rows, 1, MPI_INFO_NULL, ranks,
                                static_cast<void *>(&own), &window_);
        MPI_Aint bytes = 0;
        int unit = 0;
        // The first rank that has memory: there the picture begins.
        MPI_Win_shared_query(window_, MPI_PROC_NULL, &bytes, &unit, static_cast<void *>(&pixels_));
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    }
    ~shared_picture() {
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    shared_picture(const shared_picture &) = delete;
    shared_picture &operator=(const shared_picture &) = delete;

    [[nodiscard]] std::uint8_t *row(int index) const {
        return pixels_ + stride_ * static_cast<std::size_t>(index);
    }

    /// What any rank has stored before is loaded by all afterwards.
    void meet(MPI_Comm ranks) const {
        MPI_Win_sync(window_);
        MPI_Barrier(ranks);
        MPI_Win_sync(window_);
    }

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::size_t stride_;
    std::uint8_t *pixels_ = nullptr;
};

void run(const std::string &input, const std::string &output, int times, MPI_Comm ranks) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &size);
    picture image;
    if (rank == 0)
        image = read_png(input);
    std::array<int, 2> extent{image.width, image.height};
    MPI_Bcast(extent.data(), 2, MPI_INT, 0, ranks);
    const auto [width, height] = extent;

    const share own(height, rank, size);
    const shared_picture one(ranks, width, own.rows());
    const shared_picture other(ranks, width, own.rows());
    if (rank == 0)
        std::copy(image.pixels.begin(), image.pixels.end(), one.row(0));
    const shared_picture *from = &one;
    const shared_picture *to = &other;
    from->meet(ranks);
    for (int done = 0; done < std::abs(times); ++done) {
        for (int row = own.first; row < own.end; ++row)
            filter_row([&](int at) { return from->row(at); }, [&](int at) { return to->row(at); }, row, width,
                       height, times < 0);
        to->meet(ranks);
        std::swap(from, to);
    }
    if (rank == 0) {
        std::copy_n(from->row(0), image.pixels.size(), image.pixels.begin());
        write_png(output, image);
        std::cout << "smooth: " << width << " x " << height << " pixels, " << std::abs(times)
                  << (times < 0 ? " times sharper" : " times smoother") << ", in " << output << std::endl;
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 1;
    int on_node = 0;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    if (argc < 3 || on_node != size) {
        if (rank == 0)
            std::cerr << (argc < 3 ? "use: smooth input.png output.png [times]\n"
                                   : "smooth: the ranks are on several nodes, which share no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    try {
        run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 3, node);
    } catch (const std::runtime_error &wrong) {
        std::cerr << "smooth: " << wrong.what() << "\n";
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&node);
    MPI_Finalize();
}
