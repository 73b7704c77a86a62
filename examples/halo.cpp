// SPDX-License-Identifier: Apache-2.0
// Heat in a rod that lies across the ranks: in each step every rank puts its border cells into its
// neighbours' windows. First fences separate the steps, for all ranks at once; then each put is notified by a
// flag that its neighbour watches, and nobody waits for more than the neighbours. Both must give the same
// temperatures. Use: halo [steps]
#include "parts/rod.hpp"

#include <mpi.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>

namespace {

int rank_in_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
int size_of_world() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/// A rank's part of the rod, and a window of two ghost cells for each parity of steps and two flags.
class windowed_rod {
  public:
    windowed_rod() {
        MPI_Win_allocate(6 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                         static_cast<void *>(&ghosts_), &window_);
        for (int i = 0; i < 6; ++i)
            ghosts_[i] = 0;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~windowed_rod() { MPI_Win_free(&window_); }
    windowed_rod(const windowed_rod &) = delete;
    windowed_rod &operator=(const windowed_rod &) = delete;

    void run_with_fences(int steps) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
        for (int step = 0; step < steps; ++step) {
            put_borders(step);
            MPI_Win_fence(0, window_);
            part_.advance(ghosts_ + step % 2 * 2); // the other pair of ghost cells takes the next puts
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
    }

    void run_with_flags(int steps) {
        MPI_Win_lock_all(0, window_);
        for (int step = 0; step < steps; ++step) {
            put_borders(step);
            notify(left(), right_flag, step + 1);
            notify(right(), left_flag, step + 1);
            await(left(), left_flag, step + 1);
            await(right(), right_flag, step + 1);
            part_.advance(
                ghosts_ +
                step % 2 * 2); // a neighbour cannot be two steps ahead, since it waits for this rank's flag
        }
        MPI_Win_unlock_all(window_);
    }

    /// The sum over all cells of temperature times position: the same for any number of ranks, but for
    /// rounding.
    [[nodiscard]] double moment() const {
        const double own = part_.moment();
        double all = 0;
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
    }

  private:
    static constexpr MPI_Aint left_flag = 4;
    static constexpr MPI_Aint right_flag = 5;

    [[nodiscard]] int left() const { return rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL; }
    [[nodiscard]] int right() const { return rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL; }

    void put_borders(int step) const {
        const MPI_Aint pair = step % 2 * 2; // the left ghost cell, then the right one
        MPI_Put(&part_.leftmost(), 1, MPI_DOUBLE, left(), pair + 1, 1, MPI_DOUBLE, window_);
        MPI_Put(&part_.rightmost(), 1, MPI_DOUBLE, right(), pair, 1, MPI_DOUBLE, window_);
    }
    /// Tells a neighbour that the put has arrived.
    void notify(int neighbour, MPI_Aint flag, double step) const {
        MPI_Win_flush(neighbour, window_);
        MPI_Accumulate(&step, 1, MPI_DOUBLE, neighbour, flag, 1, MPI_DOUBLE, MPI_REPLACE, window_);
        MPI_Win_flush(neighbour, window_);
    }
    void await(int neighbour, MPI_Aint flag, double step) const {
        for (double seen = -1; neighbour != MPI_PROC_NULL && seen < step;) {
            MPI_Fetch_and_op(nullptr, &seen, MPI_DOUBLE, rank_, flag, MPI_NO_OP, window_);
            MPI_Win_flush(rank_, window_);
        }
        MPI_Win_sync(window_);
    }

    int rank_ = rank_in_world();
    int size_ = size_of_world();
    rod part_{rank_, size_};
    double *ghosts_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
};

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
    double moments[2];
    { // windows are freed before MPI_Finalize
        windowed_rod fenced;
        fenced.run_with_fences(steps);
        moments[0] = fenced.moment();
        windowed_rod notified;
        notified.run_with_flags(steps);
        moments[1] = notified.moment();
    }
    if (rank_in_world() == 0)
        std::cout << std::fixed << std::setprecision(4) << "with fences " << moments[0] << ", with flags "
                  << moments[1] << (moments[0] == moments[1] ? ": the same\n" : ": they differ\n");
    MPI_Finalize();
}
