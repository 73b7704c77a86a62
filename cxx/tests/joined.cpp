// SPDX-License-Identifier: Apache-2.0
// Ranges of any objects and sizes joined and dealt out, among all ranks and among neighbours; what is moved
// in comes back; exchanges in which each pair of ranks has its own types.
#include <lisle/alltoallw.hpp>
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <lisle/topology.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

/// Classes whose fields are not found, but named.
struct body {
    double mass = 0;
};
struct planet : body {
    int moons = 0;
    using lisle_fields = lisle::members<&body::mass, &planet::moons>;
};
struct record {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
    double z;
};

} // namespace

template <> struct lisle::fields_of<record>
    : lisle::members<&record::a, &record::b, &record::c, &record::d, &record::e, &record::f, &record::g,
                     &record::h, &record::i, &record::j, &record::k, &record::l, &record::m, &record::n,
                     &record::o, &record::p, &record::q, &record::r, &record::s, &record::t, &record::u,
                     &record::v, &record::w, &record::x, &record::y, &record::z> {};

namespace {

/// `count` strings that say who made them.
std::vector<std::string> names_of(int rank, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i)
        names.push_back(std::to_string(rank) + "." + std::to_string(i));
    return names;
}

template <class Call> int thrown_by(Call call) {
    const auto done = lisle::attempt(call);
    return done.has_value() ? MPI_SUCCESS : done.error().error_class();
}

/// Rank i gives i names.
void check_joined(const lisle::blocks<std::string> &all) {
    const auto ranks = static_cast<std::size_t>(world.size());
    CHECK_EQ(all.counts.size(), ranks);
    CHECK_EQ(all.data.size(), ranks * (ranks - 1) / 2);
    std::size_t next = 0;
    for (int from = 0; from < world.size(); ++from)
        for (const std::string &name : names_of(from, from))
            CHECK_EQ(all.data.at(next++), name);
}

void strings_are_joined() {
    const int rank = world.rank();
    const std::vector<std::string> mine = names_of(rank, rank);
    check_joined(world.allgatherv(mine));
    check_joined(world.iallgatherv(names_of(rank, rank)).wait());
    for (int root = 0; root < world.size(); root += 3) {
        const auto all = world.gatherv(mine, {.root = root});
        const auto later = world.igatherv(mine, {.root = root}).wait();
        if (rank == root) {
            check_joined(all);
            check_joined(later);
        } else {
            CHECK(all.data.empty() && all.counts.empty() && later.data.empty() && later.counts.empty());
        }
    }
    const std::array<std::map<std::string, int>, 2> maps{{{{"a", rank}}, {}}};
    const auto joined = world.allgatherv(maps);
    CHECK_EQ(joined.data.size(), 2u * static_cast<std::size_t>(world.size()));
    CHECK_EQ(joined.data.at(joined.data.size() - 2).at("a"), world.size() - 1);
}

void strings_are_dealt_out() {
    const int rank = world.rank();
    const int size = world.size();
    const int root = size - 1;
    std::vector<std::string> all;
    std::vector<int> counts;
    if (rank == root) {
        for (int i = 0; i < size; ++i)
            counts.push_back(i);
        all = names_of(7, size * (size - 1) / 2 + 1); // one is left
    }
    const std::vector<std::string> wanted = [&] {
        const auto names = names_of(7, size * size);
        const auto first = names.begin() + rank * (rank - 1) / 2;
        return std::vector<std::string>(first, first + rank);
    }();
    CHECK(world.scatterv(all, {.root = root, .counts = counts}) == wanted);
    CHECK(world.iscatterv(all, {.root = root, .counts = counts}).wait() == wanted);
    const std::vector<int> eights(rank == 0 ? 3 * static_cast<std::size_t>(size) : 0, 8);
    CHECK(world.iscatterv(eights).wait() == std::vector<int>(3, 8));
    const std::size_t shares =
        world.scatterv(rank == 0 ? names_of(0, 2 * size + 1) : std::vector<std::string>{}).size();
    CHECK_EQ(shares, rank == 0 ? 3u : 2u);
    // Wrong counts at the root: all hear of it.
    counts.assign(counts.size(), rank == root ? size : 0);
    if (size > 1)
        CHECK_EQ(thrown_by([&] { static_cast<void>(world.scatterv(all, {.root = root, .counts = counts})); }),
                 MPI_ERR_COUNT);
}

void what_is_moved_in_comes_back(int next, int previous) {
    const std::map<std::string, int> entries{{"one", 1}, {"two", 2}};
    std::map<std::string, int> map = entries;
    auto sending = world.isend(std::move(map), next);
    CHECK((world.receive<std::map<std::string, int>>(previous)) == entries);
    CHECK(sending.wait() == entries);
    std::array<double, 100> large{};
    large[99] = 5;
    auto array = world.isend(std::move(large), next);
    CHECK_EQ((world.receive<std::array<double, 100>>(previous))[99], 5);
    CHECK_EQ(array.wait()[99], 5);
    std::vector<lisle::future<>> dropped; // results that nobody wants
    dropped.push_back(world.isend(std::map<std::string, int>{entries}, next));
    dropped.push_back(world.isend(1, next));
    CHECK((world.receive<std::map<std::string, int>>(previous)) == entries);
    CHECK_EQ(world.receive<int>(previous), 1);
    lisle::wait_all(dropped);
}

