// SPDX-License-Identifier: Apache-2.0
// lisle::pending(): what has been begun and not waited for, with peers, tags and places. With LISLE_CHECK=2.
#include <lisle/lisle.hpp>

#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "neighbours.hpp"

namespace {

std::string here(int line) {
    return "pending.cpp:" + std::to_string(line);
}

void nothing_at_first() {
    CHECK_EQ(lisle::pending().size(), std::size_t{0});
}

void operations_are_listed_until_they_are_waited_for() {
    const std::vector<double> values(3000, 1.5);
    auto coming = world.ireceive<std::vector<double>>(previous_rank(), 7);
    const int coming_line = __LINE__ - 1;
    auto any = world.ireceive<int>(lisle::any_source, 8);
    auto going = world.issend(lisle::borrow(values), next_rank(), 7);
    const int going_line = __LINE__ - 1;
    const auto all = lisle::pending();
    CHECK_EQ(all.size(), std::size_t{3});
    CHECK_EQ(all[0].call, "MPIX_Irecv_allocate");
    CHECK_EQ(all[0].peer, previous_rank());
    CHECK_EQ(all[0].tag, 7);
    CHECK_EQ(all[0].place, here(coming_line));
    CHECK_EQ(all[1].call, "MPI_Irecv_c");
    CHECK_EQ(all[1].peer, MPI_ANY_SOURCE);
    CHECK_EQ(all[1].tag, 8);
    CHECK_EQ(all[2].call, "MPI_Issend_c");
    CHECK_EQ(all[2].peer, next_rank());
    CHECK_EQ(all[2].place, here(going_line));

    auto moved = std::move(coming);
    CHECK_EQ(moved.wait().size(), values.size());
    CHECK_EQ(lisle::pending().size(), std::size_t{2});
    going.wait();
    CHECK_EQ(lisle::pending().size(), std::size_t{1});
    world.send(world.rank(), next_rank(), 8);
    CHECK_EQ(any.wait(), previous_rank());
    nothing_at_first();
}

void peers_are_ranks_of_the_world() {
    // The ranks the other way round.
    const auto turned = world.split(0, world.size() - world.rank());
    auto going = turned.isend(5, (turned.rank() + 1) % turned.size(), 1);
    auto coming = turned.ireceive<int>(lisle::any_source, 1);
    const auto all = lisle::pending();
    for (const auto &each : all)
        if (each.peer >= 0)
            CHECK_EQ(each.peer, previous_rank());
    CHECK_EQ(all.back().peer, MPI_ANY_SOURCE);
    going.wait();
    CHECK_EQ(coming.wait(), 5);
    nothing_at_first();
}

void collectives_have_no_peer() {
    auto sum = world.iallreduce(world.rank(), std::plus<>{});
    const auto all = lisle::pending();
    if (!all.empty()) { // it may have ended at once
        CHECK_EQ(all[0].call, "MPI_Iallreduce_c");
        CHECK_EQ(all[0].peer, lisle::no_rank);
    }
    CHECK_EQ(sum.wait(), world.size() * (world.size() - 1) / 2);
    nothing_at_first();
}

/// Of the only operation under way, if it has not ended at once.
void place_is(int line) {
    for (const auto &each : lisle::pending())
        CHECK_EQ(each.place, here(line));
}

// However many functions of the headers lie between the program and MPI, also without optimisation.
void places_of_collectives_are_the_programs() {
    int number = world.rank();
    std::vector<int> numbers(static_cast<std::size_t>(world.size()));
    auto all = world.iallgather(number);
    place_is(__LINE__ - 1);
    all.wait();
    auto at_root = world.igather_into(lisle::borrow(number), lisle::borrow(numbers));
    place_is(__LINE__ - 1);
    at_root.wait();
    const std::vector<int> ones(numbers.size(), 1);
    auto joined = world.igatherv(std::vector<int>{number}, {.counts = ones});
    place_is(__LINE__ - 1);
    joined.wait();
    auto sum = world.iallreduce(number, std::plus<>{});
    place_is(__LINE__ - 1);
    sum.wait();
    auto in_place = world.iallreduce(lisle::in_place(lisle::borrow(numbers)), std::plus<>{});
    place_is(__LINE__ - 1);
    in_place.wait();
    auto news = world.ibroadcast(lisle::borrow(number));
    place_is(__LINE__ - 1);
    news.wait();
}

void cancelled_ones_are_waited_for() {
    auto never = world.ireceive<int>(previous_rank(), 99);
    CHECK_EQ(lisle::pending().size(), std::size_t{1});
    never.cancel();
    never.wait_complete();
    nothing_at_first();
}

} // namespace

int main() {
    const lisle::environment mpi;
    nothing_at_first();
    operations_are_listed_until_they_are_waited_for();
    peers_are_ranks_of_the_world();
    collectives_have_no_peer();
    places_of_collectives_are_the_programs();
    cancelled_ones_are_waited_for();
    return 0;
}
