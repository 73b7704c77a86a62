// SPDX-License-Identifier: Apache-2.0
// Objects that are received as others, through the C++ interface. Two ranks; the argument says which.
#include <lisle/lisle.hpp>

#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct particle {
    int id;
    std::array<double, 3> place;
};
struct body {
    std::array<double, 3> place;
    int id;
};
struct flat_particle {
    int id;
    std::array<double, 2> place;
};

const lisle::communicator world = lisle::world();

template <class Taken, class Given> void pass(const Given &given) {
    if (world.rank() == 0) {
        world.send(given, 1, 5);
    } else {
        static_cast<void>(world.receive<Taken>(0, 5));
    }
}

/// A future's receive was begun elsewhere than it is waited for.
void pass_later() {
    if (world.rank() == 0) {
        world.send(particle{}, 1, 5);
    } else {
        auto coming = world.ireceive<body>(0, 5);
        static_cast<void>(coming.wait());
    }
}

void call(std::string_view what) {
    if (what == "float_as_int") {
        pass<int>(1.5F);
    } else if (what == "objects") {
        pass<body>(particle{});
    } else if (what == "later") {
        pass_later();
    } else if (what == "vectors") {
        pass<std::vector<body>>(std::vector<particle>(100));
    } else if (what == "lengths") {
        pass<particle>(flat_particle{});
    } else if (what == "broadcast") {
        particle one{};
        body other{};
        world.rank() == 0 ? world.broadcast(one) : world.broadcast(other);
    } else {
        pass<particle>(particle{});
        pass<std::vector<particle>>(std::vector<particle>(100));
    }
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto done = lisle::attempt([&] { call(argc > 1 ? argv[1] : ""); });
    if (!done.has_value()) {
        std::cerr << "rank " << world.rank() << ": " << done.error().what() << "\n";
        world.abort(77);
    }
}
