// SPDX-License-Identifier: Apache-2.0
// Operations of every sort, in every way in which their futures and persistent objects can end: waited for
// twice, dropped, moved from, replaced while under way, without a peer, cancelled, never started. Afterwards
// everything works as before; LISLE_CHECK counts what is left.
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "neighbours.hpp"

namespace {

using table = std::map<std::string, std::vector<int>>;

int value_of(int rank) {
    return 10 + rank;
}
std::vector<int> list_of(int rank) {
    return std::vector<int>(2000, value_of(rank)); // as a stream
}
table table_of(int rank) {
    return {{"rank", {rank}}, {"list", list_of(rank)}};
}

/// The class of the error that a call throws; MPI_SUCCESS if it throws none.
template <class Call> int thrown_by(Call call) {
    try {
        call();
    } catch (const lisle::error &failure) {
        return failure.error_class();
    }
    return MPI_SUCCESS;
}

enum class sort { sends, receives, collective };

/// @param begin starts the operation, with a destination and a source
/// @param opposite what the other ranks' operations need of this rank, once it has begun its own
/// @param right looks at the result, which comes from this source
template <class Begin, class Opposite, class Right>
void in_every_way(sort kind, Begin begin, Opposite opposite, Right right) {
    const int dest = next_rank(), source = previous_rank();
    using future = decltype(begin(dest, source));
    using result = decltype(std::declval<future &>().wait());
    constexpr bool gives = !std::is_void_v<result> && !std::is_same_v<result, lisle::status>;
    const auto end = [&](future &one) {
        if constexpr (gives)
            right(one.wait(), source);
        else
            one.wait();
    };
    // What gives an object gives it once; the others may be waited for again.
    const auto expect_ended = [&](future &one) {
        CHECK_EQ(thrown_by([&] { static_cast<void>(one.wait()); }), gives ? MPI_ERR_REQUEST : MPI_SUCCESS);
    };
    { // waited for twice
        auto one = begin(dest, source);
        opposite(dest, source);
        end(one);
        expect_ended(one);
    }
    { // dropped
        auto unused = begin(dest, source);
        opposite(dest, source);
    }
    { // moved from
        auto one = begin(dest, source);
        auto other = std::move(one);
        expect_ended(one);
        opposite(dest, source);
        end(other);
    }
    { // replaced while it is under way: the first one ends before
        auto one = begin(dest, source);
        opposite(dest, source);
        one = begin(dest, source);
        opposite(dest, source);
        end(one);
    }
    { // tested
        auto one = begin(dest, source);
        opposite(dest, source);
        while (!one.ready()) {
        }
        end(one);
    }
    if (kind != sort::collective) { // nobody there
        auto one = begin(lisle::no_rank, lisle::no_rank);
        CHECK_EQ(thrown_by([&] { static_cast<void>(one.wait()); }), MPI_SUCCESS);
    }
    world.barrier(); // nobody sends to what is to be cancelled
    if (kind == sort::receives) {
        auto one = begin(dest, source);
        one.cancel();
        CHECK_EQ(thrown_by([&] { static_cast<void>(one.wait()); }), gives ? MPI_ERR_REQUEST : MPI_SUCCESS);
        CHECK(one.status().cancelled());
    }
    if (kind == sort::collective) { // these cannot be
        auto one = begin(dest, source);
        const int refused = thrown_by([&] { one.cancel(); });
        CHECK(!lisle::has_extensions || refused == MPI_SUCCESS || refused == MPI_ERR_REQUEST);
        end(one);
    }
    world.barrier();
    auto last = begin(dest, source);
    opposite(dest, source);
    end(last);
}

template <class T, class Make> void messages(Make make) {
    const auto right = [&make](const T &came, int source) { CHECK(came == make(source)); };
    const auto given_back = [&make](const T &sent, int) { CHECK(sent == make(world.rank())); };
    const auto send = [&make](int dest, int) { world.send(make(world.rank()), dest, 1); };
    const auto receive = [&right](int, int source) { right(world.receive<T>(source, 1), source); };
    const T mine = make(world.rank());
    in_every_way(
        sort::receives, [](int, int source) { return world.ireceive<T>(source, 1); }, send, right);
    in_every_way(
        sort::sends, [&](int dest, int) { return world.isend(make(world.rank()), dest, 1); }, receive,
        given_back);
    in_every_way(
        sort::sends, [&](int dest, int) { return world.isend(lisle::borrow(mine), dest, 1); }, receive,
        [](const auto &...) {});
    in_every_way(
        sort::sends, [&](int dest, int) { return world.issend(lisle::borrow(mine), dest, 1); }, receive,
        [](const auto &...) {});
}

/// Each gives something that depends on all ranks.
void collectives() {
    const auto nothing = [](int, int) {};
    const int size = world.size(), rank = world.rank();
    const int sum = size * (size - 1) / 2;
    in_every_way(
        sort::collective, [](int, int) { return world.ibarrier(); }, nothing, [](const auto &...) {});
    in_every_way(
        sort::collective, [=](int, int) { return world.iallreduce(rank, std::plus<>{}); }, nothing,
        [sum](int came, int) { CHECK_EQ(came, sum); });
    in_every_way(
        sort::collective, [=](int, int) { return world.iscan(rank, std::plus<>{}); }, nothing,
        [rank](int came, int) { CHECK_EQ(came, rank * (rank + 1) / 2); });
    in_every_way(
        sort::collective, [=](int, int) { return world.iallgather(rank); }, nothing,
        [size](const std::vector<int> &came, int) {
            CHECK_EQ(came.size(), static_cast<std::size_t>(size));
            for (int i = 0; i < size; ++i)
                CHECK_EQ(came[static_cast<std::size_t>(i)], i);
        });
    in_every_way(
        sort::collective, [=](int, int) { return world.iallgather(table_of(rank)); }, nothing,
        [](const std::vector<table> &came, int source) {
            CHECK(came[static_cast<std::size_t>(source)] == table_of(source));
        });
    std::vector<std::vector<int>> news; // one for each operation: two of them may be under way
    news.reserve(20);
    in_every_way(
        sort::collective,
        [&](int, int) { return world.ibroadcast(lisle::borrow(news.emplace_back(100, rank == 0 ? 7 : 0))); },
        nothing, [](const auto &...) {});
    for (const auto &each : news)
        CHECK_EQ(each.back(), 7);
}

/// Of messages to a neighbour: never started, started twice, waited for twice, moved, dropped under way.
void persistent_operations() {
    const int dest = next_rank(), source = previous_rank();
    std::vector<int> out = list_of(world.rank()), in(out.size());
    { // never started
        const lisle::persistent unused = world.send_init(lisle::borrow(out), dest, 2);
        const lisle::persistent neither = world.receive_init(lisle::borrow(in), source, 2);
    }
    { // nobody there
        lisle::persistent sending = world.send_init(lisle::borrow(out), lisle::no_rank, 2);
        lisle::persistent receiving = world.receive_init(lisle::borrow(in), lisle::no_rank, 2);
        for (int round = 0; round < 2; ++round) {
            receiving.start();
            sending.start();
            sending.wait();
            receiving.wait();
        }
    }
    lisle::persistent sending = world.send_init(lisle::borrow(out), dest, 2);
    lisle::persistent receiving = world.receive_init(lisle::borrow(in), source, 2);
    for (int round = 0; round < 2; ++round) {
        in.assign(in.size(), 0);
        receiving.start();
        if constexpr (lisle::has_extensions) // others may not see it
            CHECK_EQ(thrown_by([&] { receiving.start(); }), MPI_ERR_REQUEST);
        sending.start();
        auto moved = std::move(receiving);
        moved.wait();
        moved.wait(); // not started: returns at once
        sending.wait();
        CHECK(in == list_of(source));
        receiving = std::move(moved);
    }
    receiving.start();
    sending.start();
} // they end here, under way

} // namespace

int main() {
    const lisle::environment mpi; // its errors are thrown
    messages<int>(value_of);
    messages<std::vector<int>>(list_of);
    messages<table>(table_of);
    collectives();
    persistent_operations();
}
