// SPDX-License-Identifier: Apache-2.0
// Ranges as objects: what each collective takes a string, a vector and a serialised range for, and what
// whole() and elements() say otherwise.
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <lisle/topology.hpp>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

std::size_t length(int rank) {
    return static_cast<std::size_t>(rank);
}
std::string name_of(int rank) {
    return "rank " + std::string(length(rank), 'x');
}
std::vector<std::string> names(int size) {
    std::vector<std::string> all;
    for (int rank = 0; rank < size; ++rank)
        all.push_back(name_of(rank));
    return all;
}
std::vector<std::vector<int>> lists(int size) {
    std::vector<std::vector<int>> all;
    for (int rank = 0; rank < size; ++rank)
        all.emplace_back(length(rank), rank);
    return all;
}
constexpr auto longer = [](const auto &a, const auto &b) { return a.size() < b.size() ? b : a; };

void texts_are_objects(int rank, int size) {
    const std::string name = name_of(rank);
    CHECK(world.allgather(name) == names(size));
    CHECK(world.gather(name, {.root = size - 1}) ==
          (rank == size - 1 ? names(size) : std::vector<std::string>{}));
    CHECK(world.allgather("abc") == std::vector<std::string>(length(size), "abc"));
    CHECK(world.allgather(std::string_view{name}) == names(size));
    std::string news = rank == 0 ? "longer than before" : "";
    world.broadcast(news);
    CHECK_EQ(news, "longer than before");
    const std::vector<char> letters = world.allgather(lisle::elements(std::string("ab")));
    CHECK_EQ(letters.size(), 2 * length(size));
    std::string same(5, static_cast<char>('a' + rank));
    world.broadcast(lisle::elements(same), {.root = size - 1});
    CHECK_EQ(same, std::string(5, static_cast<char>('a' + size - 1)));
}

void ranges_are_their_elements(int rank, int size) {
    const std::vector<int> mine(length(rank), rank);
    CHECK(world.allgather(lisle::whole(mine)) == lists(size));
    CHECK(world.gather(lisle::whole(mine)) == (rank == 0 ? lists(size) : std::vector<std::vector<int>>{}));
    CHECK(world.allgather(lisle::whole(std::span{mine})) == lists(size));
    CHECK(world.allgather(std::array<int, 2>{rank, 1}).back()[0] == size - 1);
    CHECK_EQ(world.allgather(lisle::elements(std::array<int, 2>{rank, 1})).size(), 2 * length(size));
    std::vector<int> values(rank == 0 ? 7 : 0, 3);
    world.broadcast(lisle::whole(values));
    CHECK_EQ(values.size(), 7u);
    const std::vector<std::string> two{name_of(rank), "y"};
    CHECK(world.allgather(two).back() == std::vector<std::string>({name_of(size - 1), "y"}));
    const std::vector<std::string> joined = world.allgather(lisle::elements(two));
    CHECK_EQ(joined.size(), 2 * length(size));
    CHECK_EQ(joined[joined.size() - 2], name_of(size - 1));
    CHECK_EQ(world.gather(lisle::elements(two)).size(), rank == 0 ? 2 * length(size) : 0);
}

void reductions_of_wholes_and_elements(int rank, int size) {
    CHECK_EQ(world.allreduce(lisle::whole(1), std::plus<>{}), size);
    CHECK_EQ(world.allreduce(lisle::whole(std::vector<int>(length(rank))), longer).size(), length(size - 1));
    CHECK_EQ(world.scan(lisle::whole(std::vector<int>(length(rank))), longer).size(), length(rank));
    CHECK_EQ(
        world.allreduce(lisle::elements(std::string(3, static_cast<char>('a' + rank))), lisle::maximum{}),
        std::string(3, static_cast<char>('a' + size - 1)));
    const std::vector<std::string> two{std::to_string(rank % 10), "y"};
    const std::vector<std::string> sums = world.allreduce(lisle::elements(two), std::plus<>{});
    CHECK(sums[0].size() == length(size) && sums[0][0] == '0' && sums[1] == std::string(length(size), 'y'));
    const auto at_last = world.reduce(lisle::elements(two), std::plus<>{}, {.root = size - 1});
    CHECK(rank != size - 1 || at_last[0].size() == length(size));
    CHECK_EQ(world.exscan(lisle::elements(two), std::plus<>{}, {"", ""})[1].size(), length(rank));
}

