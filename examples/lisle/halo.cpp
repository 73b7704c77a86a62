// SPDX-License-Identifier: Apache-2.0
// ../halo.cpp through the C++ interface: heat in a rod that lies across the ranks. In each step every rank
// puts its border cells into its neighbours' windows, first between fences, then notified by flags that the
// neighbours watch. Both must give the same temperatures. Use: halo [steps]
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>

#include "../parts/rod.hpp"

#include <cstddef>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <span>

namespace {

/// A rank's part of the rod, and a window of two ghost cells for each parity of steps and two flags.
class windowed_rod {
  public:
    explicit windowed_rod(const lisle::communicator &ranks)
        : ranks_{ranks}, part_{ranks.rank(), ranks.size()}, ghosts_{ranks, 6} {}

    void run_with_fences(int steps) {
        for (int step = 0; step < steps; ++step) {
            {
                auto epoch = ghosts_.fence();
                put_borders(step);
            }
            advance(step); // the other pair of ghost cells takes the next puts
        }
    }

    void run_with_flags(int steps) {
        auto epoch = ghosts_.lock_all();
        for (int step = 0; step < steps; ++step) {
            put_borders(step);
            notify(left_, right_flag, step + 1);
            notify(right_, left_flag, step + 1);
            await(left_, left_flag, step + 1);
            await(right_, right_flag, step + 1);
            advance(step); // a neighbour cannot be two steps ahead, since it waits for this rank's flag
        }
    }

    /// The sum over all cells of temperature times position: the same for any number of ranks, but for
    /// rounding.
    [[nodiscard]] double moment() const { return ranks_.allreduce(part_.moment(), std::plus<>{}); }

  private:
    static constexpr std::size_t left_flag = 4;
    static constexpr std::size_t right_flag = 5;

    void put_borders(int step) const {
        const auto pair = static_cast<std::size_t>(step % 2) * 2; // the left ghost cell, then the right one
        ghosts_.put(std::span{&part_.leftmost(), 1}, {left_, pair + 1});
        ghosts_.put(std::span{&part_.rightmost(), 1}, {right_, pair});
    }
    /// Tells a neighbour that the put has arrived.
    void notify(int neighbour, std::size_t flag, double step) const {
        ghosts_.flush(neighbour);
        ghosts_.store(step, {neighbour, flag});
    }
    void await(int neighbour, std::size_t flag, double step) const {
        while (neighbour != lisle::no_rank && ghosts_.load({ranks_.rank(), flag}) < step) {
        }
        ghosts_.sync();
    }
    void advance(int step) { part_.advance(ghosts_.local().data() + step % 2 * 2); }

    const lisle::communicator &ranks_;
    rod part_;
    lisle::window<double> ghosts_;
    int left_ = ranks_.rank() > 0 ? ranks_.rank() - 1 : lisle::no_rank;
    int right_ = ranks_.rank() + 1 < ranks_.size() ? ranks_.rank() + 1 : lisle::no_rank;
};

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
    windowed_rod fenced{world};
    fenced.run_with_fences(steps);
    windowed_rod notified{world};
    notified.run_with_flags(steps);
    const double moments[]{fenced.moment(), notified.moment()};
    if (world.rank() == 0)
        std::cout << std::fixed << std::setprecision(4) << "with fences " << moments[0] << ", with flags "
                  << moments[1] << (moments[0] == moments[1] ? ": the same\n" : ": they differ\n");
}
