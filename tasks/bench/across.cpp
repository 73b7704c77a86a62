// SPDX-License-Identifier: Apache-2.0
// How long programs of the task machine take over the ranks of a job: the median of some rounds on rank 0, in
// milliseconds, and how many kernels each rank has run. A file may hold any program that lisle-task runs.
//
//     mpirun -n 2 bench_task_across [rounds] program.td ...
//
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lisle/task.hpp"
#include "lisle/task/mpi_transport.hpp"
#include "task/kernels/standard.hpp"

namespace {

namespace tasks = lisle::tasks;

void measure(const std::string &name, int rounds) {
    std::ifstream file{name};
    const tasks::source program = tasks::read({std::istreambuf_iterator<char>{file}, {}}, name);
    tasks::registry kernels;
    tasks::add_standard_kernels(kernels);
    const auto between = tasks::make_mpi_transport();
    tasks::machine machine{kernels, *between};
    machine.print_to([](const std::string &) {});
    std::vector<double> taken;
    for (int round = 0; between->rank() == 0 && round < rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        machine.evaluate(program);
        taken.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    machine.finish();
    std::uint64_t mine = machine.counts().kernels_run, all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (between->rank() == 0) {
        std::ranges::sort(taken);
        std::printf("%-40s %10.3f ms, %.0f %% of the kernels on this rank\n", name.c_str(),
                    taken[taken.size() / 2],
                    all == 0 ? 0.0 : 100.0 * static_cast<double>(mine) / static_cast<double>(all));
    }
}

} // namespace

int main(int argc, char **argv) {
    int granted = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    for (int i = 2; i < argc; ++i) {
        measure(argv[i], std::max(1, std::atoi(argv[1])));
    }
    MPI_Finalize();
    return 0;
}
