// SPDX-License-Identifier: Apache-2.0
// A field of a square grid goes from a component whose ranks have stripes of rows to one whose ranks have
// tiles: what it takes to begin the job, and a step beside one written by hand for these two decompositions
// (a send or a receive of a subarray for each pair of ranks, started again and again). With a second side the
// receiver has a grid of its own, and the field is regridded by bilinear weights; with a file's name they are
// written there, and read again before the job begins. Prints the slowest rank's times, those of steps as the
// median of five rounds in turns, and how much memory the processes have taken besides the fields.
//
//     mpirun -n 8 bench_couple_components [senders] [points of a side] [steps of a round] [other side]
//     [weights.nc]
#include <mpi.h>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lisle/couple/interpolation.hpp"
#include "lisle/couple/job.hpp"
#include "lisle/couple/weight_file.hpp"

namespace {

namespace couple = lisle::couple;
using couple::decomposition;
int rank, senders, receivers;

/// A rectangle of the grid.
struct part {
    std::array<std::int64_t, 2> begin, extents;
    [[nodiscard]] std::int64_t points() const { return extents[0] * extents[1]; }
    [[nodiscard]] decomposition of(std::int64_t side) const {
        return decomposition::block(std::array{side, side}, begin, extents);
    }
    template <class Visit> void for_points(const Visit &visit) const {
        std::size_t place = 0;
        for (std::int64_t row = 0; row != extents[0]; ++row) {
            for (std::int64_t column = 0; column != extents[1]; ++column) {
                visit(place++, begin[0] + row, begin[1] + column);
            }
        }
    }
};
std::int64_t cut(std::int64_t side, int which, int parts) {
    return side * which / parts;
}
part stripe_of(int sender, std::int64_t side) {
    const std::int64_t first = cut(side, sender, senders);
    return {{first, 0}, {cut(side, sender + 1, senders) - first, side}};
}
part tile_of(int receiver, std::int64_t side) {
    // More of them beside each other than below each other, so that two are no stripes.
    std::array<int, 2> shape{0, 0};
    MPI_Dims_create(receivers, 2, shape.data());
    const auto [columns, rows] = shape;
    const int row = receiver / columns, column = receiver % columns;
    const std::int64_t top = cut(side, row, rows), left = cut(side, column, columns);
    return {{top, left}, {cut(side, row + 1, rows) - top, cut(side, column + 1, columns) - left}};
}

/// The same step without a coupler.
class by_hand {
  public:
    by_hand(const part &own, std::int64_t side, double *data) {
        const bool sends = rank < senders;
        for (int other = 0; other != (sends ? receivers : senders); ++other) {
            add_common(own, sends ? tile_of(other, side) : stripe_of(other, side),
                       sends ? senders + other : other, data, sends);
        }
    }
    by_hand(const by_hand &) = delete;
    by_hand &operator=(const by_hand &) = delete;
    ~by_hand() {
        for (MPI_Request &each : requests_) {
            MPI_Request_free(&each);
        }
    }
    void operator()() {
        MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

  private:
    void add_common(const part &own, const part &other, int peer, double *data, bool sends) {
        std::array<int, 2> extents{}, common{}, begin{};
        for (std::size_t d = 0; d < 2; ++d) {
            const std::int64_t first = std::max(own.begin[d], other.begin[d]);
            const std::int64_t end =
                std::min(own.begin[d] + own.extents[d], other.begin[d] + other.extents[d]);
            if (first >= end) {
                return;
            }
            extents[d] = static_cast<int>(own.extents[d]);
            common[d] = static_cast<int>(end - first);
            begin[d] = static_cast<int>(first - own.begin[d]);
        }
        MPI_Datatype type;
        MPI_Type_create_subarray(2, extents.data(), common.data(), begin.data(), MPI_ORDER_C, MPI_DOUBLE,
                                 &type);
        MPI_Type_commit(&type);
        requests_.push_back(MPI_REQUEST_NULL);
        if (sends) {
            MPI_Send_init(data, 1, type, peer, 0, MPI_COMM_WORLD, &requests_.back());
        } else {
            MPI_Recv_init(data, 1, type, peer, 0, MPI_COMM_WORLD, &requests_.back());
        }
        MPI_Type_free(&type);
    }

    std::vector<MPI_Request> requests_;
};

/// Where a point lies in the unit square.
couple::corner corner_of(std::int64_t row, std::int64_t column, std::int64_t side) {
    const auto at = [side](std::int64_t index) {
        return (static_cast<double>(index) + 0.5) / static_cast<double>(side);
    };
    return {at(column), at(row)};
}
/// What bilinear weights keep, and what differs at each time.
double value_of(std::int64_t row, std::int64_t column, std::int64_t side, std::int64_t time) {
    const couple::corner where = corner_of(row, column, side);
    return 3 * where.x - 2 * where.y + 0.25 * static_cast<double>(time);
}

/// Seconds of the slowest rank.
template <class Part> double seconds(const Part &part) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    part();
    double took = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

/// Of so many steps, one after the other.
template <class Step> double step_of(std::int64_t steps, Step &step) {
    return seconds([&] {
               for (std::int64_t at = 0; at != steps; ++at) {
                   step();
               }
           }) /
           static_cast<double>(steps);
}
double median(std::vector<double> of) {
    std::ranges::sort(of);
    return of[of.size() / 2];
}

/// The most that the processes of all ranks have had in memory since their own call of this, in MB, less what
/// they had then.
class memory {
  public:
    memory() {
        MPI_Barrier(MPI_COMM_WORLD); // ranks of one process have all that they had before
        malloc_trim(0);
        MPI_Barrier(MPI_COMM_WORLD);
        std::ofstream{"/proc/self/clear_refs"} << 5; // the peak begins anew
        before_ = peak();
    }
    [[nodiscard]] double taken() const {
        // getpid() differs from rank to rank, as if each were a process of its own.
        const std::string process = std::filesystem::read_symlink("/proc/self");
        const std::array<double, 2> own{std::stod(process), peak() - before_};
        std::vector<std::array<double, 2>> all(static_cast<std::size_t>(senders + receivers));
        MPI_Allgather(own.data(), 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, MPI_COMM_WORLD);
        std::map<double, double> of_process;
        for (const auto &[process, megabytes] : all) {
            of_process[process] = std::max(of_process[process], megabytes);
        }
        double sum = 0;
        for (const auto &[process, megabytes] : of_process) {
            sum += megabytes;
        }
        return sum;
    }