void neighbours_give_ranges() {
    const int rank = world.rank();
    const int size = world.size();
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    const auto ring = lisle::distributed_graph::create(
        world, {.sources = {previous, next}, .destinations = {next, previous}});
    const std::vector<int> mine(static_cast<std::size_t>(rank), rank);
    const std::vector<MPI_Count> came{previous, next};
    for (const auto &all :
         {ring.neighbor_allgatherv(mine), ring.neighbor_allgatherv(mine, {.counts = came})}) {
        CHECK(all.counts == came);
        CHECK_EQ(all.data.size(), static_cast<std::size_t>(previous + next));
        CHECK(all.data.empty() || (all.data.front() == (previous != 0 ? previous : next)));
    }
    // `rank` numbers to the next rank, one to the previous.
    std::vector<int> out(static_cast<std::size_t>(rank), rank);
    out.push_back(-rank);
    const std::vector<int> counts{rank, 1};
    const std::vector<int> receive{previous, 1};
    for (const auto &got :
         {ring.neighbor_alltoallv(out, counts), ring.neighbor_alltoallv(out, counts, {.counts = receive})}) {
        CHECK_EQ(got.data.size(), static_cast<std::size_t>(previous + 1));
        if (size > 2) { // with two, both edges lead to one rank
            CHECK_EQ(got.data.back(), -next);
            CHECK(previous == 0 || got.data.front() == previous);
        }
    }
    CHECK_EQ(thrown_by([&] { static_cast<void>(ring.neighbor_alltoallv(out, std::vector<int>{1})); }),
             MPI_ERR_COUNT);
    CHECK_EQ(thrown_by([&] {
                 static_cast<void>(ring.neighbor_alltoallv(out, std::vector<int>{rank, 9}));
             }),
             MPI_ERR_COUNT);
}

/// Columns of a matrix to rows: a transposition among ranks, each of which has as many rows as there are
/// ranks.
void matrices_are_transposed() {
    const auto ranks = static_cast<std::ptrdiff_t>(world.size());
    const auto number = static_cast<double>(world.rank());
    std::vector<double> mine(static_cast<std::size_t>(ranks * ranks)); // ranks x ranks
    for (std::size_t i = 0; i < mine.size(); ++i)
        mine[i] = 1000 * number + static_cast<double>(i);
    std::vector<std::vector<double>> columns(static_cast<std::size_t>(ranks),
                                             std::vector<double>(static_cast<std::size_t>(ranks)));
    const auto exchange = [&](auto call) {
        lisle::buffer_list out;
        lisle::buffer_list in;
        for (std::ptrdiff_t other = 0; other < ranks; ++other) {
            out.add(lisle::strided{&mine[static_cast<std::size_t>(other)], {ranks}, {ranks}});
            in.add(columns[static_cast<std::size_t>(other)]);
        }
        call(std::move(out), std::move(in));
        for (std::size_t from = 0; from < columns.size(); ++from)
            for (std::size_t i = 0; i < columns.size(); ++i)
                CHECK_EQ(std::exchange(columns[from][i], 0.0), 1000.0 * static_cast<double>(from) +
                                                                   static_cast<double>(i * columns.size()) +
                                                                   number);
    };
    exchange([](auto out, auto in) { lisle::alltoallw(world, out, in); });
    exchange([](auto out, auto in) { lisle::ialltoallw(world, std::move(out), std::move(in)).wait(); });

    lisle::buffer_list short_list;
    short_list.add_nothing();
    const std::vector<int> constant(1);
    lisle::buffer_list read_only;
    for (std::ptrdiff_t i = 0; i < ranks; ++i)
        read_only.add(constant);
    if (ranks > 1)
        CHECK_EQ(thrown_by([&] { lisle::alltoallw(world, short_list, short_list); }), MPI_ERR_COUNT);
    CHECK_EQ(thrown_by([&] { lisle::alltoallw(world, read_only, read_only); }), MPI_ERR_BUFFER);
}

void neighbours_have_own_types(int next, int previous) {
    const auto ring = lisle::distributed_graph::create(
        world, {.sources = {previous, next}, .destinations = {next, previous}});
    // A double forwards, three characters backwards.
    const double up = world.rank() + 0.5;
    const std::array<char, 3> down{'a', 'b', static_cast<char>('c' + world.rank())};
    double from_below = 0;
    std::array<char, 3> from_above{};
    lisle::buffer_list out;
    lisle::buffer_list in;
    out.add(up);
    out.add(down);
    in.add(from_below);
    in.add(from_above);
    if (world.size() > 2) {
        lisle::neighbor_alltoallw(ring, out, in);
        CHECK_EQ(from_below, previous + 0.5);
        CHECK_EQ(from_above[2], 'c' + next);
    }
}

void named_fields_travel(int next, int previous) {
    planet mine;
    mine.mass = world.rank() + 0.5;
    mine.moons = world.rank();
    const planet theirs = world.sendrecv(mine, {.dest = next, .source = previous});
    CHECK(theirs.mass == previous + 0.5 && theirs.moons == previous);
    record out{};
    out.y = world.rank();
    out.z = 2.5;
    const record in = world.sendrecv(out, {.dest = next, .source = previous});
    CHECK(in.y == previous && in.z == 2.5);
}

} // namespace

int main() {
    const lisle::environment mpi;
    const int next = (world.rank() + 1) % world.size();
    const int previous = (world.rank() + world.size() - 1) % world.size();
    strings_are_joined();
    strings_are_dealt_out();
    what_is_moved_in_comes_back(next, previous);
    neighbours_give_ranges();
    matrices_are_transposed();
    neighbours_have_own_types(next, previous);
    named_fields_travel(next, previous);
}
