// SPDX-License-Identifier: Apache-2.0
// Coupled models of one rank each: random systems of 2 to 8 of them with delays, different periods, offsets
// and ends, of which none may deadlock or run ahead; what is got against what was put; arrays with strides;
// the example on all ranks.
//
// Usage: coupling [RUNS [POINTS]]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "examples/task/ocean_atmosphere.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/job.hpp"

namespace {

namespace couple = lisle::couple;
using couple::over_time;
using couple::ticks;

int below(std::mt19937 &random, int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
}

/// Lets others run.
void loiter(int turns) {
    for (int flag = 0; turns > 0; --turns) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
}

/// The time to which each rank has come, for all to look at.
class progress {
  public:
    explicit progress(const lisle::communicator &all) {
        MPI_Win_allocate(sizeof(ticks), sizeof(ticks), MPI_INFO_NULL, all.native(), &reached_, &window_);
        *reached_ = 0;
        rank_ = all.rank();
        all.barrier();
        MPI_Win_lock_all(0, window_);
    }
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;
    ~progress() {
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    void publish(ticks time) { exchanged(rank_, time, MPI_REPLACE); }
    [[nodiscard]] ticks of(int rank) { return exchanged(rank, 0, MPI_NO_OP); }

  private:
    ticks exchanged(int rank, ticks value, MPI_Op how) {
        ticks before = 0;
        MPI_Fetch_and_op(&value, &before, MPI_INT64_T, rank, 0, how, window_);
        MPI_Win_flush(rank, window_);
        return before;
    }
    ticks *reached_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    int rank_ = 0;
};

/// How far a sender may have come when a receiver is about to get at a time: until a step of each after the
/// receiver's next value that it has not got yet; what is left has been given away for good.
ticks farthest(const couple::timetable &when, ticks now) {
    const couple::steps &sender = when.sender(), &receiver = when.receiver();
    for (std::int64_t step = receiver.step_at(now); step != receiver.count(); ++step) {
        const couple::ingredients of = when.of_step(step);
        if (!of.none() && (step == 0 || when.of_step(step - 1).last != of.last)) {
            return std::max(receiver.time(step), sender.time(of.last)) + receiver.period + sender.period;
        }
    }
    return couple::end_of_time;
}

/// What a field of a model is at a time: linear in time, so that the straight line is exact.
double value_of(int model, ticks time) {
    return 100.0 * model + 0.5 * static_cast<double>(time);
}

// What all ranks draw alike.
struct drawn_want {
    int from;
    over_time how;
    ticks lag;
};
struct drawn_model {
    couple::steps when;
    std::vector<drawn_want> wants;
};

std::vector<drawn_model> draw(std::mt19937 &random, int models) {
    std::vector<drawn_model> all(static_cast<std::size_t>(models));
    for (int self = 0; self != models; ++self) {
        drawn_model &each = all[static_cast<std::size_t>(self)];
        each.when = {1 + below(random, 5), below(random, 4), 0};
        each.when.end = each.when.offset + each.when.period * below(random, 8); // some end at once
        for (int other = 0; other != models; ++other) {
            if (other != self && below(random, 3) != 0) {
                each.wants.push_back({other, below(random, 2) == 0 ? over_time::latest : over_time::linear,
                                      below(random, 3) == 0 ? below(random, 6) : 0});
            }
        }
    }
    return all;
}

double expected(const drawn_want &want, const couple::steps &sender, ticks now) {
    if (sender.count() == 0) {
        return -1; // which nobody changes
    }
    const ticks last = sender.time(sender.count() - 1),
                when = std::clamp(now - want.lag, sender.offset, last);
    return value_of(want.from, want.how == over_time::linear ? when : sender.time(sender.step_at(when)));
}

/// A random system. One rank is one model.
void run_random(const lisle::communicator &all, unsigned seed) {
    const int rank = all.rank();
    std::mt19937 common{seed}, own{seed * 31 + static_cast<unsigned>(rank)};
    const std::vector<drawn_model> drawn = draw(common, all.size());
    const drawn_model &mine = drawn[static_cast<std::size_t>(rank)];
    const std::string name = "m" + std::to_string(rank);
    progress reached{all};
    couple::job job{all.native(), {name}};
    couple::component &self = job[name];
    const auto point = couple::decomposition::list(1, std::vector<couple::global_index>{0});
    double value = 0;
    std::deque<double> got;
    self.runs(mine.when);
    self.offers({"x", couple::field_place::of(&value), point});
    for (const drawn_want &each : mine.wants) {
        const std::string from = "m" + std::to_string(each.from);
        self.wants(
            {from, couple::field_place::of(&got.emplace_back(-1)), point, from, "x", each.how, each.lag});
    }
    job.begin();
    while (!self.is_at_end()) {
        const ticks now = self.time();
        reached.publish(now);
        loiter(below(own, 4) * below(own, 20));
        value = value_of(rank, now);
        self.put();
        for (std::size_t at = 0; at != mine.wants.size(); ++at) {
            const drawn_want &each = mine.wants[at];
            const couple::steps &sender = drawn[static_cast<std::size_t>(each.from)].when;
            const std::string from = "m" + std::to_string(each.from);
            const std::string of =
                name + " has " + from + " at " + std::to_string(now) + " in run " + std::to_string(seed);
            const ticks come = reached.of(each.from),
                        at_most = farthest({sender, mine.when, each.how, each.lag}, now);
            CHECK_EQ(of, come <= at_most ? of
                                         : "when that has come to " + std::to_string(come) +
                                               ", not at most " + std::to_string(at_most));
            self.get(from);
            const double right = expected(each, sender, now);
            CHECK_EQ(of + ": " + std::to_string(right), std::abs(got[at] - right) < 1e-9
                                                            ? of + ": " + std::to_string(right)
                                                            : std::to_string(got[at]));
        }
        self.advance();
    }
}

/// A fast model does not run away from a slow one, however small its fields: what it has given away is
/// memory.
void test_lead(const lisle::communicator &all, ticks end) {
    const bool is_fast = all.rank() == 0, is_slow = all.rank() == 1;
    progress reached{all};
    couple::job job{all.native(), {is_fast ? "fast" : is_slow ? "slow" : "idle"}};
    const auto point = couple::decomposition::list(1, std::vector<couple::global_index>{0});
    const couple::steps of_fast{2, 0, end}, of_slow{3, 0, end};
    double value = 0;
    if (is_fast) {
        job["fast"].runs(of_fast);
        job["fast"].offers({"x", couple::field_place::of(&value), point});
    } else if (is_slow) {
        job["slow"].runs(of_slow);
        job["slow"].wants({"x", couple::field_place::of(&value), point, "fast"});
    }
    job.begin();
    while (is_fast && !job["fast"].is_at_end()) {
        reached.publish(job["fast"].time());
        value = value_of(0, job["fast"].time());
        job["fast"].put();
        job["fast"].advance();
    }
    while (is_slow && !job["slow"].is_at_end()) {
        const ticks now = job["slow"].time();
        loiter(100);
        CHECK(reached.of(0) <= farthest({of_fast, of_slow, over_time::latest, 0}, now));
        job["slow"].get();
        CHECK_EQ(value, value_of(0, now / 2 * 2));
        job["slow"].advance();
    }
}

/// Arrays of one to three dimensions between two models, with several types and strides.
void test_arrays(const lisle::communicator &all, int n, int steps) {
    const int rank = all.rank();
    couple::job job{all.native(), {rank == 0 ? "producer" : rank == 1 ? "consumer" : "idle"}};
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> line(size), cube(size * size * size);
    std::vector<int> plane(2 * size * size, -1);
    const auto block = [](std::vector<std::int64_t> grid) {
        return couple::decomposition::block(grid, std::vector<std::int64_t>(grid.size()), grid);
    };
    couple::field_place odd = couple::field_place::of(plane.data() + 1);
    odd.point_stride = 2;
    if (rank == 0) {
        couple::component &producer = job["producer"];
        producer.runs({1, 0, steps + 1});
        producer.offers({"line", couple::field_place::of(line.data()), block({n})});
        producer.offers({"cube", couple::field_place::of(cube.data()), block({n, n, n})});
        producer.offers({"odd columns", odd, block({n, n})});
        job.begin();
        for (int step = 0; !producer.is_at_end(); ++step) {
            for (std::size_t i = 0; i < cube.size(); ++i) {
                cube[i] = static_cast<double>(i % 1000) + step;
            }
            std::ranges::fill(line, step);
            for (std::size_t i = 0; i < plane.size(); ++i) {
                plane[i] = static_cast<int>(i) * (step + 1);
            }
            producer.put();
            producer.advance();
        }
        return;
    }
    if (rank > 1) {
        job.begin();
        return;
    }
    couple::component &consumer = job["consumer"];
    consumer.runs({20, 0, steps + 1});
    consumer.wants({"line", couple::field_place::of(line.data()), block({n}), "producer"});
    consumer.wants({"cube", couple::field_place::of(cube.data()), block({n, n, n}), "producer"});
    consumer.wants({"odd columns", odd, block({n, n}), "producer"});
    job.begin();
    for (int step = 0; !consumer.is_at_end(); step += 20) {
        consumer.get();
        CHECK_EQ(std::ranges::count(line, static_cast<double>(step)), static_cast<std::ptrdiff_t>(n));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < cube.size(); ++i) {
            wrong += cube[i] == static_cast<double>(i % 1000) + step ? 0 : 1;
        }
        for (std::size_t i = 0; i < plane.size(); ++i) {
            wrong += plane[i] == (i % 2 == 0 ? -1 : static_cast<int>(i) * (step + 1)) ? 0 : 1;
        }
        CHECK_EQ(wrong, std::size_t{0});
        consumer.advance();
    }
}

void test_example(const lisle::communicator &all) {
    coupled::grid air, water;
    coupled::run_serial(air, water);
    const std::string name = coupled::model_of(all);
    couple::job job{all.native(), {name}};
    const coupled::grid mine = name == "ocean" ? coupled::run_ocean(job) : coupled::run_atmosphere(job);
    const int size = name == "ocean" ? coupled::water_size : coupled::air_size;
    const auto part = coupled::rows::of(size, lisle::communicator{job[name].ranks()});
    const coupled::grid &serial = name == "ocean" ? water : air;
    const std::size_t part_begin = coupled::rows::all(size).at(part.first, 0);
    double largest = 0;
    for (std::size_t i = 0; i != mine.size(); ++i) {
        largest = std::max(largest, std::abs(mine[i] - serial[part_begin + i]));
    }
    CHECK(largest < 1e-6);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int runs = argc > 1 ? std::atoi(argv[1]) : 40, points = argc > 2 ? std::atoi(argv[2]) : 16;
    const lisle::communicator world = lisle::world();
    for (int seed = 1; seed <= runs; ++seed) {
        run_random(world, static_cast<unsigned>(seed));
    }
    test_lead(world, 20 * std::min(runs, 1000));
    test_arrays(world, points, 200);
    if (world.size() > 1) {
        test_example(world);
    }
}
