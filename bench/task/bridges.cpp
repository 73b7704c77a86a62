// SPDX-License-Identifier: Apache-2.0
// The tables of the thesis on GPRM's MPI bridges: the time from a data response to its acknowledgement, by
// size, by how packets are sent and by the number of bridges; beside the transport without bridges, and plain
// MPI. Also how long the call that sends takes. Two ranks; one line of "name bytes median-us 90%-us call-us"
// for each.
//
//     mpirun -n 2 bench_task_bridges [rounds]
//
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lisle/task/bridges.hpp"
#include "lisle/task/mpi_transport.hpp"

namespace {

namespace tasks = lisle::tasks;
int rank, rounds = 300;

double now() {
    return MPI_Wtime() * 1e6;
}

void print(const std::string &name, std::size_t bytes, std::vector<double> trips, std::vector<double> calls) {
    if (rank != 0) {
        return;
    }
    std::ranges::sort(trips);
    std::ranges::sort(calls);
    std::printf("%-24s %8zu %9.1f %9.1f %9.1f\n", name.c_str(), bytes, trips[trips.size() / 2],
                trips[trips.size() * 9 / 10], calls.empty() ? 0.0 : calls[calls.size() / 2]);
    std::fflush(stdout);
}

void raw(std::size_t bytes) {
    std::vector<char> data(bytes);
    char answer = 0;
    std::vector<double> trips;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        if (rank == 0) {
            MPI_Send(data.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&answer, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&answer, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        trips.push_back(now() - begin);
    }
    print("plain MPI", bytes, trips, {});
}

// Rank 1 says on which channel it expects the next object (its acknowledgement of the last one); rank 0 sends
// it.
void packets(const std::string &name, tasks::transport &between, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    const auto keep = tasks::make<tasks::text>("");
    std::vector<double> trips, calls;
    if (rank == 1) {
        for (int round = 0; round <= rounds; ++round) {
            bool is_here = false;
            const int channel = between.expect(0, data, [&] { is_here = true; });
            std::vector<std::byte> packet(64);
            std::memcpy(packet.data(), &channel, sizeof channel);
            between.send(0, std::move(packet));
            while (!is_here) {
                between.wait([](int, std::span<const std::byte>) {});
            }
        }
    } else {
        double begin = 0;
        for (int round = 0; round <= rounds; ++round) {
            int channel = -1;
            while (channel < 0) {
                between.wait([&](int, std::span<const std::byte> packet) {
                    std::memcpy(&channel, packet.data(), sizeof channel);
                });
            }
            if (round > 0) {
                trips.push_back(now() - begin);
            }
            begin = now();
            between.send_from(1, channel, data, tasks::ref<tasks::object>{keep.get()});
            calls.push_back(now() - begin);
        }
    }
    while (!between.has_sent_all()) {
        between.poll([](int, std::span<const std::byte>) {});
    }
    print(name, bytes, trips, calls);
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char **argv) {
    int granted = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rounds = argc > 1 ? std::atoi(argv[1]) : rounds;
    for (const std::size_t bytes : {1000, 10000, 50000, 200000, 1000000, 8000000}) {
        raw(bytes);
        {
            const auto between = tasks::make_mpi_transport(MPI_COMM_WORLD);
            packets("without bridges", *between, bytes);
        }
        for (const auto &[name, mode] : tasks::sending_modes()) {
            const auto between = tasks::make_bridges(MPI_COMM_WORLD, {.receivers = 1, .sending = mode});
            packets("1 bridge, " + name, *between, bytes);
        }
    }
    for (const int bridges : {1, 2, 3, 4, 5, 6}) {
        const auto between = tasks::make_bridges(
            MPI_COMM_WORLD, {.receivers = bridges, .sending = tasks::sending_mode::blocking});
        packets(std::to_string(bridges) + " bridges", *between, 200000);
    }
    MPI_Finalize();
    return 0;
}
