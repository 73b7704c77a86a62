// SPDX-License-Identifier: Apache-2.0
// The tables of the thesis on GPRM's MPI bridges: the time from a data response to its acknowledgement, by
// size, by how packets are sent and by the number of bridges; beside the transport without bridges, plain
// MPI, and a copy in the rank's own memory. Also how long the call that sends takes, always and while the
// receiver sleeps, and what bridges that have nothing to do cost. Two ranks; one line of "name bytes
// median-us 90%-us call-us" for each. What is compared is measured in turns. With more ranks than two: what
// all others send to rank 0 at once, in packets or megabytes a second.
//
//     mpirun -n 2 bench_task_bridges [rounds] [all | sizes | bridges]
//     mpirun -n 5 bench_task_bridges [rounds]
//
#include <mpi.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "lisle/task/bridges.hpp"
#include "lisle/task/mpi_transport.hpp"

namespace {

namespace tasks = lisle::tasks;
int rank, rounds = 300;

double now() {
    return MPI_Wtime() * 1e6;
}

/// What one way of sending has taken.
struct times {
    std::string name;
    std::vector<double> trips, calls;
};

double quantile(std::vector<double> all, double share) {
    if (all.empty()) {
        return 0;
    }
    std::ranges::sort(all);
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
}

void print(const times &taken, std::size_t bytes) {
    if (rank == 0) {
        std::printf("%-38s %8zu %9.1f %9.1f %9.1f\n", taken.name.c_str(), bytes, quantile(taken.trips, 0.5),
                    quantile(taken.trips, 0.9), quantile(taken.calls, 0.5));
        std::fflush(stdout);
    }
}

void raw(times &taken, std::size_t bytes) {
    std::vector<char> data(bytes);
    char answer = 0;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        if (rank == 0) {
            MPI_Send(data.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&answer, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&answer, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        taken.trips.push_back(now() - begin);
    }
}

void local(times &taken, std::size_t bytes) {
    std::vector<char> data(bytes), copy(bytes);
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        std::memcpy(copy.data(), data.data(), bytes);
        __asm__ volatile("" : : "r"(copy.data()) : "memory");
        taken.trips.push_back(now() - begin);
    }
}

// Rank 1 says on which channel it expects the next object (its acknowledgement of the last one); rank 0 sends
// it.
void packets(times &taken, tasks::transport &between, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    const auto keep = tasks::make<tasks::text>("");
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
                taken.trips.push_back(now() - begin);
            }
            begin = now();
            between.send_from(1, channel, data, tasks::ref<tasks::object>{keep.get()});
            taken.calls.push_back(now() - begin);
        }
    }
    while (!between.has_sent_all()) {
        between.poll([](int, std::span<const std::byte>) {});
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// One way: without bridges, or over so many.
struct way {
    std::string name;
    int bridges;
    tasks::sending_mode sending;
    tasks::bridge_choice choice = tasks::bridge_choice::round_robin;
};

std::unique_ptr<tasks::transport> connect(const way &by) {
    return by.bridges == 0
               ? tasks::make_mpi_transport(MPI_COMM_WORLD)
               : tasks::make_bridges(MPI_COMM_WORLD,
                                     {.receivers = by.bridges, .choice = by.choice, .sending = by.sending});
}

/// All ways with one size, in turns.
void compare(const std::vector<way> &ways, std::size_t bytes) {
    constexpr int turns = 5;
    times own{"local copy", {}, {}}, plain{"plain MPI", {}, {}};
    std::vector<times> taken;
    for (const way &each : ways) {
        taken.push_back({each.name, {}, {}});
    }
    for (int turn = 0; turn < turns; ++turn) {
        local(own, bytes);
        raw(plain, bytes);
        for (std::size_t i = 0; i < ways.size(); ++i) {
            packets(taken[i], *connect(ways[i]), bytes);
        }
    }
    print(own, bytes);
    print(plain, bytes);
    for (const times &each : taken) {
        print(each, bytes);
    }
}

// Sends 200 packets to a rank that sleeps for a second.
void calls_while_asleep(const way &by) {
    const auto between = connect(by);
    times taken{by.name + ", asleep", {}, {}};
    constexpr int packets = 200;
    MPI_Barrier(MPI_COMM_WORLD);
    int got = 0;
    if (rank == 1) {
        std::this_thread::sleep_for(std::chrono::seconds{1});
        while (got < packets) {
            between->wait([&](int, std::span<const std::byte>) { ++got; });
        }
    } else {
        for (int i = 0; i < packets; ++i) {
            std::vector<std::byte> packet(1000);
            const double begin = now();
            between->send(1, std::move(packet));
            taken.calls.push_back(now() - begin);
        }
    }
    while (!between->has_sent_all()) {
        between->poll([](int, std::span<const std::byte>) {});
    }
    print(taken, 1000);
    MPI_Barrier(MPI_COMM_WORLD);
}

// All ranks but 0 send packets to it at once. @return seconds, the same on all ranks
double crowd(const way &by, std::size_t bytes, int count) {
    const auto between = connect(by);
    const int senders = between->ranks() - 1;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    if (rank == 0) {
        for (int got = 0; got < senders * count;) {
            between->wait([&](int, std::span<const std::byte>) { ++got; });
        }
    } else {
        for (int i = 0; i < count; ++i) {
            between->send(0, std::vector<std::byte>(bytes));
            if (i % 16 == 0) {
                between->poll([](int, std::span<const std::byte>) {});
            }
        }
    }
    while (!between->has_sent_all()) {
        between->poll([](int, std::span<const std::byte>) {});
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (now() - begin) * 1e-6;
}

double crowd_of_messages(std::size_t bytes, int count) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<char> data(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    for (int i = 0; i < (rank == 0 ? (ranks - 1) * count : count); ++i) {
        if (rank == 0) {
            MPI_Recv(data.data(), static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        } else {
            MPI_Send(data.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (now() - begin) * 1e-6;
}

void compare_crowds(std::size_t bytes, int count) {
    std::vector<way> ways{{"plain MPI", -1, {}}, {"without bridges", 0, {}}};
    for (const int bridges : {1, 3, 6}) {
        ways.push_back({std::to_string(bridges) + " bridges, pool", bridges, tasks::sending_mode::pool});
        ways.push_back(
            {std::to_string(bridges) + " bridges, blocking", bridges, tasks::sending_mode::blocking});
    }
    std::vector<std::vector<double>> taken(ways.size());
    for (int turn = 0; turn < 5; ++turn) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            taken[i].push_back(ways[i].bridges < 0 ? crowd_of_messages(bytes, count)
                                                   : crowd(ways[i], bytes, count));
        }
    }
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (std::size_t i = 0; rank == 0 && i < ways.size(); ++i) {
        const double packets = static_cast<double>(count) * (ranks - 1);
        std::printf("%-38s %8zu bytes from %d ranks: %9.0f packets/s %9.1f MB/s\n", ways[i].name.c_str(),
                    bytes, ranks - 1, packets / quantile(taken[i], 0.5),
                    packets * static_cast<double>(bytes) * 1e-6 / quantile(taken[i], 0.5));
    }
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// What receivers without anything to receive take of a core.
void idle(int bridges) {
    const auto between = connect({"", bridges, tasks::sending_mode::pool});
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = processor_seconds();
    std::this_thread::sleep_for(std::chrono::seconds{3});
    if (rank == 0) {
        std::printf("%d idle bridges take %.1f %% of a core\n", bridges,
                    (processor_seconds() - begin) / 3 * 100);
        std::fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char **argv) {
    int granted = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rounds = argc > 1 ? std::atoi(argv[1]) : rounds;
    const std::string part = argc > 2 ? argv[2] : "all";
    if (int ranks = 0; MPI_Comm_size(MPI_COMM_WORLD, &ranks), ranks != 2) {
        compare_crowds(1000, 10 * rounds);
        compare_crowds(200000, rounds);
        MPI_Finalize();
        return 0;
    }
    const std::vector<way> one_bridge{{"without bridges", 0, {}},
                                      {"1 bridge, blocking", 1, tasks::sending_mode::blocking},
                                      {"1 bridge, thread-per-send", 1, tasks::sending_mode::thread_per_send},
                                      {"1 bridge, pool", 1, tasks::sending_mode::pool}};
    for (const std::size_t bytes : {1000, 10000, 50000, 100000, 200000, 1000000, 8000000}) {
        if (part != "bridges") {
            compare(one_bridge, bytes);
        }
    }
    for (const auto &[name, sending] : tasks::sending_modes()) {
        if (part == "sizes") {
            break;
        }
        std::vector<way> by_number;
        for (int bridges = 1; bridges <= 6; ++bridges) {
            by_number.push_back({std::to_string(bridges) + " bridges, " + name, bridges, sending});
        }
        compare(by_number, 200000);
        for (way &each : by_number) { // all but the first have nothing to do
            each.name += ", least-busy";
            each.choice = tasks::bridge_choice::least_busy;
        }
        compare(by_number, 200000);
    }
    for (const way &each : one_bridge) {
        calls_while_asleep(each);
    }
    for (const int bridges : {1, 6}) {
        idle(bridges);
    }
    MPI_Finalize();
    return 0;
}
