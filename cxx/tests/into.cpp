// SPDX-License-Identifier: Apache-2.0
// Results in memory that exists: as it is, resized to what comes, or grown if it must.
#include <lisle/lisle.hpp>
#include <lisle/topology.hpp>

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();
std::size_t own_place() {
    return static_cast<std::size_t>(world.rank());
}
std::size_t number_of_ranks() {
    return static_cast<std::size_t>(world.size());
}

int next_rank() {
    return (world.rank() + 1) % world.size();
}
int previous_rank() {
    return (world.rank() + world.size() - 1) % world.size();
}
template <class Call> int thrown_by(Call call) {
    const auto done = lisle::attempt(call);
    return done.has_value() ? MPI_SUCCESS : done.error().error_class();
}

/// One call after the other into a vector that is too short, long enough, too long; and into plain memory.
/// @param call puts `objects` results where it is told
template <class Call> void with_each_policy(std::size_t objects, Call call) {
    std::vector<int> values;
    call(lisle::resized(values));
    CHECK_EQ(values.size(), objects);
    const std::vector<int> right = values;
    const int *const memory = values.data();
    values.assign(objects, -1);
    call(lisle::grown(values));
    CHECK(values == right && values.data() == memory);
    values.assign(objects + 2, -1);
    call(lisle::grown(values));
    CHECK_EQ(values.size(), objects + 2); // never shorter, and what lies behind stays
    CHECK(std::vector<int>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(objects)) == right);
    CHECK_EQ(values.back(), -1);
    call(lisle::resized(values));
    CHECK(values == right);
    values.clear();
    call(lisle::grown(values));
    CHECK(values == right);
    values.assign(objects, -1);
    call(std::span<int>{values});
    CHECK(values == right);
    values.assign(objects + 1, -1);
    call(values); // a vector without a word is memory of this size
    CHECK_EQ(values.size(), objects + 1);
}

void messages() {
    const std::size_t here = own_place();
    const std::vector<int> out(3 + here, world.rank());
    const auto coming = 3 + static_cast<std::size_t>(previous_rank());
    with_each_policy(coming, [&](auto &&into) {
        auto sending = world.isend(lisle::borrow(out), next_rank());
        const lisle::status ended = world.receive_into(into, previous_rank());
        CHECK_EQ(ended.count<int>(), coming);
        sending.wait();
    });
    std::vector<int> kept(1000, 7);
    const int *const memory = kept.data();
    auto receiving = world.ireceive_into(lisle::resized(kept), previous_rank(), 1);
    auto text_sending = world.isend(std::string("abc"), next_rank(), 2);
    std::string text = "a text that is longer";
    auto text_receiving = world.ireceive_into(lisle::grown(text), previous_rank(), 2);
    world.send(out, next_rank(), 1);
    CHECK_EQ(receiving.wait().count<int>(), coming);
    CHECK(kept == std::vector<int>(coming, previous_rank()) && kept.data() == memory);
    text_receiving.wait();
    CHECK_EQ(text, "abcext that is longer");
}

void gathers() {
    const std::size_t here = own_place();
    const std::size_t ranks = number_of_ranks();
    const std::array<int, 2> pair{world.rank(), -world.rank()};
    const std::span<const int> two{pair};
    with_each_policy(2 * ranks, [&](auto &&into) { world.allgather_into(two, into); });
    std::vector<int> all;
    world.allgather_into(two, lisle::resized(all));
    CHECK(all == world.allgather(two));
    std::vector<int> at_root(1, 99);
    world.gather_into(world.rank(), lisle::resized(at_root), {.root = world.size() - 1});
    CHECK_EQ(at_root.size(), here == ranks - 1 ? ranks : 1);
    // Too little room; each rank throws before the call.
    std::vector<int> small(2 * ranks - 1);
    CHECK_EQ(thrown_by([&] { world.allgather_into(two, small); }), MPI_ERR_TRUNCATE);

    const std::vector<int> mine(here, world.rank());
    const auto joined = world.allgatherv(mine);
    with_each_policy(joined.data.size(),
                     [&](auto &&into) { CHECK(world.allgatherv_into(mine, into) == joined.counts); });
    with_each_policy(joined.data.size(), [&](auto &&into) {
        CHECK(world.allgatherv_into(mine, into, {.counts = joined.counts}) == joined.counts);
    });
    world.allgatherv_into(mine, lisle::resized(all));
    CHECK(all == joined.data);
    std::vector<int> rooted(1, 99);
    const auto counts = world.gatherv_into(mine, lisle::resized(rooted), {.root = 0});
    CHECK(here == 0 ? rooted == joined.data && counts == joined.counts
                    : counts.empty() && rooted.size() == 1);
}