  private:
    static double peak() {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        return static_cast<double>(used.ru_maxrss) / 1024;
    }
    double before_;
};

/// The elements between the points of a stripe and the next row.
couple::mesh_elements elements_of(const part &stripe, std::int64_t side) {
    couple::mesh_elements all;
    stripe.for_points([&](std::size_t, std::int64_t row, std::int64_t column) {
        if (row + 1 != side && column + 1 != side) {
            const auto vertex_at = [side](std::int64_t r, std::int64_t c) {
                return couple::vertex{.point = r * side + c, .at = corner_of(r, c, side)};
            };
            all.add(std::array{vertex_at(row, column), vertex_at(row, column + 1),
                               vertex_at(row + 1, column + 1), vertex_at(row + 1, column)});
        }
    });
    return all;
}
std::vector<couple::located_point> points_of(const part &tile, std::int64_t side) {
    std::vector<couple::located_point> all;
    tile.for_points([&](std::size_t place, std::int64_t row, std::int64_t column) {
        all.push_back({static_cast<std::int64_t>(place), corner_of(row, column, side)});
    });
    return all;
}

/// Bilinear weights of the receivers' points.
std::vector<couple::weight> made_weights(const part &own, std::int64_t side, std::int64_t other_side) {
    const bool sends = rank < senders;
    const couple::interpolation_weights made =
        couple::bilinear_weights(MPI_COMM_WORLD, sends ? elements_of(own, side) : couple::mesh_elements{},
                                 sends ? std::vector<couple::located_point>{} : points_of(own, other_side));
    if (!made.missed.empty()) {
        std::fprintf(stderr, "the receiver's side is %lld, which must be at most the sender's, %lld\n",
                     static_cast<long long>(other_side), static_cast<long long>(side));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made.weights;
}

/// The caller's part of the field, and how it is coupled.
struct coupled_field {
    part own;
    std::int64_t side, other_side; ///< of the sender's grid and of the receiver's
    std::vector<couple::weight> weights{};
    std::string weight_file{}; ///< empty: the weights are there
    std::vector<double> values{};

    [[nodiscard]] bool regrids() const { return side != other_side; }
    [[nodiscard]] decomposition wanted() const {
        return rank < senders ? decomposition{other_side * other_side} : own.of(other_side);
    }
    void declare(couple::component &self) {
        const auto place = couple::field_place::of(values.data());
        if (rank < senders) {
            self.offers({.name = "field", .place = place, .points = own.of(side)});
        } else {
            self.wants({.name = "field",
                        .place = place,
                        .points = own.of(other_side),
                        .from = "sender",
                        .weights = std::move(weights),
                        .regrids = regrids()});
        }
    }
    void set(std::int64_t time) {
        own.for_points([&](std::size_t place, std::int64_t row, std::int64_t column) {
            values[place] = value_of(row, column, side, time);
        });
    }
    void check(std::int64_t time) const {
        own.for_points([&](std::size_t place, std::int64_t row, std::int64_t column) {
            const double expected = value_of(row, column, other_side, time);
            if (std::abs(values[place] - expected) > (regrids() ? 1e-12 : 0)) {
                std::fprintf(stderr, "rank %d has got %.17g for the point (%lld, %lld) and not %.17g\n", rank,
                             values[place], static_cast<long long>(row), static_cast<long long>(column),
                             expected);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        });
    }
};

/// Checks three steps, and times the others, beside as many by hand where both grids are the same.
void run(coupled_field &field, std::int64_t steps) {
    constexpr std::int64_t checked = 3, rounds = 5;
    const bool sends = rank < senders;
    const std::string name = sends ? "sender" : "receiver";
    const memory before;
    const double reading = seconds([&] {
        if (!field.weight_file.empty()) {
            field.weights = couple::read_weights(MPI_COMM_WORLD, field.weight_file, field.wanted(),
                                                 field.side * field.side);
        }
    });
    std::optional<couple::job> job;
    const double begin = seconds([&] {
        job.emplace(MPI_COMM_WORLD, std::vector{name});
        (*job)[name].runs({.period = 1, .end = checked + rounds * steps});
        field.declare((*job)[name]);
        job->begin();
    });
    couple::component &self = (*job)[name];
    const auto step = [&] {
        self.put();
        self.get();
        self.advance();
    };
    for (std::int64_t time = 0; time != checked; ++time) {
        if (sends) {
            field.set(time);
        }
        step();
        if (!sends) {
            field.check(time);
        }
    }
    const double taken = before.taken();
    std::optional<by_hand> plain;
    if (!field.regrids()) {
        plain.emplace(field.own, field.side, field.values.data());
    }
    std::vector<double> coupled, plainly;
    for (std::int64_t round = 0; round != rounds; ++round) {
        coupled.push_back(step_of(steps, step));
        if (plain) {
            plainly.push_back(step_of(steps, *plain));
        }
    }
    if (rank == 0) {
        std::printf("%d to %d ranks, side %lld: begin %.2f ms, %.1f MB; a step %.3f ms", senders, receivers,
                    static_cast<long long>(field.side), begin * 1e3, taken, median(coupled) * 1e3);
        if (!field.weight_file.empty()) {
            std::printf(", weights read in %.2f ms", reading * 1e3);
        }
        if (plain) {
            std::printf(", by hand %.3f ms, ratio %.2f", median(plainly) * 1e3,
                        median(coupled) / median(plainly));
        }
        std::printf("\n");
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto number = [&](int at, std::int64_t otherwise) {
        return argc > at ? std::atoll(argv[at]) : otherwise;
    };
    senders = static_cast<int>(number(1, ranks / 2));
    receivers = ranks - senders;
    const std::int64_t side = number(2, 1000), steps = number(3, 20), other_side = number(4, side);
    {
        coupled_field field{rank < senders ? stripe_of(rank, side) : tile_of(rank - senders, other_side),
                            side, other_side};
        field.values.assign(static_cast<std::size_t>(field.own.points()), -1);
        if (field.regrids()) {
            field.weights = made_weights(field.own, side, other_side);
        }
        if (argc > 5) {
            couple::write_weights(MPI_COMM_WORLD, argv[5], field.weights, field.wanted(), side * side,
                                  couple::weight_format::scrip);
            field.weights = {};
            field.weight_file = argv[5];
        }
        run(field, steps);
    }
    MPI_Finalize();
}
