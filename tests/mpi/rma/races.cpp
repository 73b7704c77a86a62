// SPDX-License-Identifier: Apache-2.0
// Accesses between two fences that nothing orders, and such that are in order, under LISLE_CHECK=1. The
// argument names the case; the test's command says what Lisle is to name, or that it is to be silent.
#include "window.hpp"

#include <string_view>

namespace {

constexpr int length = 100;

struct scene {
    const check::job &job;
    const window_of<int> &window;
    std::vector<int> values = std::vector<int>(length, 1);

    void put(int at, int count, MPI_Datatype type = MPI_INT) {
        CHECK_MPI(MPI_Put(values.data(), count, MPI_INT, 0, window.at(0, static_cast<std::size_t>(at)),
                          type == MPI_INT ? count : 1, type, window.handle()));
    }
    void get(int at, int count) {
        CHECK_MPI(MPI_Get(values.data(), count, MPI_INT, 0, window.at(0, static_cast<std::size_t>(at)), count,
                          MPI_INT, window.handle()));
    }
    void add(int at, int count) {
        CHECK_MPI(MPI_Accumulate(values.data(), count, MPI_INT, 0, window.at(0, static_cast<std::size_t>(at)),
                                 count, MPI_INT, MPI_SUM, window.handle()));
    }
    void fence() const { CHECK_MPI(MPI_Win_fence(0, window.handle())); }
};

/// Bytes 36 to 39 are put by two ranks.
void put_put(scene &s) {
    if (s.job.rank == 1)
        s.put(5, 5);
    if (s.job.rank == 2)
        s.put(9, 10);
}

void get_put(scene &s) {
    if (s.job.rank == 2)
        s.get(20, 4);
    if (s.job.rank == 1)
        s.put(22, 1);
}

void get_update(scene &s) {
    if (s.job.rank == 0)
        s.get(0, 50);
    if (s.job.rank == 2)
        s.add(10, 2);
}

/// One rank's own puts are in no order either.
void own_puts(scene &s) {
    if (s.job.rank == 1) {
        s.put(0, 2);
        s.put(1, 2);
    }
}

/// All that is in order, or does not conflict.
void none(scene &s) {
    MPI_Datatype odd = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector(10, 1, 3, MPI_INT, &odd));
    CHECK_MPI(MPI_Type_commit(&odd));
    s.put(s.job.rank, 10, odd); // between each other's
    s.fence();
    s.add(0, length);
    s.add(3, 50);
    s.fence();
    s.get(0, length);
    s.fence();
    s.put(s.job.rank * 2, 2);
    s.fence();
    if (s.job.rank == 1)
        s.put(0, length);
    s.fence();
    if (s.job.rank == 2)
        s.put(0, length);
    s.fence();
    // What locks and flushes order is none of the fences'.
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, s.window.handle()));
    s.put(0, 10);
    CHECK_MPI(MPI_Win_flush(0, s.window.handle()));
    s.get(0, 10);
    CHECK_MPI(MPI_Win_unlock(0, s.window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    s.fence();
    CHECK_MPI(MPI_Type_free(&odd));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK(argc == 2 && job.size == 3);
    const std::string_view which = argv[1];
    struct named_case {
        std::string_view name;
        void (*run)(scene &);
    };
    const std::array cases{named_case{"put_put", put_put}, named_case{"get_put", get_put},
                           named_case{"get_update", get_update}, named_case{"own_puts", own_puts},
                           named_case{"none", none}};
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        const window_of<int> window(how, length);
        CHECK_MPI(MPI_Win_set_name(window.handle(), "of races"));
        scene s{job, window};
        s.fence();
        for (const auto &[name, run] : cases)
            if (which == name)
                run(s);
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.handle()));
    }
    if (job.rank == 0)
        std::printf("ended\n");
}
