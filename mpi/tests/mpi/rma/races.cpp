// SPDX-License-Identifier: Apache-2.0
// Accesses to windows that nothing orders, and such that are in order, under LISLE_CHECK=1. The
// argument names the case; the test's command says what Lisle is to name, or that it is to be silent.
#include "window.hpp"

#include <string_view>

namespace {

constexpr int length = 100;

struct scene {
    const check::job &job;
    const window_of<int> &window;
    std::vector<int> values = std::vector<int>(length, 1);
    const int one = 1;
    int before = 0; ///< what fetch() gets, until a flush

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
    void fetch(int at) {
        CHECK_MPI(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, window.at(0, static_cast<std::size_t>(at)),
                                   MPI_SUM, window.handle()));
    }
    void lock(int kind = MPI_LOCK_SHARED) const { CHECK_MPI(MPI_Win_lock(kind, 0, 0, window.handle())); }
    void unlock() const { CHECK_MPI(MPI_Win_unlock(0, window.handle())); }
    void flush() const { CHECK_MPI(MPI_Win_flush(0, window.handle())); }
    void meet() const { CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); }
    void send(int to) const { CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, to, 1, MPI_COMM_WORLD)); }
    void receive(int from) const {
        CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
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

/// Ranks 1 and 2 access under shared locks, with a barrier before and behind.
void under_locks(scene &s, void (*one)(scene &), void (*two)(scene &)) {
    s.meet();
    if (s.job.rank != 0) {
        s.lock();
        (s.job.rank == 1 ? one : two)(s);
        s.unlock();
    }
    s.meet();
}
void locked_puts(scene &s) {
    under_locks(
        s, [](scene &self) { self.put(5, 5); }, [](scene &self) { self.put(9, 10); });
}
void locked_get_update(scene &s) {
    under_locks(
        s, [](scene &self) { self.add(10, 2); }, [](scene &self) { self.get(0, 50); });
}
void all_locked(scene &s) {
    s.meet();
    CHECK_MPI(MPI_Win_lock_all(0, s.window.handle()));
    if (s.job.rank != 0)
        s.put(30, 3);
    s.meet(); // too late
    CHECK_MPI(MPI_Win_unlock_all(s.window.handle()));
}
/// One rank's operations that no flush parts, though one parts others.
void unflushed(scene &s) {
    if (s.job.rank == 1) {
        s.lock(MPI_LOCK_EXCLUSIVE);
        s.get(0, 10);
        s.flush();
        s.put(0, 2);
        s.get(1, 1);
        s.unlock();
    }
}

MPI_Group only(int rank) {
    MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &all));
    CHECK_MPI(MPI_Group_incl(all, 1, &rank, &one));
    CHECK_MPI(MPI_Group_free(&all));
    return one;
}
/// Rank 0 posts to both others; the second of them waits until the first has completed, which is no order.
void exposed(scene &s, void (*one)(scene &), void (*two)(scene &), bool in_turn) {
    const MPI_Win win = s.window.handle();
    if (s.job.rank == 0) {
        MPI_Group all = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
        const int self = 0;
        CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &all));
        CHECK_MPI(MPI_Group_excl(all, 1, &self, &others));
        CHECK_MPI(MPI_Win_post(others, 0, win));
        CHECK_MPI(MPI_Win_wait(win));
        CHECK_MPI(MPI_Group_free(&all));
        CHECK_MPI(MPI_Group_free(&others));
        return;
    }
    if (in_turn && s.job.rank == 2)
        s.receive(1);
    MPI_Group target = only(0);
    CHECK_MPI(MPI_Win_start(target, 0, win));
    (s.job.rank == 1 ? one : two)(s);
    CHECK_MPI(MPI_Win_complete(win));
    CHECK_MPI(MPI_Group_free(&target));
    if (in_turn && s.job.rank == 1)
        s.send(2);
}
void exposed_puts(scene &s) {
    exposed(
        s, [](scene &self) { self.put(5, 5); }, [](scene &self) { self.put(9, 10); }, true);
}
void exposed_get_put(scene &s) {
    s.meet();
    exposed(
        s, [](scene &self) { self.get(5, 5); }, [](scene &self) { self.put(9, 10); }, false);
    s.meet();
}

/// What messages, flushes, locks and atomics order.
void in_order(scene &s) {
    const int rank = s.job.rank;
    // Turns by messages, under locks that overlap.
    s.meet();
    CHECK_MPI(MPI_Win_lock_all(0, s.window.handle()));
    if (rank == 1) {
        s.put(0, 4);
        s.flush();
        s.send(2);
    } else if (rank == 2) {
        s.receive(1);
        s.put(2, 4);
    }
    CHECK_MPI(MPI_Win_unlock_all(s.window.handle()));
    // Turns by barriers.
    for (int turn = 0; turn < 3; ++turn) {
        s.meet();
        if (turn == rank) {
            s.lock();
            s.put(0, 10);
            s.unlock();
        }
    }
    s.meet();
    // Exclusive locks: any order, but one.
    for (int turn = 0; turn < 20; ++turn) {
        s.lock(MPI_LOCK_EXCLUSIVE);
        s.get(0, 10);
        s.flush();
        s.put(0, 10);
        s.unlock();
    }
    s.meet();
    // Others read under shared locks what was put under exclusive ones.
    for (int turn = 0; turn < 20; ++turn) {
        s.lock(rank == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED);
        if (rank == 0)
            s.put(0, 10);
        else
            s.get(0, 10);
        s.unlock();
    }
    s.meet();
    // A flag in the window says that the data are there.
    s.lock();
    if (rank == 1) {
        s.put(0, 10);
        s.flush();
        s.fetch(50);
        s.flush();
    } else if (rank == 2) {
        for (int seen = 0; seen == 0;) {
            CHECK_MPI(MPI_Fetch_and_op(nullptr, &seen, MPI_INT, 0, s.window.at(0, 50), MPI_NO_OP,
                                       s.window.handle()));
            s.flush();
        }
        s.get(0, 10);
    }
    s.unlock();
    s.meet();
    // A get that is complete before its rank lets the other one go on, and different bytes.
    exposed(
        s, [](scene &self) { self.get(5, 5); }, [](scene &self) { self.put(9, 10); }, true);
    exposed(
        s, [](scene &self) { self.put(5, 5); }, [](scene &self) { self.put(10, 10); }, false);
    s.meet();
}

/// All that is in order, or does not conflict, between fences.
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
    const std::array cases{
        named_case{"put_put", put_put},           named_case{"get_put", get_put},
        named_case{"get_update", get_update},     named_case{"own_puts", own_puts},
        named_case{"locked_puts", locked_puts},   named_case{"locked_get_update", locked_get_update},
        named_case{"all_locked", all_locked},     named_case{"unflushed", unflushed},
        named_case{"exposed_puts", exposed_puts}, named_case{"exposed_get_put", exposed_get_put},
        named_case{"in_order", in_order},         named_case{"none", none}};
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
