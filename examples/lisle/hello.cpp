// SPDX-License-Identifier: Apache-2.0
// ../hello.c through the C++ interface.
#include <lisle/lisle.hpp>

#include <cstdio>

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    std::printf("Hello from rank %d of %d on %s\n", world.rank(), world.size(),
                lisle::environment::processor_name().c_str());
}
