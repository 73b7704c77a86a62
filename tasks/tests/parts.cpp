// SPDX-License-Identifier: Apache-2.0
// Parts of the machine on their own: parcels, numbers of tiles, bytes from peers, the deque, termination.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "lisle/task/grid.hpp"
#include "machine.hpp"
#include "task/language/repeatable.hpp"
#include "task/machine/deque.hpp"
#include "task/machine/termination.hpp"
#include "task/value/remote.hpp"
#include "task/wire/parcel.hpp"

namespace {

using namespace lisle::tasks;

TEST(parcel, comes_back_as_it_was) {
    std::mt19937_64 random{7};
    constexpr int controls[] = {1, 1, 1, 3, 5, 3, 6, 1};
    for (int i = 0; i < 1000000; ++i) {
        parcel sent;
        const auto type = random() % parcel_types;
        sent.type = static_cast<parcel_type>(type);
        sent.control = static_cast<std::uint8_t>(random() % static_cast<unsigned>(controls[type]));
        sent.from_tile = static_cast<std::uint32_t>(random());
        sent.to_tile = static_cast<std::uint32_t>(random());
        sent.program = random();
        sent.expression = static_cast<std::uint32_t>(random());
        sent.first = static_cast<std::uint32_t>(random());
        sent.end = static_cast<std::uint32_t>(random());
        sent.address = random();
        sent.count = random();
        encoder out;
        write_header(sent, out);
        const auto bytes = out.take();
        decoder in{bytes};
        const parcel got = read_header(in);
        ASSERT_EQ(in.left(), 0U);
        ASSERT_TRUE(got.type == sent.type && got.control == sent.control && got.from_tile == sent.from_tile &&
                    got.to_tile == sent.to_tile && got.program == sent.program &&
                    got.expression == sent.expression && got.first == sent.first && got.end == sent.end &&
                    got.address == sent.address && got.count == sent.count);
    }
}

TEST(parcel, is_refused_if_no_machine_sends_it) {
    std::mt19937_64 random{8};
    encoder out;
    write_header({}, out);
    const auto good = out.take();
    for (std::size_t size = 0; size < good.size(); ++size) {
        decoder in{std::span{good}.first(size)};
        EXPECT_THROW(read_header(in), std::runtime_error) << size;
    }
    for (std::size_t at : {0, 1, 2, 4}) {
        auto bad = good;
        bad[at] = std::byte{0xEE};
        decoder in{bad};
        EXPECT_THROW(read_header(in), std::runtime_error) << at;
    }
}

TEST(codec, refuses_lengths_that_are_not_there) {
    encoder out;
    out.number<std::uint64_t>(1ULL << 60U);
    const auto bytes = out.take();
    decoder first{bytes}, second{bytes};
    EXPECT_THROW(codec<std::vector<double>>::read(first), std::runtime_error);
    EXPECT_THROW(codec<std::string>::read(second), std::runtime_error);
}

struct written_otherwise { // than as its field
    double degrees = 0;
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
static_assert(encodable<std::pair<int, double>> && !encodable<written_otherwise>);

TEST(codec, brings_objects_back) {
    using object = std::tuple<int, std::string, std::vector<std::vector<double>>, std::optional<bool>,
                              std::array<short, 3>>;
    const object sent{-1, "text", {{1, 2}, {}, {3}}, true, {1, 2, 3}};
    encoder out;
    codec<object>::write(sent, out);
    const auto bytes = out.take();
    decoder in{bytes};
    EXPECT_EQ(codec<object>::read(in), sent);
}

TEST(tile_map, numbers_every_tile_once) {
    const tile_map map{{3, 1, 64, 9}};
    EXPECT_EQ(map.tiles(), 77);
    int tile = 0;
    for (int rank = 0; rank < map.ranks(); ++rank) {
        for (int inside = 0; inside < map.count_of(rank); ++inside, ++tile) {
            EXPECT_EQ(map.first_of(rank) + inside, tile);
            EXPECT_EQ(map.rank_of(tile), rank);
        }
    }
    EXPECT_THROW(static_cast<void>(map.checked_tile(77, false)), std::out_of_range);
    EXPECT_THROW(static_cast<void>(map.checked_tile(-1, false)), std::out_of_range);
    const tile_map thesis{{9, 9, 9, 9}};
    EXPECT_THROW(static_cast<void>(thesis.checked_tile(126, false)), std::out_of_range);
    EXPECT_EQ(thesis.checked_tile(126, true), 18);
    EXPECT_THROW(tile_map({0}), std::invalid_argument);
}

TEST(grid, has_the_neighbours_of_the_thesis) {
    const grid torus{4, 4};
    EXPECT_EQ(torus.neighbours(6), (std::vector<int>{1, 2, 3, 5, 7, 9, 10, 11}));
    EXPECT_EQ(torus.neighbours(12), (std::vector<int>{0, 1, 3, 8, 9, 11, 13, 15}));
    const grid mesh{4, 4, grid_edges::end};
    EXPECT_EQ(mesh.neighbours(6), torus.neighbours(6));
    EXPECT_EQ(mesh.neighbours(12), (std::vector<int>{8, 9, 13}));
    EXPECT_EQ((grid{1, 3}.neighbours(0)), (std::vector<int>{1, 2}));
    EXPECT_TRUE((grid{1, 1}.neighbours(0).empty()));
    for (int direction = 0; direction < grid::directions; ++direction) {
        EXPECT_EQ(torus.neighbour(torus.neighbour(5, direction), grid::opposite(direction)), 5) << direction;
    }
    EXPECT_THROW(grid(0, 4), std::invalid_argument);
}

TEST(deque, gives_each_task_to_one) {
    constexpr std::uint32_t tasks = 100000;
    task_deque deque;
    std::vector<std::atomic<int>> taken(tasks);
    std::atomic<bool> is_done{false};
    const auto thief = [&] {
        task stolen;
        while (!is_done) {
            if (deque.steal(stolen)) {
                ++taken[stolen.slot];
            }
        }
    };
    std::thread one{thief}, two{thief};
    task popped;
    for (std::uint32_t i = 0; i < tasks; ++i) {
        deque.push({nullptr, nullptr, nullptr, i, 0, i, i});
        if (i % 7 == 0) {
            deque.share_all();
        }
        if (i % 3 == 0 && deque.pop(popped)) {
            EXPECT_EQ(popped.first, popped.slot);
            ++taken[popped.slot];
        }
    }
    while (deque.pop(popped)) {
        ++taken[popped.slot];
    }
    is_done = true;
    one.join();
    two.join();
    task left;
    EXPECT_FALSE(deque.steal(left));
    EXPECT_EQ(std::accumulate(taken.begin(), taken.end(), 0), static_cast<int>(tasks));
    EXPECT_TRUE(std::ranges::all_of(taken, [](const auto &count) { return count == 1; }));
}

TEST(deque, shares_half_of_its_tasks_when_some_are_wanted) {
    task_deque deque;
    task taken;
    for (std::uint32_t i = 0; i < 5; ++i) {
        deque.push({nullptr, nullptr, nullptr, i});
    }
    EXPECT_TRUE(deque.has_own());
    EXPECT_FALSE(deque.steal(taken)); // says that some are wanted
    deque.push({nullptr, nullptr, nullptr, 5});
    for (std::uint32_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(deque.steal(taken));
        EXPECT_EQ(taken.slot, i);
    }
    EXPECT_FALSE(deque.steal(taken));
    deque.share_all();
    EXPECT_FALSE(deque.has_own());
    EXPECT_EQ(deque.size(), 3);
    ASSERT_TRUE(deque.pop(taken));
    EXPECT_EQ(taken.slot, 5U);
    ASSERT_TRUE(deque.steal(taken));
    EXPECT_EQ(taken.slot, 3U);
    ASSERT_TRUE(deque.pop(taken));
    EXPECT_EQ(taken.slot, 4U);
    EXPECT_FALSE(deque.pop(taken));
    EXPECT_EQ(deque.size(), 0);
}

TEST(termination, goes_on_without_a_rank_that_has_died) {
    termination zero{0, 3}, one{1, 3};
    zero.has_sent(2); // never received
    zero.has_sent(1);
    one.has_received(0);
    one.has_received(2);
    EXPECT_EQ(one.next(), 2);
    for (termination *each : {&zero, &one}) {
        each->lose(2);
    }
    EXPECT_EQ(one.next(), 0);
    for (int round = 0; round < 2; ++round) {
        ASSERT_TRUE(zero.holds_token());
        EXPECT_EQ(zero.judge(true, false), termination::verdict::unknown);
        one.take(zero.pass(true, false));
        zero.take(one.pass(true, false));
    }
    EXPECT_EQ(zero.judge(true, false), termination::verdict::all_finished);
    one.lose(0); // the one that judges
    EXPECT_TRUE(one.leads());
    EXPECT_TRUE(one.holds_token());
    EXPECT_EQ(one.left(), 1);
    EXPECT_EQ(one.judge(false, false), termination::verdict::stuck);
}

/// What keeps a program as a whole from being evaluated again.
std::string obstacle(const std::string &program) {
    registry kernels;
    test::add_probe(kernels);
    const code text = compile(read(program), kernels);
    return obstacle_to_repeating(text, kernels, text.nodes[text.functions[0].body], {});
}

TEST(repeatable, is_what_has_no_effect) {
    EXPECT_EQ(obstacle("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib (probe.rank))"),
              "");
    EXPECT_EQ(obstacle("(fold + (map (lambda (x) (probe.sum (probe.numbers x 1))) (range 5)))"), "");
    EXPECT_EQ(obstacle("(for i 0 5 (run '(probe.rank) 0))"), "");
}

TEST(repeatable, is_not_what_has_an_effect_however_deep) {
    const std::string note = "probe.note, which is no const method";
    EXPECT_EQ(obstacle("(+ 1 (probe.note 2))"), note);
    EXPECT_EQ(obstacle("(define (f n) (if (< n 2) (probe.note n) (f (- n 1)))) (f 9)"), note);
    EXPECT_EQ(obstacle("(map (lambda (x) (probe.note x)) (range 5))"), note);
    EXPECT_EQ(obstacle("(let ((f (lambda (x) (probe.note x)))) (map f (range 5)))"), note);
    EXPECT_EQ(obstacle("(run '(probe.note 1) 0)"), note);
    EXPECT_EQ(obstacle("(seq (print 1) 2)"), "print");
    EXPECT_NE(obstacle("(let (x) (par (assign x 1) (read x)))"), "");
    EXPECT_NE(obstacle("(let ((b (buf))) (seq (put b 1) (close b) (stream b)))"), "");
    EXPECT_NE(obstacle("(let ((b (block 0))) (seq (update b + 1) (read b)))"), "");
}

// The functions that a task is given are not in its code.
TEST(repeatable, looks_into_functions_among_the_values) {
    registry kernels;
    test::add_probe(kernels);
    const code text = compile(read("(define (of f x) (f x)) (list (lambda (x) (probe.note x)) of)"), kernels);
    const auto number_of = [&](auto has) {
        return static_cast<std::uint32_t>(std::ranges::find_if(text.functions, has) - text.functions.begin());
    };
    const auto given = number_of([](const function_code &each) { return each.name == "of"; });
    const auto noting = number_of([&](const function_code &each) {
        return each.parameters == 1 && text.nodes[each.body].what == op::kernel;
    });
    ASSERT_LT(std::max(given, noting), text.functions.size());
    const node &body = text.nodes[text.functions[given].body];
    std::vector<value> values(2);
    EXPECT_EQ(obstacle_to_repeating(text, kernels, body, values), "");
    const value function = make<closure>(nullptr, noting, std::vector<value>{});
    values[0] = value{std::vector<value>{function}};
    EXPECT_EQ(obstacle_to_repeating(text, kernels, body, values), "probe.note, which is no const method");
}

TEST(termination, waits_for_parcels_under_way) {
    termination zero{0, 2}, one{1, 2};
    const auto go_round = [&](bool finishes, bool is_full = false) {
        one.take(zero.pass(true, false));
        zero.take(one.pass(finishes, is_full));
    };
    zero.has_sent(1); // a parcel to rank 1, which has not arrived
    EXPECT_EQ(zero.judge(true, false), termination::verdict::unknown);
    go_round(true);
    EXPECT_EQ(zero.judge(true, false), termination::verdict::unknown);
    one.has_received(0);
    go_round(true); // rank 1 is black
    EXPECT_EQ(zero.judge(true, false), termination::verdict::unknown);
    go_round(false);
    EXPECT_EQ(zero.judge(true, false), termination::verdict::stuck);
    go_round(false, true);
    EXPECT_EQ(zero.judge(true, false), termination::verdict::full);
    go_round(true);
    EXPECT_EQ(zero.judge(true, true), termination::verdict::full);
    EXPECT_EQ(zero.judge(true, false), termination::verdict::all_finished);
}

} // namespace
