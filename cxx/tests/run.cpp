// SPDX-License-Identifier: Apache-2.0
// The C++ interface on ranks that lisle::run has made: errors are exceptions, threads of a rank belong to it,
// and an exception at one rank inside a collective reaches the others that need its part.
#include <lisle/lisle.hpp>
#include <lisle/rank_thread.hpp>
#include <lisle/run.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

void errors_are_exceptions() {
    const auto world = lisle::world();
    const auto failed = lisle::attempt([&] { world.send(1, 99); });
    CHECK(!failed.has_value() && failed.error().error_class() == MPI_ERR_RANK);
    const auto copy = world.dup();
    CHECK(!lisle::attempt([&] { copy.send(1, 99); }).has_value());
    CHECK_EQ(world.allreduce(1, std::plus<>{}), world.size());
}

void threads_belong_to_their_rank() {
    const auto world = lisle::world();
    const int rank = world.rank();
    const int next = (rank + 1) % world.size();
    int seen = -1;
    int got = -1;
    {
        const auto receiver = lisle::rank_thread(
            [&](int tag) {
                seen = lisle::world().rank();
                got = lisle::world().receive<int>(lisle::any_source, tag);
            },
            4);
        const auto sender = lisle::rank_thread([&] { lisle::world().send(rank, next, 4); });
        world.barrier();
    }
    CHECK_EQ(seen, rank);
    CHECK_EQ(got, (rank + world.size() - 1) % world.size());
}

/// How many ranks have thrown, and how many of them what they did themselves.
struct thrown {
    std::atomic<int> all{0};
    std::atomic<int> own{0};
};
void a_callable_that_throws(thrown &count) {
    const auto world = lisle::world();
    try {
        static_cast<void>(world.allreduce(std::string("a"), [&](const std::string &a, const std::string &b) {
            if (a.size() + b.size() >= static_cast<std::size_t>(world.size()))
                throw std::length_error{"too long"};
            return a + b;
        }));
    } catch (const lisle::error &) {
        ++count.all;
    } catch (const std::length_error &) {
        ++count.all;
        ++count.own;
    }
    CHECK_EQ(world.allreduce(1, std::plus<>{}), world.size());
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    for (const auto kind : {lisle::rank_kind::thread, lisle::rank_kind::fiber}) {
        lisle::run(4, errors_are_exceptions, {.kind = kind});
        lisle::run(3, threads_belong_to_their_rank, {.kind = kind, .workers = 2});
        thrown count;
        lisle::run(5, [&] { a_callable_that_throws(count); }, {.kind = kind});
        CHECK_EQ(count.all.load(), 5);
        CHECK_EQ(count.own.load(), 1);
        // An error of the library leaves the function as any exception does.
        bool thrown_again = false;
        try {
            lisle::run(2, [] { lisle::world().send(1, 99); }, {.kind = kind});
        } catch (const lisle::error &failure) {
            thrown_again = failure.error_class() == MPI_ERR_RANK;
        }
        CHECK(thrown_again);
    }
    return 0;
}
