// SPDX-License-Identifier: Apache-2.0
// Coupled models: random systems of 2 to 8 models with delays, different periods and offsets, and early ends,
// none of which may deadlock or run ahead; what is read against what was posted; arrays of all shapes; the
// example.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "examples/task/ocean_atmosphere.hpp"
#include "lisle/couple.h"
#include "lisle/couple.hpp"

namespace {

namespace couple = lisle::couple;
int rank, ranks, failures;

void expect(bool holds, const std::string &what) {
    if (!holds) {
        ++failures;
        std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
    }
}

/// What a field of a model is at a time: linear in time, so interpolation has to be exact.
double value_of(int model, couple::ticks time) {
    return 100.0 * model + 0.5 * static_cast<double>(time);
}

/// A random system, the same on all ranks. One rank is one model.
void run_random(unsigned seed) {
    std::mt19937 common{seed}, own{seed * 31 + static_cast<unsigned>(rank)};
    const auto below = [](std::mt19937 &generator, int n) {
        return static_cast<int>(generator() % static_cast<unsigned>(n));
    };
    struct plan {
        couple::ticks period, offset, end;
    };
    std::vector<plan> plans(static_cast<std::size_t>(ranks));
    std::vector<std::set<int>> connected(static_cast<std::size_t>(ranks));
    for (int i = 0; i < ranks; ++i) {
        const couple::ticks period = 1 + below(common, 5), offset = below(common, 4);
        plans[static_cast<std::size_t>(i)] = {period, offset,
                                              offset + period * below(common, 8)}; // some end at once
        for (int j = 0; j < i; ++j) {
            if (below(common, 3) != 0) {
                connected[static_cast<std::size_t>(i)].insert(j);
                connected[static_cast<std::size_t>(j)].insert(i);
            }
        }
    }
    const auto &mine = plans[static_cast<std::size_t>(rank)];
    couple::settings how{"m" + std::to_string(rank), mine.period, mine.offset};
    for (const int other : connected[static_cast<std::size_t>(rank)]) {
        if (other < rank) { // one side is enough
            how.connected.push_back("m" + std::to_string(other));
        }
    }
    couple::model model{MPI_COMM_WORLD, how};
    const auto delay = [&] {
        int flag = 0;
        for (int turns = below(own, 4) * below(own, 20); turns > 0; --turns) {
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); // others run
        }
    };
    const auto post = [&] {
        const double now = value_of(rank, model.time());
        model.post("x", couple::view<const double>{&now, 1});
    };
    post();
    while (model.time() < mine.end) {
        delay();
        model.sync();
        for (const int other : connected[static_cast<std::size_t>(rank)]) {
            const auto &theirs = plans[static_cast<std::size_t>(other)];
            const auto name = "m" + std::to_string(other);
            // To be here, this model may lead by nothing: in its step it leads by its period at most.
            const auto reached = model.progress_of(name);
            expect(reached.is_finished || reached.time >= model.time(),
                   name + " is behind in run " + std::to_string(seed));
            if (below(own, 2) == 0) {
                const couple::ticks when = std::clamp(model.time(), theirs.offset, theirs.end);
                const double wanted = value_of(other, when), got = model.read<double>(name, "x").values[0];
                expect(std::abs(got - wanted) < 1e-9,
                       name + " at " + std::to_string(model.time()) + " is " + std::to_string(got) +
                           ", not " + std::to_string(wanted) + ", in run " + std::to_string(seed));
            }
        }
        model.advance();
        delay();
        post();
    }
    model.finish();
}

