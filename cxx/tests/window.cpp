// SPDX-License-Identifier: Apache-2.0
// Windows of the C++ interface: every epoch, transfers of one element and of many, atomics, shared memory,
// errors.
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"

namespace {

struct scene {
    lisle::communicator world;
    int rank, size, next, previous;
};

void epochs(const scene &s) {
    lisle::window<int> window{s.world, 10};
    {
        auto epoch = window.fence();
        const std::vector<int> values(4, s.rank + 1);
        window.put(values, {s.next, 2});
        epoch.end(); // the vector lives until here
    }
    CHECK_EQ(std::accumulate(window.local().begin(), window.local().end(), 0), 4 * (s.previous + 1));
    s.world.barrier();
    {
        auto epoch = window.lock(s.next);
        window.put(-s.rank, {s.next, 9});
        CHECK_EQ(window.get({s.next, 9}), -s.rank);
    }
    s.world.barrier();
    {
        auto epoch = window.lock_shared(s.rank);
        CHECK_EQ(window.get({s.rank, 9}), -s.previous);
        CHECK_EQ(window.local()[9], -s.previous);
    }
    s.world.barrier();
    const auto all = s.world.group();
    {
        auto exposure = window.post(all);
        const int value = 7 * s.rank;
        auto access = window.start(all);
        window.put(std::span{&value, 1}, {s.next, 0});
        access.end();
        exposure.end();
        CHECK_EQ(window.local()[0], 7 * s.previous);
    }
    s.world.barrier();
}

template <class T> void atomics(const scene &s) {
    constexpr int draws = 8;
    lisle::window<T> window{s.world, 3};
    {
        auto epoch = window.lock_all();
        std::vector<T> drawn;
        for (int i = 0; i < draws; ++i)
            drawn.push_back(window.fetch_add(1, {0, 1}));
        CHECK(std::is_sorted(drawn.begin(), drawn.end()));
        auto counter = window.atomic({s.size - 1, 2});
        for (int i = 0; i < draws; ++i)
            counter += T{1};
        if constexpr (std::integral<T>) {
            auto head = window.atomic({0, 0});
            for (int i = 0; i < draws; ++i) {
                T seen = head.load();
                while (!head.compare_exchange(seen, static_cast<T>(seen + 1)))
                    ;
            }
        }
        s.world.barrier();
        CHECK(window.load({0, 1}) == static_cast<T>(draws * s.size));
        CHECK(counter.load() == static_cast<T>(draws * s.size));
        if constexpr (std::integral<T>)
            CHECK(window.load({0, 0}) == static_cast<T>(draws * s.size));
        s.world.barrier();
        window.accumulate(static_cast<T>(s.rank), {0, 1}, lisle::maximum{});
        window.flush();
        s.world.barrier(); // rank 0's minimum is the last
        window.accumulate(static_cast<T>(3), {s.rank, 1}, lisle::minimum{});
        window.flush();
        s.world.barrier();
        CHECK(window.load({s.rank, 1}) <= 3);
        s.world.barrier();
        CHECK(window.exchange(5, {s.rank, 1}) <= 3);
        window.store(6, {s.rank, 1});
        CHECK(window.load({s.rank, 1}) == 6);
    }
    s.world.barrier();
}

struct particle {
    char kind;
    double position[3];
};

void structures(const scene &s) {
    std::vector<particle> own(5);
    const lisle::window<particle> window{s.world, std::span{own}};
    {
        auto epoch = window.lock(s.next);
        window.put({'p', {1.0 * s.rank, 2, 3}}, {s.next, 4});
    }
    s.world.barrier();
    auto epoch = window.lock_shared(s.rank);
    CHECK(own[4].kind == 'p' && own[4].position[0] == s.previous && own[4].position[2] == 3);
}

void shared_memory(const scene &s) {
    const auto node = s.world.split_by(lisle::hardware::memory);
    auto made = lisle::window<long>::shared(node, 4);
    const lisle::window<long> window = std::move(made);
    CHECK(made.native() == MPI_WIN_NULL);
    auto epoch = window.lock_all();
    window.local()[1] = 100 + node.rank();
    window.sync();
    node.barrier();
    window.sync();
    for (int rank = 0; rank < node.size(); ++rank) {
        const std::span<long> part = window.part(rank);
        CHECK_EQ(part.size(), 4U);
        CHECK_EQ(part[1], 100 + rank);
    }
    node.barrier();
}

void errors(const scene &s) {
    if constexpr (!lisle::has_extensions)
        return; // other libraries see few of these
    const lisle::window<int> window{s.world, 2};
    const auto outside = lisle::attempt([&] { window.put(1, {s.next, 0}); });
    CHECK(!outside.has_value() && outside.error().error_class() == MPI_ERR_RMA_SYNC);
    const auto nobody = lisle::attempt([&] { auto epoch = window.lock(s.size); });
    CHECK(!nobody.has_value() && nobody.error().error_class() == MPI_ERR_RANK);
    auto epoch = window.lock(s.next);
    const auto beyond = lisle::attempt([&] {
        window.put(1, {s.next, 1000});
        epoch.end();
    });
    CHECK(!beyond.has_value() && beyond.error().error_class() == MPI_ERR_RMA_RANGE);
}

} // namespace

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int size = world.size();
    const scene s{world, world.rank(), size, (world.rank() + 1) % size, (world.rank() + size - 1) % size};
    epochs(s);
    atomics<long>(s);
    atomics<std::uint8_t>(s);
    atomics<double>(s);
    structures(s);
    shared_memory(s);
    errors(s);
}
