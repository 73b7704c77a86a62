// SPDX-License-Identifier: Apache-2.0
// Files of the C++ interface: alone and together, blocks of an array, beginnings and ends, requests, errors.
#include <lisle/file.hpp>
#include <lisle/lisle.hpp>

#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

struct scene {
    lisle::communicator world;
    std::size_t rank, size;
    std::string path; ///< the same in all ranks, and no other job's
};

std::vector<int> numbers(std::size_t first, std::size_t count) {
    std::vector<int> made(count);
    std::iota(made.begin(), made.end(), static_cast<int>(first));
    return made;
}

void parts(const scene &s) {
    auto all = lisle::file<int>::create(s.world, s.path);
    CHECK_EQ(all.size(), 0U);
    all.write_all(100 * s.rank, numbers(100 * s.rank, 100));
    all.sync();
    s.world.barrier();
    CHECK_EQ(all.size(), 100 * s.size);
    const std::size_t other = (s.rank + 1) % s.size;
    CHECK(all.read(100 * other + 7, 10) == numbers(100 * other + 7, 10));
    CHECK(all.read(100 * s.size - 3, 10) == numbers(100 * s.size - 3, 3)); // the file's end
    CHECK(all.read(100 * s.size, 10).empty());
    CHECK(all.read_all(100 * other, 100) == numbers(100 * other, 100));
    s.world.barrier();
    const int mine = -1 - static_cast<int>(s.rank);
    all.write(100 * s.rank, std::span{&mine, 1});
    all.sync();
    CHECK_EQ(all.read(100 * other, 1).front(), -1 - static_cast<int>(other));
    all.resize(50);
    CHECK_EQ(all.size(), 50U);
    all.close();

    const lisle::file<int> again{s.world, s.path};
    CHECK_EQ(again.size(), 50U);
    CHECK(again.read(1, 100) == numbers(1, 49));
}

void requests(const scene &s) {
    auto all = lisle::file<int>::update(s.world, s.path); // keeps its 50 elements
    CHECK_EQ(all.size(), 50U);
    s.world.barrier();
    const auto mine = numbers(1000 * s.rank, 20);
    auto written = all.iwrite(50 + 20 * s.rank, lisle::borrow(mine));
    written.wait_complete();
    all.sync();
    std::vector<int> read(20);
    auto begun = all.iread(50 + 20 * s.rank, lisle::borrow(read));
    begun.wait_complete();
    CHECK(read == mine);
    s.world.barrier();
}

/// Each rank has some columns of a table, which lie far from each other in the file.
void columns(const scene &s) {
    const std::size_t rows = 6, width = 3, whole = width * s.size;
    auto table = lisle::file<double>::create(s.world, s.path);
    table.show(lisle::block<2>{.whole = {rows, whole}, .part = {rows, width}, .first = {0, width * s.rank}});
    std::vector<double> own(rows * width);
    for (std::size_t row = 0; row != rows; ++row)
        for (std::size_t column = 0; column != width; ++column)
            own[row * width + column] = static_cast<double>(100 * row + width * s.rank + column);
    table.write_all(0, own);
    table.sync();
    CHECK(table.read_all(0, own.size()) == own);
    CHECK(table.read(width, width) == std::vector<double>(own.begin() + width, own.begin() + 2 * width));
    table.show_all();
    const auto all = table.read_all(0, rows * whole);
    CHECK_EQ(all.size(), rows * whole);
    for (std::size_t at = 0; at != all.size(); ++at)
        CHECK_EQ(all[at], static_cast<double>(100 * (at / whole) + at % whole));
}

struct point {
    double x;
    int name;
};

void appended(const scene &s) {
    auto all = lisle::file<point>::create(s.world, s.path);
    for (int turn = 0; turn < 3; ++turn)
        all.append_all(std::vector<point>(s.rank + 1, point{0.5 * turn, static_cast<int>(s.rank)}));
    all.sync();
    const auto points = all.read(0, 1000);
    CHECK_EQ(points.size(), 3 * s.size * (s.size + 1) / 2);
    std::size_t at = 0;
    for (int turn = 0; turn < 3; ++turn)
        for (std::size_t rank = 0; rank != s.size; ++rank)
            for (std::size_t i = 0; i <= rank; ++i, ++at)
                CHECK(points[at].x == 0.5 * turn && points[at].name == static_cast<int>(rank));
    s.world.barrier();
}

void errors(const scene &s) {
    const auto nowhere = lisle::attempt([&] { const lisle::file<int> none{s.world, s.path + "/none"}; });
    CHECK(!nowhere.has_value() && nowhere.error().code() != MPI_SUCCESS);
    lisle::file<int> reads{s.world, s.path};
    const int word = 1;
    const auto refused = lisle::attempt([&] { reads.write(0, std::span{&word, 1}); });
    CHECK(!refused.has_value());
    CHECK(refused.error().error_class() == MPI_ERR_READ_ONLY ||
          refused.error().error_class() == MPI_ERR_ACCESS);
    auto moved = std::move(reads);
    CHECK(reads.native() == MPI_FILE_NULL && moved.size() != 0);
}

} // namespace

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    world.broadcast(now);
    const scene s{world, static_cast<std::size_t>(world.rank()), static_cast<std::size_t>(world.size()),
                  "cpp_file." + std::to_string(now)};
    parts(s);
    requests(s);
    columns(s);
    appended(s);
    errors(s);
    world.barrier();
    if (s.rank == 0)
        CHECK_EQ(std::remove(s.path.c_str()), 0);
}