void without_waiting(int rank, int size) {
    const std::string name = name_of(rank);
    const std::vector<int> mine(length(rank), rank);
    std::string news = rank == 0 ? name_of(20) : "";
    std::vector<int> values(rank == 0 ? 3 : 0);
    std::string same = rank == 0 ? "abc" : "xyz";
    auto texts = world.iallgather(name);
    auto ranges = world.iallgather(lisle::whole(mine));
    auto letters = world.iallgather(lisle::elements(std::string("ab")));
    auto joined = world.iallgather(lisle::elements(std::vector<std::string>{name, name}));
    auto at_root = world.igather("abc", {.root = size - 1});
    auto lengths = world.iallreduce(lisle::whole(mine), longer);
    auto most =
        world.iallreduce(lisle::elements(std::string(2, static_cast<char>('a' + rank))), lisle::maximum{});
    auto sums = world.iallreduce(lisle::elements(std::vector<std::string>{"y"}), std::plus<>{});
    auto text = world.ibroadcast(lisle::borrow(news));
    auto sized = world.ibroadcast(lisle::whole(lisle::borrow(values)));
    auto memory = world.ibroadcast(lisle::elements(lisle::borrow(same)));
    lisle::wait_all(texts, ranges, letters, joined, at_root, lengths, most, sums, text, sized, memory);
    CHECK(texts.take() == names(size) && ranges.take() == lists(size));
    CHECK(letters.take().size() == 2 * length(size) && joined.take().size() == 2 * length(size));
    CHECK_EQ(at_root.take().size(), rank == size - 1 ? length(size) : 0);
    CHECK_EQ(lengths.take().size(), length(size - 1));
    CHECK_EQ(most.take(), std::string(2, static_cast<char>('a' + size - 1)));
    CHECK_EQ(sums.take().at(0).size(), length(size));
    CHECK(news == name_of(20) && values.size() == 3 && same == "abc");
}

void prepared_once(int rank, int size) {
    std::string name, sum, letters = "ab", most = "  ";
    std::vector<int> mine;
    std::vector<std::string> all;
    std::vector<std::vector<int>> ranges;
    std::vector<std::vector<int>> at_root;
    lisle::persistent gather = world.allgather_init(lisle::borrow(name), lisle::borrow(all));
    lisle::persistent wholes = world.allgather_init(lisle::whole(lisle::borrow(mine)), lisle::borrow(ranges));
    lisle::persistent to_root = world.gather_init(lisle::whole(lisle::borrow(mine)), lisle::borrow(at_root));
    lisle::persistent concatenate =
        world.allreduce_init(lisle::borrow(name), lisle::borrow(sum), std::plus<>{});
    lisle::persistent elements =
        world.allreduce_init(lisle::elements(lisle::borrow(letters)), lisle::borrow(most), lisle::maximum{});
    lisle::persistent spread = world.broadcast_init(lisle::whole(lisle::borrow(mine)));
    for (int round = 1; round < 4; ++round) {
        name = std::string(static_cast<std::size_t>(round), 'n');
        mine.assign(length(rank + round), rank);
        letters = {static_cast<char>('a' + rank), 'b'};
        lisle::start_all(gather, wholes, to_root, concatenate, elements);
        gather.wait();
        wholes.wait();
        to_root.wait();
        concatenate.wait();
        elements.wait();
        CHECK(all == std::vector<std::string>(length(size), name));
        CHECK(ranges.back().size() == length(size - 1 + round) && ranges[0].size() == length(round));
        CHECK_EQ(at_root.size(), rank == 0 ? length(size) : 0);
        CHECK(sum.size() == length(size * round) && most[0] == static_cast<char>('a' + size - 1));
        spread.start();
        spread.wait();
        CHECK(mine == std::vector<int>(length(round), 0));
    }
}

void neighbours_too(int rank, int size) {
    const int previous = (rank + size - 1) % size;
    const auto ring =
        lisle::distributed_graph::create(world, {.sources = {previous}, .destinations = {(rank + 1) % size}});
    CHECK_EQ(ring.neighbor_allgather(name_of(rank)).at(0), name_of(previous));
    CHECK_EQ(ring.neighbor_allgather(lisle::whole(std::vector<int>(length(rank)))).at(0).size(),
             length(previous));
    CHECK_EQ(ring.neighbor_allgather(lisle::elements(std::string("ab"))).size(), 2u);
    CHECK_EQ(ring.ineighbor_allgather(lisle::elements(std::vector<std::string>{"a", "b"})).wait().size(), 2u);
}

} // namespace

int main() {
    const lisle::environment mpi;
    const int rank = world.rank();
    const int size = world.size();
    texts_are_objects(rank, size);
    ranges_are_their_elements(rank, size);
    reductions_of_wholes_and_elements(rank, size);
    without_waiting(rank, size);
    prepared_once(rank, size);
    neighbours_too(rank, size);
}