void deals() {
    const std::size_t here = own_place();
    const std::size_t ranks = number_of_ranks();
    std::vector<int> all(here == 0 ? 3 * ranks + 1 : 0);
    std::iota(all.begin(), all.end(), 0);
    const std::size_t share = here == 0 ? 4 : 3;
    with_each_policy(share, [&](auto &&into) { CHECK_EQ(world.scatterv_into(all, into), share); });
    std::vector<int> mine;
    world.scatterv_into(all, lisle::resized(mine));
    CHECK(mine == world.scatterv(all));
    const std::vector<int> wrong(ranks, 99);
    CHECK_EQ(thrown_by([&] { world.scatterv_into(all, lisle::resized(mine), {.root = 0, .counts = wrong}); }),
             MPI_ERR_COUNT); // at all ranks

    const std::vector<int> out(2 * ranks, world.rank());
    with_each_policy(2 * ranks, [&](auto &&into) { world.alltoall_into(out, into); });
    world.alltoall_into(out, lisle::resized(mine));
    CHECK(mine == world.alltoall(out));
    // i objects to rank i
    std::vector<int> how_many(ranks);
    std::iota(how_many.begin(), how_many.end(), 0);
    const std::vector<int> objects(ranks * ranks, world.rank());
    const auto exchanged = world.alltoallv(objects, how_many);
    with_each_policy(here * ranks, [&](auto &&into) {
        CHECK(world.alltoallv_into(objects, how_many, into) == exchanged.counts);
    });
    world.alltoallv_into(objects, how_many, lisle::resized(mine), {.counts = exchanged.counts});
    CHECK(mine == exchanged.data);
    CHECK_EQ(
        thrown_by([&] { world.alltoallv_into(objects, std::vector<int>(ranks, 99), lisle::resized(mine)); }),
        MPI_ERR_COUNT);
}

void reductions() {
    const std::size_t here = own_place();
    const std::size_t ranks = number_of_ranks();
    const std::vector<int> mine(5, world.rank());
    const auto add = [](int a, int b) { return a + b; };
    with_each_policy(5, [&](auto &&into) { world.allreduce_into(mine, into, std::plus<>{}); });
    with_each_policy(5, [&](auto &&into) { world.scan_into(mine, into, add); });
    const int sum = world.size() * (world.size() - 1) / 2;
    int one = 0;
    world.allreduce_into(world.rank(), one, add);
    CHECK_EQ(one, sum);
    std::vector<int> values;
    world.reduce_into(mine, lisle::resized(values), std::plus<>{}, {.root = world.size() - 1});
    CHECK(values == std::vector<int>(here == ranks - 1 ? 5 : 0, sum));
    world.exscan_into(mine, lisle::resized(values), std::plus<>{});
    CHECK_EQ(values.size(), 5u);
    CHECK(here == 0 || values.back() == world.rank() * (world.rank() - 1) / 2);
    const std::vector<int> parts(2 * ranks, 1);
    with_each_policy(2, [&](auto &&into) { world.reduce_scatter_into(parts, into, std::plus<>{}); });
    world.reduce_scatter_into(parts, lisle::resized(values), std::plus<>{});
    CHECK(values == std::vector<int>(2, world.size()));
}

/// The same while the program goes on: the memory is lent.
void without_blocking() {
    const std::size_t here = own_place();
    const std::size_t ranks = number_of_ranks();
    const std::vector<int> mine(2, world.rank());
    const std::vector<int> dealt(2 * ranks, world.rank());
    std::vector<int> all, at_root, sums, rooted, swapped;
    auto gathering = world.iallgather_into(lisle::borrow(mine), lisle::resized(all));
    auto to_root = world.igather_into(lisle::borrow(mine), lisle::resized(at_root), {.root = 0});
    auto exchanging = world.ialltoall_into(lisle::borrow(dealt), lisle::resized(swapped));
    auto adding = world.iallreduce_into(lisle::borrow(mine), lisle::grown(sums), std::plus<>{});
    auto reducing = world.ireduce_into(lisle::borrow(mine), lisle::resized(rooted),
                                       [](int a, int b) { return a + b; }, {.root = 0});
    lisle::wait_all(gathering, to_root, exchanging, adding, reducing);
    CHECK(all == world.allgather(mine));
    CHECK(here == 0 ? at_root == all : at_root.empty());
    CHECK(swapped == all);
    CHECK(sums == std::vector<int>(2, world.size() * (world.size() - 1) / 2));
    CHECK(here == 0 ? rooted == sums : rooted.empty());
    std::array<int, 1> small{};
    CHECK_EQ(thrown_by([&] {
                 world.iallreduce_into(lisle::borrow(mine), lisle::borrow(small), std::plus<>{}).wait();
             }),
             MPI_ERR_TRUNCATE);
}

/// After a matched probe, beside a send, among neighbours.
void elsewhere() {
    const std::vector<int> mine(3, world.rank());
    std::vector<int> got(9);
    auto sending = world.isend(lisle::borrow(mine), next_rank());
    auto taken = world.mprobe(previous_rank());
    CHECK_EQ(taken.receive_into(lisle::resized(got)).count<int>(), 3u);
    CHECK(got == std::vector<int>(3, previous_rank()));
    sending.wait();
    got.clear();
    world.sendrecv_into(mine, lisle::grown(got), {.dest = next_rank(), .source = previous_rank()});
    CHECK(got == std::vector<int>(3, previous_rank()));
    const auto ring = lisle::distributed_graph::create(
        world, {.sources = {previous_rank()}, .destinations = {next_rank()}});
    got.assign(9, 0);
    ring.neighbor_allgather_into(mine, lisle::resized(got));
    CHECK(got == std::vector<int>(3, previous_rank()));
    got.clear();
    ring.neighbor_alltoall_into(mine, lisle::resized(got));
    CHECK(got == std::vector<int>(3, previous_rank()));
}

} // namespace

int main() {
    const lisle::environment mpi;
    messages();
    gathers();
    deals();
    reductions();
    without_blocking();
    elsewhere();
}
