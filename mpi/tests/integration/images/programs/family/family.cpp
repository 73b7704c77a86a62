// SPDX-License-Identifier: Apache-2.0
// A program with two libraries of its own. Prints what its state is; as threads it must be what it is as
// processes.
#include "outer.hpp"

#include <cstdlib>
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <thread>
#include <typeinfo>

namespace {

noisy first("static of the program");
thread_local noisy own("thread_local of the program");
const int registered = ++uses_of_header;

/// Counts in a thread of its own, whose thread-local variables begin anew.
void count_in_thread(int times) {
    for (int i = 0; i != times; ++i) {
        ++steps_of_thread;
        ++own.value;
        count_inside();
    }
    of_each.value = steps_of_thread;
}

int count_in_team() {
    int total = 0;
#pragma omp parallel for num_threads(3) reduction(+ : total)
    for (int i = 0; i < 300; ++i) {
        try {
            static thread_local int mine = 0;
            mine += i;
            if (i % 3 == 0) {
                fail_inside(i);
            }
            total += mine >= 0 ? 1 : 0;
        } catch (const inner_error &caught) {
            total += caught.code() + rank_number;
        }
    }
    return total;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_number);
    std::atexit([] { say("handler of the program"); });
    own.value = 7;
    say("header " + std::to_string(uses_of_header) + " registry " +
        std::to_string(registry<int>::entries.size()) + " " +
        std::to_string(registry<int>::entries["outer"]) + " " + std::to_string(registered));
    if (rank_number % 2 == 0) {
        std::cout << std::hex; // for this rank's stream only
    }
    for (int i = 0; i <= rank_number % 5; ++i) {
        count_inside();
    }
    say("counted " + std::to_string(count_inside()) + " steps " + std::to_string(steps_of_thread));
    say("guarded " + std::to_string(guarded(rank_number, false)));
    try {
        guarded(rank_number + 1, true);
    } catch (const std::runtime_error &caught) {
        const auto &whole = dynamic_cast<const inner_error &>(caught);
        say(std::string("caught ") + caught.what() + " " + std::to_string(whole.code()) + " " +
            typeid(caught).name());
    }
    say("complaint " + complain(rank_number) + " " + std::to_string(error(1)));
    say("area " + std::to_string(make_square(rank_number)->area()));
    std::thread(count_in_thread, 2 + rank_number % 3).join();
    say("team " + std::to_string(count_in_team()) + " steps " + std::to_string(steps_of_thread));
    say("sum " + std::to_string(sum_over_ranks(rank_number)));
    std::ostringstream number;
    number.copyfmt(std::cout);
    number << 255;
    say("number " + number.str());
    MPI_Finalize();
    return 0;
}
