// SPDX-License-Identifier: Apache-2.0
// The embedded form: the same programs as expressions of C++, compared with C++ itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "lisle/task/future.hpp"
#include "machine.hpp"

namespace {

using namespace test;
using tasks::expression;

class blocks { // of merge sort and of a matrix product
  public:
    std::vector<int> sort(std::vector<int> numbers) const {
        std::ranges::sort(numbers);
        return numbers;
    }
    std::vector<int> part(const std::vector<int> &all, long first, long end) const {
        return {all.begin() + first, all.begin() + end};
    }
    std::vector<int> merge(const std::vector<int> &a, const std::vector<int> &b) const {
        std::vector<int> both;
        std::ranges::merge(a, b, std::back_inserter(both));
        return both;
    }
};

class embedded : public testing::TestWithParam<int> {
  protected:
    tasks::registry kernels;
    tasks::method<long, long, long> add = kernels.add("probe.add", &probe::add);
    tasks::method<long, long> note = kernels.add("probe.note", &probe::note);
    tasks::method<std::vector<long>> noted = kernels.add("probe.noted", &probe::noted);
    tasks::method<double, const point &> norm = kernels.add("probe.norm", &probe::norm);
    tasks::method<std::vector<int>, std::vector<int>> sort = kernels.add("blocks.sort", &blocks::sort);
    tasks::method<std::vector<int>, const std::vector<int> &, long, long> part =
        kernels.add("blocks.part", &blocks::part);
    tasks::method<std::vector<int>, const std::vector<int> &, const std::vector<int> &> merge =
        kernels.add("blocks.merge", &blocks::merge);
    tasks::machine machine{kernels, {.tiles = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(tiles, embedded, testing::Values(1, 2, 8), testing::PrintToStringParamName{});

TEST_P(embedded, expressions_are_programs) {
    EXPECT_EQ(machine.evaluate(add(add(1, 2), add(add(3, 4), 5))), 15);
    EXPECT_EQ(machine.evaluate(tasks::par(add(1, 1), add(2, 2))), 4);
    EXPECT_EQ(machine.evaluate(tasks::if_(add(1, 1) == 2, add(1, 2), 0L)), 3);
    EXPECT_EQ(machine.evaluate(tasks::let(add(20, 1), [](auto x) { return x * x; })), 441);
    EXPECT_EQ(machine.evaluate(add(1, 2) / 2 + add(7, 0) % 4), 4);
    EXPECT_EQ(machine.evaluate(norm(point{3, 4, "p"})), 25);
    EXPECT_EQ(machine.evaluate(tasks::apply(tasks::lambda<long>([](auto x) { return x + 1; }), 41)).integer(),
              42);
}

TEST_P(embedded, functions_recur) {
    tasks::function<long(long)> fib{"fib"};
    fib = [&](expression<long> n) { return tasks::if_(n < 2, n, fib(n - 1) + fib(n - 2)); };
    EXPECT_EQ(machine.evaluate(tasks::program(fib(20L), fib)).as<long>(), 6765);
}

TEST_P(embedded, merge_sort_sorts) {
    std::mt19937 generator{1};
    std::vector<int> numbers(5000);
    std::ranges::generate(numbers, [&] { return static_cast<int>(generator() % 1000000); });
    tasks::function<std::vector<int>(std::vector<int>, long, long)> sorted{"sorted"};
    sorted = [&](expression<std::vector<int>> all, expression<long> first, expression<long> end) {
        return tasks::if_(end - first < 500, sort(part(all, first, end)),
                          tasks::let((first + end) / 2,
                                     [&](auto middle) {
                                         return merge(sorted(all, first, middle), sorted(all, middle, end));
                                     }));
    };
    const auto got =
        machine.evaluate(tasks::program(sorted(numbers, 0L, 5000L), sorted)).as<std::vector<int>>();
    std::ranges::sort(numbers);
    EXPECT_EQ(got, numbers);
}

TEST_P(embedded, loops_run_every_index_once) {
    const auto all = [&](const auto &loop) {
        auto notes = machine.evaluate(tasks::program(tasks::seq(loop, noted().on_tile(0))))
                         .template as<std::vector<long>>();
        std::ranges::sort(notes);
        return notes;
    };
    std::vector<long> wanted(100);
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(all(tasks::par_for(0, 100, [&](auto i) { return note(i).on_tile(0); })), wanted);
    machine.finish();
}

TEST_P(embedded, chunks_and_nested_loops) {
    tasks::machine other{kernels, {.tiles = GetParam()}};
    auto loop = tasks::par_for_chunks(0, 100, 7, [&](auto begin, auto end) {
        return tasks::par_for(begin, end, [&](auto i) { return note(i).on_tile(0); });
    });
    auto notes = other.evaluate(tasks::program(tasks::seq(loop, noted().on_tile(0)))).as<std::vector<long>>();
    std::ranges::sort(notes);
    std::vector<long> wanted(100);
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(notes, wanted);
}

TEST_P(embedded, map_and_fold) {
    const auto squares = tasks::map<long>([](auto x) { return x * x; }, tasks::range_of(1, 1001));
    EXPECT_EQ(machine.evaluate(tasks::fold<long>([](auto a, auto b) { return a + b; }, squares)), 333833500);
    EXPECT_EQ(machine.evaluate(tasks::fold<long>([&](auto a, auto b) { return add(a, b); }, squares)),
              333833500);
}

TEST_P(embedded, sequences_are_in_order) {
    for (int run = 0; run < 20; ++run) {
        tasks::machine fresh{kernels, {.tiles = GetParam()}};
        const auto program = tasks::seq(note(1).on_tile(0), note(2).on_tile(0), note(3).on_tile(0),
                                        note(4).on_tile(0), noted().on_tile(0));
        EXPECT_EQ(fresh.evaluate(program), (std::vector<long>{1, 2, 3, 4}));
    }
}

tasks::routine<long> sum_of(tasks::machine &machine, tasks::method<long, long, long> add, long first,
                            long end) {
    if (end - first == 1) {
        co_return co_await machine.submit(add(first, 0L));
    }
    const long middle = (first + end) / 2;
    auto left = sum_of(machine, add, first, middle), right = sum_of(machine, add, middle, end); // at once
    const long a = co_await left, b = co_await right;
    co_return co_await machine.submit(add(a, b));
}

TEST_P(embedded, futures_are_waited_for_in_any_order) {
    std::vector<tasks::future<long>> sums;
    for (long i = 0; i < 20; ++i) {
        sums.push_back(machine.submit(add(i, 1L)));
    }
    for (std::size_t i = sums.size(); i-- > 0;) {
        EXPECT_EQ(sums[i].get(), static_cast<long>(i) + 1);
    }
    EXPECT_THROW(sums[3].get(), std::logic_error) << "its value has been taken";
    auto text = machine.submit(tasks::read("(list 1 2)"));
    EXPECT_EQ(machine.evaluate(add(1L, 1L)), 2);
    EXPECT_EQ(text.get().as<std::vector<long>>(), (std::vector<long>{1, 2}));
    static_cast<void>(machine.submit(add(1L, 1L))); // nobody takes this one
    machine.finish();
}

TEST_P(embedded, coroutines_wait_for_programs) {
    EXPECT_EQ(machine.run(sum_of(machine, add, 0, 50)), 1225);
    const auto failing = [](tasks::machine &of) -> tasks::routine<> {
        co_await of.submit(tasks::read("(+ 1\n (probe.add 1 \"x\"))", "f"));
    };
    try {
        machine.run(failing(machine));
        ADD_FAILURE() << "no exception";
    } catch (const tasks::task_error &error) {
        EXPECT_NE(std::string{error.what()}.find("f:2:2: an integer is wanted"), std::string::npos)
            << error.what();
    }
    const auto lost = []() -> tasks::routine<> { co_await std::suspend_always{}; };
    EXPECT_THROW(machine.run(lost()), std::logic_error);
}

TEST_P(embedded, programs_without_end_are_cancelled) {
    for (const char *const program :
         {"(define (on n) (seq (probe.add n 1) (on (+ n 1)))) (on 0)", "(define (on n) (on (+ n 1))) (on 0)",
          "(define (on n) (seq (probe.add n 1) (on (+ n 1)))) (let (x) (par (on 0) (on 1) (read x)))",
          "(define (on n) (seq (probe.add n 1) (on (+ n 1)))) (map on (range 1000))",
          "(define (on n) (seq (probe.add n 1) (on (+ n 1))))"
          "(let ((a (block 1))) (seq (update a on) (update a (lambda (x) (+ x 1))) (read a)))"}) {
        auto endless = machine.submit(tasks::read(program, "p"));
        EXPECT_EQ(machine.evaluate(add(1L, 2L)), 3) << "while it runs";
        EXPECT_FALSE(endless.is_ready());
        endless.cancel();
        EXPECT_TRUE(endless.is_ready());
        try {
            endless.get();
            ADD_FAILURE() << program << " has a value";
        } catch (const tasks::task_error &error) {
            EXPECT_EQ(error.message(), "the program was cancelled");
        }
    }
    auto done = machine.submit(add(1L, 1L));
    while (!done.is_ready()) {
        machine.evaluate(add(1L, 1L));
    }
    done.cancel();
    EXPECT_EQ(done.get(), 2) << "what is complete stays so";
    machine.submit(tasks::read("(define (on n) (on (+ n 1))) (on 0)")).cancel();
    machine.finish(); // does not wait for what nobody takes
}

TEST_P(embedded, two_programs_at_once) {
    const auto slow =
        machine.start(tasks::program(tasks::par_for(0, 200, [&](auto i) { return add(i, 1); })));
    const auto quick = machine.start(tasks::program(add(1, 2)));
    EXPECT_EQ(machine.wait(quick).as<long>(), 3);
    EXPECT_TRUE(machine.wait(slow).get().is_nothing());
}

} // namespace
