// SPDX-License-Identifier: Apache-2.0
#include "outer.hpp"

#include <cstdlib>
#include <iomanip>
#include <mpi.h>
#include <sstream>

namespace {

struct square : shape {
    explicit square(int s) : side(s) {}
    int area() const override { return side * side; }
    int side;
};

thread_local noisy watcher("thread_local of the outer library");
noisy first("static of the outer library");
const int registered =
    (++uses_of_header, registry<int>::entries["outer"] = registry<int>::entries["inner"] + 1,
     std::atexit([] { say("handler of the outer library"); }), 0);
int errors = 100 + registered;

} // namespace

extern "C" int error(int code) {
    return errors += code;
}

std::string complain(int code) {
    std::ostringstream text;
    text << std::hex << std::setw(6) << std::setfill('0') << error(code) << " " << std::showbase << code;
    return text.str();
}

int guarded(int code, bool let_through) {
    watcher.value += 1;
    try {
        fail_inside(code);
    } catch (const inner_error &caught) {
        if (let_through) {
            throw;
        }
        return caught.code();
    }
}

std::unique_ptr<shape> make_square(int side) {
    return std::make_unique<square>(side);
}

int sum_over_ranks(int mine) {
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}
