// SPDX-License-Identifier: Apache-2.0
// recover(): processes die at different moments, and the pieces of all ranks are worked to the end. An
// exception that no death explains ends all.
#include <lisle/lisle.hpp>
#include <lisle/recover.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace {

struct piece {
    int first_owner;
    int step;
    long sum;
};
constexpr int steps = 12;

/// What a piece's sum is after all steps: every step adds the number of all pieces' owners.
long right_sum(int ranks) {
    return steps * (ranks * (ranks - 1L) / 2);
}

/// All ranks' pieces do a step together.
void work_on(const lisle::communicator &comm, std::vector<piece> &pieces) {
    long mine = 0;
    for (const piece &each : pieces)
        mine += each.first_owner;
    const long all = comm.allreduce(mine, std::plus<>{});
    for (piece &each : pieces) {
        each.sum += all;
        ++each.step;
    }
}

/// Some ranks die, each with its process, in a step of its own: between checkpoints, or while one is made.
void check_recovery(std::vector<int> dying) {
    const auto world = lisle::world();
    const int rank = world.rank(), size = world.size();
    lisle::checkpoint<piece> kept{{rank, 0, 0}};
    int attempts = 0;
    const auto left =
        lisle::recover(world, kept, [&](const lisle::communicator &comm, lisle::checkpoint<piece> &state) {
            ++attempts;
            while (state.pieces.front().step < steps) {
                for (std::size_t i = 0; i < dying.size(); ++i)
                    if (dying[i] == rank && state.pieces.front().step == 4 + 5 * static_cast<int>(i))
                        std::raise(SIGKILL);
                work_on(comm, state.pieces);
                if (state.pieces.front().step % 2 == 0)
                    state.save(comm);
            }
        });
    CHECK(attempts > 1 && left.size() < size);
    std::vector<int> owners;
    for (const piece &each : kept.pieces) {
        CHECK(each.step == steps && each.sum == right_sum(size));
        owners.push_back(each.first_owner);
    }
    auto all = left.allgatherv(owners).data;
    std::sort(all.begin(), all.end());
    CHECK_EQ(all.size(), static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        CHECK_EQ(all[static_cast<std::size_t>(i)], i);
}

void check_exception() {
    const auto world = lisle::world();
    lisle::checkpoint<piece> kept{{world.rank(), 0, 0}};
    bool thrown = false;
    try {
        static_cast<void>(lisle::recover(world, kept, [&](const lisle::communicator &comm, auto &) {
            if (comm.rank() == 1)
                throw std::out_of_range{"of its own"};
            comm.barrier();
        }));
    } catch (const std::out_of_range &) {
        thrown = world.rank() == 1;
    } catch (const lisle::error &problem) {
        thrown = world.rank() != 1 && problem.error_class() == MPI_ERR_OTHER;
    }
    CHECK(thrown);
}

} // namespace

int main(int count, char **arguments) {
    const lisle::environment mpi;
    check_exception();
    std::vector<int> dying;
    for (int i = 1; i < count; ++i)
        dying.push_back(std::atoi(arguments[i]));
    check_recovery(dying);
    std::cout << "the survivors have done it" << std::endl;
}