/// Arrays of one to three dimensions between two models, with several types.
void test_arrays(int n, int steps) {
    if (rank > 1) {
        couple::model{MPI_COMM_WORLD, {.name = "idle" + std::to_string(rank)}}.finish();
        return;
    }
    const auto size = static_cast<std::size_t>(n);
    if (rank == 0) {
        couple::model producer{MPI_COMM_WORLD, {.name = "producer", .period = 1, .connected = {"consumer"}}};
        std::vector<double> line(size), cube(size * size * size);
        std::vector<int> plane(size * 2 * size);
        for (int step = 0; step <= steps; ++step) {
            for (std::size_t i = 0; i < cube.size(); ++i) {
                cube[i] = static_cast<double>(i % 1000) + step;
            }
            std::fill(line.begin(), line.end(), step);
            for (std::size_t i = 0; i < plane.size(); ++i) {
                plane[i] = static_cast<int>(i) * (step + 1);
            }
            producer.post("line", couple::view{line});
            producer.post("cube", couple::view<double>{cube.data(), n, n, n});
            producer.post("odd columns", couple::view<int>{plane.data() + 1, {n, n, 1}, {2 * n, 2, 1}});
            producer.sync();
            producer.advance();
        }
        producer.finish();
        return;
    }
    couple::model consumer{MPI_COMM_WORLD, {.name = "consumer", .period = 20}};
    for (int step = 0; step <= steps; step += 20) {
        consumer.sync();
        const auto line = consumer.read<double>("producer", "line");
        expect(line.extents[0] == n && line(n - 1) == step, "the line of step " + std::to_string(step));
        const auto cube = consumer.read<double>("producer", "cube");
        double sum = 0, wanted = 0;
        for (std::size_t i = 0; i < cube.values.size(); ++i) {
            sum += cube.values[i];
            wanted += static_cast<double>(i % 1000) + step;
        }
        expect(cube.extents[2] == n && sum == wanted, "the cube of step " + std::to_string(step));
        const auto odd = consumer.read<int>("producer", "odd columns");
        expect(odd(n - 1, n - 1) == (2 * n * n - 1) * (step + 1),
               "odd columns of step " + std::to_string(step));
        consumer.advance();
    }
    consumer.finish();
}

void test_refusals() {
    try {
        couple::model{MPI_COMM_WORLD, {.name = "same"}};
        expect(ranks == 1, "two models with one name are refused");
    } catch (const std::invalid_argument &) {
    }
    couple::model model{MPI_COMM_WORLD,
                        {.name = std::to_string(rank), .connected = {std::to_string((rank + 1) % ranks)}}};
    const double one = 1;
    model.post("x", couple::view<const double>{&one, 1});
    bool is_refused = false;
    try {
        model.post("x", couple::view<const double>{&one, 1});
    } catch (const std::logic_error &) {
        is_refused = true;
    }
    expect(is_refused, "two values for one time are refused");
    is_refused = false;
    try {
        model.read<float>(std::to_string((rank + 1) % ranks), "x");
    } catch (const std::invalid_argument &) {
        is_refused = true;
    }
    expect(is_refused, "a wrong type is refused");
    model.finish();
}

void test_example() {
    coupled::grid air, water;
    coupled::run_serial(air, water);
    MPI_Comm models;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : 1, rank, &models);
    if (rank < 2) {
        const coupled::grid mine = rank == 0 ? coupled::run_atmosphere(models) : coupled::run_ocean(models);
        const coupled::grid &serial = rank == 0 ? air : water;
        double largest = 0;
        for (std::size_t i = 0; i < mine.size(); ++i) {
            largest = std::max(largest, std::abs(mine[i] - serial[i]));
        }
        expect(largest < 1e-6, "coupled and serial differ by " + std::to_string(largest));
    }
    MPI_Comm_free(&models);
}

void test_c() {
    lisle_model *model = nullptr;
    const std::string mine = "c" + std::to_string(rank), next = "c" + std::to_string((rank + 1) % ranks);
    expect(lisle_couple_init(MPI_COMM_WORLD, mine.c_str(), 1, 0, next.c_str(), &model) == 0,
           lisle_couple_message(model));
    const int64_t shape[3]{2, 1, 1};
    for (int step = 0; step < 5; ++step) {
        const double values[2]{1.0 * rank, 1.0 * step};
        expect(lisle_couple_post(model, "x", values, shape) == 0, lisle_couple_message(model));
        expect(lisle_couple_sync(model) == 0, lisle_couple_message(model));
        double got[2]{};
        int64_t extents[3]{};
        expect(lisle_couple_read(model, next.c_str(), "x", got, 1, extents) == -1,
               "too little room is refused");
        expect(lisle_couple_read(model, next.c_str(), "x", got, 2, extents) == 0,
               lisle_couple_message(model));
        expect(got[0] == (rank + 1) % ranks && got[1] == step && extents[0] == 2, "values through C");
        lisle_couple_advance(model);
    }
    expect(lisle_couple_finish(&model) == 0 && model == nullptr, "finish through C");
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int runs = argc > 1 ? std::atoi(argv[1]) : 100, cube = argc > 2 ? std::atoi(argv[2]) : 16;
    try {
        for (int seed = 1; seed <= runs; ++seed) {
            run_random(static_cast<unsigned>(seed));
        }
        if (ranks > 1) {
            test_arrays(cube, 200);
            test_refusals();
            test_example();
            test_c();
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
