// SPDX-License-Identifier: Apache-2.0
// Jobs that meet, in the C++ interface: a program that spawns itself, and two halves of a world by a port.
#include <lisle/jobs.hpp>
#include <lisle/lisle.hpp>
#include <lisle/pool.hpp>

#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#include "check.hpp"

namespace {

int square(int number) {
    return number * number;
}

/// Each rank has workers of its own.
void pool_of_children(const char *self) {
    auto workers = lisle::spawn(lisle::self(), {{.command = self, .arguments = {"serve"}, .ranks = 2}});
    {
        lisle::pool<int, int> pool{workers};
        CHECK_EQ(pool.size(), 2);
        CHECK(pool.map(std::vector{1, 2, 3, 4, 5}) == std::vector({1, 4, 9, 16, 25}));
    }
    lisle::disconnect(std::move(workers));
}

void children(const char *self) {
    const auto world = lisle::world();
    auto others = lisle::spawn(world, {{.command = self, .arguments = {"one", "two words"}, .ranks = 2},
                                       {.command = self, .ranks = 1, .hints = {{"lisle_ranks", "process"}}}});
    CHECK_EQ(others.remote_size(), 3);
    if (world.rank() == 0)
        for (int child = 0; child < 3; ++child)
            CHECK_EQ(others.receive<std::string>(child), child < 2 ? "one,two words," : "");
    auto all = others.merge(false);
    CHECK_EQ(all.allreduce(1, std::plus<>{}), world.size() + 3);
    lisle::disconnect(std::move(others));
    pool_of_children(self);
    if constexpr (!lisle::has_extensions)
        return; // Open MPI and MPICH end the program
    try {
        static_cast<void>(lisle::spawn(world, {{.command = "no-such-program"}}));
        CHECK(false);
    } catch (const lisle::error &problem) {
        CHECK_EQ(problem.error_class(), MPI_ERR_SPAWN);
    }
}

void child(int argc, char **argv, lisle::intercommunicator parents) {
    if (argc == 2 && argv[1] == std::string{"serve"}) {
        lisle::serve<int>(parents, &square);
        return lisle::disconnect(parents);
    }
    std::string said;
    for (int word = 1; word < argc; ++word)
        said.append(argv[word]).append(",");
    parents.send(said, 0);
    auto all = parents.merge(true);
    CHECK_EQ(all.allreduce(1, std::plus<>{}), parents.remote_size() + 3);
    lisle::disconnect(parents);
    CHECK(!lisle::parents().has_value());
}

void halves() {
    const auto world = lisle::world();
    if (world.size() < 2)
        return;
    const std::string service = "jobs of " + std::to_string(getppid()) + "/" + std::to_string(world.size());
    const bool accepts = world.rank() % 2 == 0;
    auto half = world.split(accepts ? 0 : 1);
    if (world.rank() == 0) {
        lisle::port here;
        const lisle::published_name name{service, here};
        CHECK(lisle::look_up(service) == here.name());
        world.barrier();
        auto other = here.accept(half);
        other.barrier();
        lisle::disconnect(std::move(other));
    } else {
        world.barrier();
        auto other = accepts
                         ? lisle::accept(half)
                         : lisle::connect(half, lisle::look_up(service).value_or(""), 0, {{"timeout", "60"}});
        other.barrier();
        lisle::disconnect(std::move(other));
    }
    CHECK(lisle::look_up("nobody's " + service) == std::nullopt);
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    if (const auto parents = lisle::parents()) {
        child(argc, argv, *parents);
    } else {
        halves();
        children(argv[0]);
    }
}
