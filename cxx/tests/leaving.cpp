// SPDX-License-Identifier: Apache-2.0
// An exception leaves the scope of the environment while the others wait: check_leaving.py reads what is
// said. Use: leaving send|other
#include <lisle/lisle.hpp>

#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace {

void fail(const lisle::communicator &world, std::string_view how) {
    if (how == "send")
        world.send(1, 99);
    static_cast<void>(lisle::attempt([&] { world.send(1, 77); })); // was handled: nobody hears of it
    throw std::out_of_range{"another class"};
}

} // namespace

int main(int, char **arguments) {
    try {
        const lisle::environment mpi;
        const auto world = lisle::world();
        if (world.rank() == world.size() - 1)
            fail(world, arguments[1]);
        world.barrier();
    } catch (const std::exception &) {
        std::puts("too late: all ranks have been ended");
    }
}
