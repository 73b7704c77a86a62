// SPDX-License-Identifier: Apache-2.0
// Blocks of data with updates in the order of the program, loops in turn, and priorities.
#include <gtest/gtest.h>

#include "lisle/task/blocks.hpp"
#include "random_updates.hpp"

namespace {

using namespace test;

class blocks : public testing::TestWithParam<int> {
  protected:
    blocks() {
        add_probe(kernels_);
        add_mixing(kernels_);
    }
    std::string run(const std::string &program, tasks::spread where = tasks::spread::steal) {
        tasks::machine machine{kernels_, {.tiles = GetParam(), .where = where}};
        return outcome(machine, program);
    }
    tasks::registry kernels_;
};
INSTANTIATE_TEST_SUITE_P(tiles, blocks, testing::Values(1, 2, 8), testing::PrintToStringParamName{});

TEST_P(blocks, are_updated_in_the_order_of_the_program) {
    tasks::machine machine{kernels_, {.tiles = GetParam()}};
    for (unsigned seed = 0; seed < 60; ++seed) {
        const random_updates drawn{seed, 40, seed % 2 == 0 ? 4 : 300};
        ASSERT_EQ(outcome(machine, drawn.program), drawn.wanted) << "seed " << seed << ": " << drawn.program;
    }
    for (const auto where : {tasks::spread::stay, tasks::spread::round_robin, tasks::spread::least_loaded}) {
        const random_updates drawn{77, 40, 10};
        EXPECT_EQ(run(drawn.program, where), drawn.wanted);
    }
}

TEST_P(blocks, are_read_as_the_updates_before_leave_them) {
    EXPECT_EQ(run("(let ((a (block 1)) (b (block 0))) (seq"
                  " (update b (lambda (old x) (seq (probe.sleep 20) (probe.add x 1))) a)" // reads a before
                  " (update a (lambda (x) (+ x 100)))"
                  " (update b (lambda (old x) (+ (* old 1000) x)) a)"
                  " (list (read a) (read b))))"),
              "(101 2101)");
    EXPECT_EQ(run("(let ((a (block (probe.numbers 4 1)))) (let ((before (read a))) (seq"
                  " (update a (lambda (x) (probe.scaled x 10)))"
                  " (list (probe.sum before) (probe.sum (read a))))))"),
              "(10.0 100.0)")
        << "who has a value keeps it";
    EXPECT_EQ(run("(let ((a (block 5))) (seq (update a (lambda (x y z) (+ x y z)) a 2) (read a)))"), "12");
}

TEST_P(blocks, change_where_they_are_if_nobody_else_reads_them) {
    const std::string same =
        run("(let ((a (block (probe.numbers 1000 1)))) (let ((before (probe.place (read a))))"
            " (seq (for i 0 10 (update a (lambda (x) (probe.scaled x 2))))"
            "      (list (= before (probe.place (read a))) (probe.sum (read a))))))");
    // With other threads the last reader may not have let go yet.
    EXPECT_TRUE(same == "(true 512512000.0)" || (GetParam() > 1 && same == "(false 512512000.0)")) << same;
}

TEST_P(blocks, pass_failures_on) {
    const std::string broken =
        "(let ((a (block 1)) (b (block 2))) (seq\n(update a (lambda (x) (probe.fail \"no\")))\n"
        "(update b (lambda (x y) (probe.note 7)) a)\n";
    const std::string told = "error: program:2:23: no (probe.fail, tile ";
    EXPECT_EQ(run(broken + "(read b)))").substr(0, told.size()), told) << "to what reads it";
    EXPECT_EQ(run(broken + "5))").substr(0, told.size()), told) << "and to the program, if nothing does";
    tasks::machine machine{kernels_, {.tiles = GetParam()}};
    outcome(machine, broken + "5))");
    EXPECT_EQ(outcome(machine, "(map (lambda (i) (length (probe.noted[i]))) (range (tiles)))")
                  .find_first_not_of("(0 )"),
              std::string::npos)
        << "what reads it does not run";
}

TEST_P(blocks, refuse_what_is_none) {
    const auto expect = [&](const std::string &program, const std::string &sentence) {
        EXPECT_NE(run(program).find(sentence), std::string::npos) << program << ": " << run(program);
    };
    expect("(update 3 (lambda (x) x))", "1:1: a block is wanted here, not an integer");
    expect("(let ((a (block 1))) (update a (lambda (x y) x)))",
           "1:22: a function wants 2 arguments, not the 1 of the update: what it writes and what it reads");
    expect("(let ((a (block 1))) (update (list a a) (lambda (x y) x)))",
           "an update that writes a block twice");
    expect("(let ((a (block 1)) (b (block 1))) (update (list a b) (lambda (x y) (list x))))",
           "an update of 2 blocks gives 1 values, not a list of a value for each");
    expect("(let ((a (block 1))) (assign a 2))", "a block is not assigned: update gives it its next value");
    expect("(let ((a (block 1))) (close a))", "a block has no end");
    expect("(let ((a (block 1))) (update^\"x\" a (lambda (x) x)))", "a priority");
    expect("(let ((a (block 1))) (update a 7))", "a function is wanted here, not an integer");
}

TEST_P(blocks, may_be_updated_by_updates) {
    EXPECT_EQ(run("(let ((a (block 1)) (b (block 1))) (seq"
                  " (update a (lambda (x) (seq (update b (lambda (y) (probe.add y 10))) (+ x 1))))"
                  " (read a) (read b)))"),
              "11");
}

TEST_P(blocks, in_expressions_of_the_language_itself) {
    tasks::method<long, long, long> add = tasks::method<long, long, long>{"probe.add"};
    tasks::machine machine{kernels_, {.tiles = GetParam()}};
    const auto program = tasks::let(tasks::block(add(1, 2)), [&](auto a) {
        return tasks::seq(tasks::for_(0, 10,
                                      [&](auto i) {
                                          return tasks::update(
                                              a, [&](auto x, auto more) { return add(x, more); }, i);
                                      }),
                          tasks::update(
                              a, [&](auto x, auto y) { return x * y; }, a)
                              .with_priority(2),
                          tasks::read_block(a));
    });
    EXPECT_EQ(machine.evaluate(program), 48 * 48);
}

TEST_P(blocks, loops_in_turn) {
    EXPECT_EQ(
        run("(seq (for i 0 5 (probe.note[0] i) (probe.note[0] (+ i 10))) (for i 3 3 (probe.fail \"never\"))"
            " (for i 0 2 (for j 0 2 (probe.note[0] (+ 100 (* i 10) j)))) (probe.noted[0]))"),
        "(0 10 1 11 2 12 3 13 4 14 100 101 110 111)");
    EXPECT_NE(run("(for i 0 10 (if (= i 3) (probe.fail \"at 3\") (if (> i 3) (probe.fail \"later\") i)))")
                  .find("at 3"),
              std::string::npos);
    EXPECT_EQ(run("(let ((n (block 0))) (seq (for i 0 20000 (update n (lambda (x) (+ x i)))) (read n)))"),
              "199990000");
}

TEST(priorities, come_first) {
    tasks::registry kernels;
    add_probe(kernels);
    tasks::machine machine{kernels};
    EXPECT_EQ(outcome(machine,
                      "(seq (par (probe.note^1 1) (probe.note^(+ 2 3) 2) (probe.note^-1 3) (probe.note 4))"
                      " (probe.noted))"),
              "(4 2 1 3)");
    EXPECT_EQ(
        outcome(machine,
                "(let ((a (map (lambda (i) (block i)) (range 4))) (note (lambda (x i) (probe.note i))))"
                " (seq (update (nth a 0) note 10) (update^1 (nth a 1) note 11) (update^7 (nth a 2) note 12)"
                " (update^1 (nth a 3) note 13) (map (lambda (each) (read each)) a) (probe.noted)))"),
        "(4 2 1 3 12 11 13 10)");
}

} // namespace
