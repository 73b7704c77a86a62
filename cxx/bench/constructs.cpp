// SPDX-License-Identifier: Apache-2.0
// What the interface's constructs cost against the same written in C's calls: layouts, objects in several
// places, ghost cells, timers, pools, checkpoints. As interface.cpp.
#include <lisle/halo.hpp>
#include <lisle/layout.hpp>
#include <lisle/lisle.hpp>
#include <lisle/pool.hpp>
#include <lisle/recover.hpp>
#include <lisle/timers.hpp>

#include "compare.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace {

// Each rank loads the program for itself, also as a thread or fiber.
int rank = 0, other = 1;

/// A message to the other rank, and one from it.
void c_exchange(const void *out, MPI_Datatype out_type, void *in, MPI_Datatype in_type) {
    MPI_Sendrecv(out, 1, out_type, other, 0, in, 1, in_type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void layouts() {
    constexpr int elements = 64;
    std::vector<double> out(16 * elements, 1.0), in(out.size());
    std::vector<int> places;
    for (int i = 0; i < elements; ++i)
        places.push_back(16 * i + i % 3);
    MPI_Datatype type;
    MPI_Type_create_indexed_block(elements, 1, places.data(), MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    const auto chosen = lisle::layout<double>::indexed(places);
    compare(
        "layout_indexed", elements * 8, 50, 1001, [&] { c_exchange(out.data(), type, in.data(), type); },
        [&] { world.sendrecv_into(chosen.of(out), chosen.of(in), {.dest = other, .source = other}); });
    MPI_Type_free(&type);
}

struct parts {
    double time = 0;
    std::array<int, 8> numbers{};
    std::vector<double> field = std::vector<double>(100);
};

/// A datatype of three objects, from the first on.
MPI_Datatype c_together(parts &all) {
    const int lengths[] = {1, 8, 100};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE};
    MPI_Aint places[3];
    MPI_Get_address(&all.time, &places[0]);
    MPI_Get_address(all.numbers.data(), &places[1]);
    MPI_Get_address(all.field.data(), &places[2]);
    for (int i = 2; i >= 0; --i)
        places[i] = MPI_Aint_diff(places[i], places[0]);
    MPI_Datatype made;
    MPI_Type_create_struct(3, lengths, places, types, &made);
    MPI_Type_commit(&made);
    return made;
}

void objects_together() {
    parts out, in;
    const auto plain = [&] {
        MPI_Datatype out_type = c_together(out);
        MPI_Datatype in_type = c_together(in);
        c_exchange(&out.time, out_type, &in.time, in_type);
        MPI_Type_free(&out_type);
        MPI_Type_free(&in_type);
    };
    compare("together", 840, 20, 501, plain, [&] {
        world.sendrecv_into(lisle::together(out.time, out.numbers, out.field),
                            lisle::together(in.time, in.numbers, in.field), {.dest = other, .source = other});
    });
}

using rows = std::vector<std::vector<double>>;

MPI_Datatype c_content(rows &cells) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (auto &row : cells) {
        MPI_Aint place;
        MPI_Get_address(row.data(), &place);
        lengths.push_back(static_cast<int>(row.size()));
        places.push_back(place);
    }
    MPI_Datatype made;
    MPI_Type_create_hindexed(static_cast<int>(cells.size()), lengths.data(), places.data(), MPI_DOUBLE,
                             &made);
    MPI_Type_commit(&made);
    return made;
}

void contents() {
    rows out(64, std::vector<double>(50)), in = out;
    MPI_Datatype out_type = c_content(out);
    MPI_Datatype in_type = c_content(in);
    const auto from = lisle::content(out);
    const auto to = lisle::content(in);
    compare(
        "content", 64 * 50 * 8, 20, 501, [&] { c_exchange(MPI_BOTTOM, out_type, MPI_BOTTOM, in_type); },
        [&] { world.sendrecv_into(from, to, {.dest = other, .source = other}); });
    MPI_Type_free(&out_type);
    MPI_Type_free(&in_type);
}

/// Ghost cells of a square of a periodic grid, prepared as a C program would: eight neighbours, a subarray
/// for each edge.
class c_halo {
  public:
    c_halo(MPI_Comm grid, double *cells, int side) {
        for (int direction = 0; direction < 9; ++direction)
            if (direction != 4) {
                const int steps[] = {direction / 3 - 1, direction % 3 - 1};
                add(grid, cells, side, steps, direction);
            }
    }
    ~c_halo() {
        for (MPI_Request &each : requests_)
            MPI_Request_free(&each);
    }
    void exchange() {
        MPI_Startall(16, requests_.data());
        MPI_Waitall(16, requests_.data(), MPI_STATUSES_IGNORE);
    }

  private:
    void add(MPI_Comm grid, double *cells, int side, const int *steps, int direction) {
        int place[2], neighbour = 0;
        MPI_Cart_coords(grid, rank, 2, place);
        const int there[] = {place[0] + steps[0], place[1] + steps[1]};
        MPI_Cart_rank(grid, there, &neighbour);
        const int whole[] = {side, side};
        int part[2], ghosts[2], edge[2];
        for (int i = 0; i < 2; ++i) {
            part[i] = steps[i] == 0 ? side - 2 : 1;
            ghosts[i] = steps[i] > 0 ? side - 1 : steps[i] == 0;
            edge[i] = steps[i] > 0 ? side - 2 : 1;
        }
        MPI_Datatype type;
        MPI_Request request;
        MPI_Type_create_subarray(2, whole, part, ghosts, MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Recv_init(cells, 1, type, neighbour, 8 - direction, grid, &request);
        MPI_Type_free(&type);
        requests_.push_back(request);
        MPI_Type_create_subarray(2, whole, part, edge, MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Send_init(cells, 1, type, neighbour, direction, grid, &request);
        MPI_Type_free(&type);
        requests_.push_back(request);
    }
    std::vector<MPI_Request> requests_;
};

void halos() {
    const auto grid = lisle::cartesian::create(world, {2, 1}, {.periodic = true});
    for (const int side : {34, 258}) {
        std::vector<double> cells(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
        c_halo plain{grid.native(), cells.data(), side};
        lisle::halo ghosts{grid, lisle::strided{cells.data(), {side, side}, {side, 1}}, 1};
        compare(
            "halo", side, 5, 501, [&] { plain.exchange(); }, [&] { ghosts.exchange(); });
    }
}

/// What a C program writes that wants to know its regions' times by name.
class c_timers {
  public:
    void begin(const char *name) {
        int i = 0;
        while (i < used_ && (around_[i] != open_ || std::strcmp(names_[i], name) != 0))
            ++i;
        if (i == used_) {
            names_[i] = name;
            around_[i] = open_;
            ++used_;
        }
        open_ = i;
        begun_[i] = MPI_Wtime();
    }
    void end() {
        seconds_[open_] += MPI_Wtime() - begun_[open_];
        ++calls_[open_];
        open_ = around_[open_];
    }

  private:
    int used_ = 0, open_ = -1;
    const char *names_[16]{};
    int around_[16]{};
    double begun_[16]{}, seconds_[16]{};
    long calls_[16]{};
};

void regions() {
    c_timers plain;
    lisle::timers ours;
    compare(
        "timers", 2, 200, 501,
        [&] {
            plain.begin("step");
            plain.begin("exchange");
            plain.end();
            plain.end();
        },
        [&] {
            const auto step = ours.measure("step");
            const auto part = ours.measure("exchange");
        });
}

double work_of(int number) {
    return std::sqrt(number);
}

enum c_tag : int { task, end, result };

/// The manager's side: two tasks under way, results as they come.
void c_manage(MPI_Comm comm, const std::vector<int> &tasks, std::vector<double> &results) {
    MPI_Request sends[2];
    const int count = static_cast<int>(tasks.size());
    int given = 0;
    for (int taken = 0; taken < count; ++taken) {
        for (; given < count && given < taken + 2; ++given)
            MPI_Isend(&tasks[static_cast<std::size_t>(given)], 1, MPI_INT, 1, task, comm, &sends[given % 2]);
        MPI_Recv(&results[static_cast<std::size_t>(taken)], 1, MPI_DOUBLE, MPI_ANY_SOURCE, result, comm,
                 MPI_STATUS_IGNORE);
        MPI_Wait(&sends[taken % 2], MPI_STATUS_IGNORE);
    }
    MPI_Send(nullptr, 0, MPI_INT, 1, end, comm);
}

void c_serve(MPI_Comm comm) {
    for (;;) {
        int number = 0;
        MPI_Status status;
        MPI_Recv(&number, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &status);
        if (status.MPI_TAG == end)
            return;
        const double root = work_of(number);
        MPI_Send(&root, 1, MPI_DOUBLE, 0, result, comm);
    }
}

void pools() {
    const std::vector<int> tasks(2000, 2);
    std::vector<double> results(tasks.size());
    const auto plain = [&] {
        MPI_Comm channel;
        MPI_Comm_dup(MPI_COMM_WORLD, &channel);
        if (rank == 0)
            c_manage(channel, tasks, results);
        else
            c_serve(channel);
        MPI_Comm_free(&channel);
    };
    compare("pool", static_cast<long>(tasks.size()), 1, 101, plain, [&] {
        if (rank == 0) {
            lisle::pool<int, double> pool{world, work_of};
            results = pool.map(tasks);
        } else {
            lisle::serve<int>(world, work_of);
        }
    });
}

struct piece {
    double step = 0;
    std::array<double, 1023> values{};
};

/// A checkpoint in the other rank's memory: the last two, so that one is whole whenever the other rank dies.
class c_checkpoint {
  public:
    explicit c_checkpoint(MPI_Comm comm) {
        MPI_Comm_group(comm, &home_);
        int near = 0; // a rank of another process is looked for
        MPIX_Comm_shares_memory(comm, other, &near);
        near = near == 0;
        MPI_Allreduce(MPI_IN_PLACE, &near, 1, MPI_INT, MPI_LAND, comm);
    }
    ~c_checkpoint() {
        MPI_Group_free(&home_);
        for (version &each : versions_)
            std::free(each.own), std::free(each.copied);
    }
    void save(MPI_Comm comm, const piece *pieces, int count) {
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(piece);
        version made{static_cast<piece *>(std::malloc(bytes)), nullptr};
        std::memcpy(made.own, pieces, bytes);
        MPI_Request sending;
        MPI_Message message;
        MPI_Status status;
        MPI_Isend(pieces, static_cast<int>(bytes), MPI_BYTE, other, 0, comm, &sending);
        MPI_Mprobe(other, 0, comm, &message, &status);
        int room = 0;
        MPI_Get_count(&status, MPI_BYTE, &room);
        made.copied = static_cast<piece *>(std::malloc(static_cast<std::size_t>(room)));
        MPI_Mrecv(made.copied, room, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
        std::free(versions_[0].own), std::free(versions_[0].copied);
        versions_[0] = versions_[1];
        versions_[1] = made;
    }

  private:
    struct version {
        piece *own, *copied;
    };
    MPI_Group home_;
    version versions_[2]{};
};

/// Work with ten checkpoints, that nobody dies in.
void recovery() {
    constexpr int saves = 10;
    const auto plain = [&] {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        c_checkpoint kept{comm};
        piece own;
        kept.save(comm, &own, 1);
        for (int step = 0; step < saves; ++step)
            kept.save(comm, &own, 1);
        int done = 1;
        MPIX_Comm_agree(comm, &done);
        MPI_Comm_free(&comm);
    };
    compare("recover", saves, 1, 301, plain, [] {
        lisle::checkpoint<piece> kept{piece{}};
        const auto left =
            lisle::recover(world, kept, [](const lisle::communicator &comm, lisle::checkpoint<piece> &state) {
                for (int step = 0; step < saves; ++step)
                    state.save(comm);
            });
    });
}

} // namespace

int main() {
    const lisle::environment mpi;
    begin_with_two_ranks("constructs");
    rank = world.rank();
    other = 1 - rank;
    layouts();
    objects_together();
    contents();
    halos();
    regions();
    pools();
    recovery();
}
