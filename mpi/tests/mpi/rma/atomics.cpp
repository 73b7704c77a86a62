// SPDX-License-Identifier: Apache-2.0
// Atomics under contention, by several threads of every rank: each round's operations are recorded with the
// times of their calls and returns, and rank 0 checks that the history of each variable is linearisable.
#include "history.hpp"
#include "payload.hpp"
#include "window.hpp"

#include <chrono>
#include <cstdint>
#include <thread>

namespace {

using kind = atomic_operation::kind;

constexpr int thread_count = 2;
constexpr int per_thread = 10; ///< operations of a thread in a round
constexpr int variables = 3;   ///< in each rank

struct recorded {
    std::int64_t variable; ///< among those of all ranks
    atomic_operation operation;
};

/// On this machine all processes have the same clock.
std::int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

template <class T> class atomics_test {
  public:
    atomics_test(const check::job &job, flavour how, MPI_Datatype type)
        : job_{job}, type_{type}, name_{name_of(how)}, window_{how, variables} {}

    void run(int rounds) {
        for (int round = 0; round < rounds; ++round)
            one_round(round);
    }

  private:
    void one_round(int round) {
        CHECK_MPI(MPI_Win_lock_all(0, window_.handle()));
        const std::vector<T> first = values();
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        std::vector<std::vector<recorded>> mine(thread_count);
        std::vector<std::thread> threads;
        for (int t = 0; t < thread_count; ++t)
            threads.emplace_back([&, t] { mine[static_cast<std::size_t>(t)] = operate(round, t); });
        for (std::thread &thread : threads)
            thread.join();
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        const std::vector<T> last = values();
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_Win_unlock_all(window_.handle()));

        std::vector<recorded> here;
        for (const std::vector<recorded> &of_thread : mine)
            here.insert(here.end(), of_thread.begin(), of_thread.end());
        constexpr int bytes = thread_count * per_thread * static_cast<int>(sizeof(recorded));
        CHECK_EQ(here.size() * sizeof(recorded), static_cast<std::size_t>(bytes));
        std::vector<recorded> all(job_.rank == 0 ? here.size() * static_cast<std::size_t>(job_.size) : 0);
        CHECK_MPI(MPI_Gather(here.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
        for (int variable = 0; job_.rank == 0 && variable < variables * job_.size; ++variable) {
            std::vector<atomic_operation> history;
            for (const recorded &each : all)
                if (each.variable == variable)
                    history.push_back(each.operation);
            const auto index = static_cast<std::size_t>(variable);
            if (!is_linearisable(history, first[index], last[index], sizeof(T)))
                report(history, first[index], last[index], round);
        }
    }

    /// What all variables hold while nobody changes them.
    std::vector<T> values() {
        std::vector<T> all(static_cast<std::size_t>(variables * job_.size));
        for (int rank = 0; rank < job_.size; ++rank)
            CHECK_MPI(MPI_Get_accumulate(nullptr, 0, type_, &all[static_cast<std::size_t>(rank * variables)],
                                         variables, type_, rank, window_.at(rank, 0), variables, type_,
                                         MPI_NO_OP, window_.handle()));
        CHECK_MPI(MPI_Win_flush_all(window_.handle()));
        return all;
    }

    /// The operations of one thread.
    std::vector<recorded> operate(int round, int thread) {
        random_numbers random(
            static_cast<std::uint64_t>((round * job_.size + job_.rank) * thread_count + thread));
        std::vector<recorded> done;
        T known = 0; // what a variable is likely to hold, for compare_and_swap
        while (done.size() < per_thread) {
            // Some operations follow each other without a flush between.
            const std::size_t batch =
                std::min<std::size_t>(1 + random.below(3) / 2, per_thread - done.size());
            std::vector<T> given(batch), expected(batch), fetched(batch);
            const std::size_t begin = done.size();
            for (std::size_t i = 0; i < batch; ++i) {
                recorded each{random.below(2) == 0 ? 0 : random.below(variables * job_.size), {}};
                each.operation.what = static_cast<kind>(random.below(5));
                given[i] = static_cast<T>(random.below(5));
                expected[i] = random.below(3) == 0 ? static_cast<T>(random.below(5)) : known;
                each.operation.given = given[i];
                each.operation.expected = expected[i];
                each.operation.called = now();
                start(each, given[i], expected[i], fetched[i], random.below(4) != 0);
                done.push_back(each);
            }
            for (int rank = 0; rank < job_.size; ++rank)
                CHECK_MPI(MPI_Win_flush(rank, window_.handle()));
            const std::int64_t returned = now();
            for (std::size_t i = 0; i < batch; ++i) {
                done[begin + i].operation.fetched = fetched[i];
                done[begin + i].operation.returned = returned;
                if (done[begin + i].operation.fetches != 0)
                    known = fetched[i];
            }
        }
        return done;
    }

    void start(recorded &each, const T &given, const T &expected, T &fetched, bool fetches) {
        const int rank = static_cast<int>(each.variable) / variables;
        const MPI_Aint at = window_.at(rank, static_cast<std::size_t>(each.variable % variables));
        const kind what = each.operation.what;
        if (what == kind::compare_and_swap) {
            CHECK_MPI(MPI_Compare_and_swap(&given, &expected, &fetched, type_, rank, at, window_.handle()));
            return;
        }
        const MPI_Op op = what == kind::add       ? MPI_SUM
                          : what == kind::replace ? MPI_REPLACE
                          : what == kind::read    ? MPI_NO_OP
                                                  : MPI_BXOR;
        if (!fetches && what != kind::read) {
            each.operation.fetches = 0;
            CHECK_MPI(MPI_Accumulate(&given, 1, type_, rank, at, 1, type_, op, window_.handle()));
        } else if (given % 2 == 0) {
            CHECK_MPI(MPI_Fetch_and_op(&given, &fetched, type_, rank, at, op, window_.handle()));
        } else {
            CHECK_MPI(MPI_Get_accumulate(&given, 1, type_, &fetched, 1, type_, rank, at, 1, type_, op,
                                         window_.handle()));
        }
    }

    [[noreturn]] void report(const std::vector<atomic_operation> &history, T first, T last, int round) const {
        std::ostringstream text;
        text << name_ << ", round " << round << ", " << sizeof(T) << " bytes: no order of these leads from "
             << +first << " to " << +last;
        for (const atomic_operation &each : history)
            text << "\n  [" << each.called << ", " << each.returned << "] kind "
                 << static_cast<int>(each.what) << " given " << each.given << " expected " << each.expected
                 << " fetched " << (each.fetches != 0 ? std::to_string(each.fetched) : "nothing");
        check::fail(__FILE__, __LINE__, text.str());
    }

    const check::job &job_;
    MPI_Datatype type_;
    std::string name_;
    window_of<T> window_;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv, MPI_THREAD_MULTIPLE);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        atomics_test<std::int64_t>(job, how, MPI_INT64_T).run(rounds);
        atomics_test<std::int32_t>(job, how, MPI_INT32_T).run(rounds);
        atomics_test<std::int16_t>(job, how, MPI_INT16_T).run(rounds);
        atomics_test<std::int8_t>(job, how, MPI_INT8_T).run(rounds);
    }
}
