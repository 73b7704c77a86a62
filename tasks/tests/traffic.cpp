// SPDX-License-Identifier: Apache-2.0
// Much traffic between tiles of the machine: from every tile to every tile, a thousand large objects,
// machines that end with parcels under way, a producer that is faster than its consumer. See job.hpp for the
// arguments; the fifth: how often a machine starts and stops.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

#include "job.hpp"

namespace {

using namespace test;

std::optional<job> here; ///< since main()

/// How many of these have run on this rank; any thread of it.
std::atomic<long> consumed{0};

long consume(const std::string &load) {
    ++consumed; // relaxed would do: it is read after the machine's end
    volatile long turns = 0;
    while (turns < 20000) { // about 20 us
        turns = turns + 1;
    }
    return static_cast<long>(load.size());
}

long count_call(long number) {
    ++consumed;
    return number;
}

std::string payload(long bytes) {
    return std::string(static_cast<std::size_t>(bytes), 'x');
}

tasks::registry all_kernels() {
    tasks::registry kernels;
    add_probe(kernels);
    kernels.add("traffic.consume", &consume);
    kernels.add("traffic.count", &count_call);
    kernels.add("traffic.payload", &payload);
    return kernels;
}

void test_all_pairs(tasks::machine &machine) {
    const long tiles = machine.place().tiles;
    const auto got =
        machine
            .evaluate(tasks::read("(seq (par-for i 0 (tiles) (run '(par-for j 0 (tiles) (probe.note[j] "
                                  "(+ (* i (tiles)) j))) i)) (map (lambda (t) (probe.noted[t])) "
                                  "(range (tiles))))"))
            .as<std::vector<std::vector<long>>>();
    for (long to = 0; to < tiles; ++to) {
        std::vector<long> numbers = got.at(static_cast<std::size_t>(to)), wanted;
        std::ranges::sort(numbers);
        for (long from = 0; from < tiles; ++from) {
            wanted.push_back(from * tiles + to);
        }
        here->expect(numbers == wanted,
                     "tile " + std::to_string(to) + " has not had one parcel of each tile");
    }
}

void test_many_objects(tasks::machine &machine) {
    const std::string sum = outcome(
        machine,
        "(let ((vs (map (lambda (i) (probe.numbers@0 3000 i)) (range 1000)))) (fold + (map (lambda (v) "
        "(probe.sum@(- (ranks) 1) v)) vs)))");
    // Element j of object i is i + j.
    here->expect_equal(sum, "5997000000.0", "the sum of a thousand objects");
}

long largest_memory() { // KiB
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long most_growth = std::numeric_limits<long>::max(); // sanitizers keep what is freed
#else
constexpr long most_growth = 60'000; // KiB
#endif

// 8,000 parcels of 15,000 bytes, 120 MB, are sent faster than they are used.
void test_memory_bound(tasks::machine &machine) {
    const long before = largest_memory();
    here->expect_equal(
        outcome(machine, "(par-for i 0 8000 (traffic.consume[(- (tiles) 1)] (traffic.payload[0] 15000)))"),
        "()", "the producer's program");
    const long grown = largest_memory() - before;
    here->expect(grown < most_growth, "memory has grown by " + std::to_string(grown) + " KiB");
}

/// Runs a function on rank 0 of a machine while the others work for it.
template <class Body> void with_machine(Body body) {
    const tasks::registry kernels = all_kernels();
    const auto between = here->connect();
    tasks::machine machine{kernels, *between, {.tiles = here->tiles}};
    if (here->rank == 0) {
        body(machine);
    }
    machine.finish();
    here->expect(machine.counts().objects_kept == 0, "objects are kept after the end");
    here->expect(machine.counts().most_waiting < 300,
                 std::to_string(machine.counts().most_waiting) + " tasks waited for credit");
}

// Programs are started and not waited for: the end comes when all that they have sent is done.
void test_starts_and_stops(int cycles) {
    const tasks::registry kernels = all_kernels();
    const auto between = here->connect();
    consumed = 0;
    for (int cycle = 0; cycle < cycles; ++cycle) {
        tasks::machine machine{kernels, *between, {.tiles = here->tiles}};
        if (here->rank == cycle % here->ranks) {
            machine.start(tasks::read("(par-for i 0 20 (traffic.count[(mod i (tiles))] i))"));
        }
        machine.finish();
    }
    long mine = consumed, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    here->expect(all == 20L * cycles, std::to_string(all) + " calls were made in " + std::to_string(cycles) +
                                          " machines, not 20 in each");
}

} // namespace

int main(int argc, char **argv) {
    here.emplace(argc, argv);
    const int cycles = argc > 5 ? std::atoi(argv[5]) : 30;
    return here->run([&] {
        with_machine(test_memory_bound);
        with_machine(test_all_pairs);
        with_machine(test_many_objects);
        test_starts_and_stops(cycles);
    });
}
