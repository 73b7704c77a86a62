// SPDX-License-Identifier: Apache-2.0
// The language, on machines of one rank with 1, 2 and 8 tiles and no MPI: every form, and every error's
// place.
#include <gtest/gtest.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "machine.hpp"
#include "task/machine/kernel_mark.hpp"

namespace {

using namespace test;

class language : public testing::TestWithParam<int> {
  protected:
    language() { add_probe(kernels_); }
    std::string run(const std::string &program, tasks::spread where = tasks::spread::steal) {
        tasks::machine machine{kernels_, {.tiles = GetParam(), .where = where}};
        return outcome(machine, program);
    }
    tasks::registry kernels_;
};
INSTANTIATE_TEST_SUITE_P(tiles, language, testing::Values(1, 2, 8), testing::PrintToStringParamName{});

TEST_P(language, arithmetic) {
    EXPECT_EQ(run("(+ 1 (* 2 3) (- 10 4) (div 7 2) (mod -1 4))"), "19");
    EXPECT_EQ(run("(/ 1 4)"), "0.25");
    EXPECT_EQ(run("(+ 1 0.5)"), "1.5");
    EXPECT_EQ(run("(list (min 3 1 2) (max 3 1.5) (- 5) (< 1 2 3) (= \"a\" \"a\") (not true))"),
              "(1 3 -5 true true false)");
    EXPECT_EQ(run("(probe.add (probe.add 1 2) (probe.add (probe.add 3 4) 5))"), "15");
}

TEST_P(language, nesting_has_a_limit) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "its frames are so long that the stack ends before the limit";
#endif
    const auto nested = [](int depth) {
        std::string text;
        for (int at = 0; at != depth; ++at) {
            text += "(+ 1 ";
        }
        return text + "1" + std::string(static_cast<std::size_t>(depth), ')');
    };
    EXPECT_EQ(run(nested(1999)), "2000");
    EXPECT_EQ(run(nested(20000)), "error: program:1:9997: an expression lies within 2000 others, which is "
                                  "the most; give parts of it names, "
                                  "with let or define");
}

TEST_P(language, kernels_are_spread_wherever_they_are_called) {
    for (const tasks::spread where : {tasks::spread::round_robin, tasks::spread::least_loaded}) {
        // In a map, as the last argument, as the body of a function.
        for (const std::string program :
             {"(map (lambda (i) (probe.tile)) (range 64))",
              "(define (here) (probe.tile)) (map (lambda (i) (here)) (range 64))",
              "(fold append (map (lambda (i) (list 0 (probe.tile))) (range 64)))"}) {
            const std::string got = run(program, where);
            for (int tile = 0; tile != (where == tasks::spread::round_robin ? GetParam() : 1); ++tile) {
                EXPECT_NE((got + " ").find(" " + std::to_string(tile)), std::string::npos)
                    << program << ": " << got;
            }
        }
    }
}

TEST_P(language, crashes_of_kernels_are_told_with_their_place) {
    kernels_.add("probe.abort", [](long) -> long { std::abort(); });
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            tasks::report_crashes_of_kernels();
            run("(+ 1\n  (probe.abort 3))");
        },
        testing::KilledBySignal(SIGABRT),
        "the kernel probe.abort crashed .SIGABRT., called at program:2:3 .tile [0-9] of rank 0.");
}

TEST_P(language, control) {
    EXPECT_EQ(run("(if (< 1 2) \"yes\" (probe.fail \"never\"))"), "\"yes\"");
    EXPECT_EQ(run("(cond ((= 1 2) 1) ((= 1 1) 2) (else 3))"), "2");
    EXPECT_EQ(run("(and true (or false (< 1 2)))"), "true");
    EXPECT_EQ(run("(let ((x 2) (y (probe.add 1 2))) (let ((x (+ x y))) (* x y)))"), "15");
    EXPECT_EQ(run("(par 1 (probe.add 1 1) 3)"), "3");
    EXPECT_EQ(run("(seq '(probe.add 1 1) '(probe.add 2 2))"), "4");
}

TEST_P(language, functions) {
    EXPECT_EQ(run("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 20)"), "6765");
    EXPECT_EQ(run("(let ((a 10)) ((lambda (x y) (+ a x y)) 1 2))"), "13");
    EXPECT_EQ(run("(define (twice f) (lambda (x) (f (f x)))) (apply (twice (twice (lambda (x) (* x 3)))) 1)"),
              "81");
    EXPECT_EQ(run("(let ((later '(probe.add 20 3))) (run later))"), "23");
    EXPECT_EQ(run("(define (loop n sum) (if (= n 0) sum (loop (- n 1) (+ sum n)))) (loop 100000 0)"),
              "5000050000");
}

TEST_P(language, sequences) {
    EXPECT_EQ(run("(fold + (map (lambda (x) (* x x)) (range 1 1001)))"), "333833500");
    EXPECT_EQ(run("(map probe.add (list))"),
              "error: program:1:1: a function of 1 parameters is wanted here (tile 0 of rank 0)");
    EXPECT_EQ(run("(fold append (map list (range 5)))"),
              "error: program:1:14: a function of 1 parameters is wanted here (tile 0 of rank 0)");
    EXPECT_EQ(run("(fold append (map (lambda (x) (list x)) (range 5)))"), "(0 1 2 3 4)");
    EXPECT_EQ(run("(map (lambda (x) (+ x 0.5)) (probe.numbers 3 1))"), "(1.5 2.5 3.5)");
    EXPECT_EQ(run("(list (length \"abc\") (nth (list 4 5) 1) (slice (range 10) 2 4) (reverse (list 1 2)))"),
              "(3 5 (2 3) (2 1))");
    EXPECT_EQ(run("(fold + (list))").substr(0, 19), "error: program:1:1:");
}

TEST_P(language, loops) {
    // The counting is on tile 0, where nothing is lost.
    EXPECT_EQ(run("(seq (par-for i 0 100 (probe.note[0] i)) (fold + (probe.noted[0])))"), "4950");
    EXPECT_EQ(run("(seq (par-for-chunks (i j) 0 10 3 (probe.note[0] (- j i))) (fold + (probe.noted[0])))"),
              "10");
    EXPECT_EQ(run("(seq (par-for i 0 4 (par-for j 0 4 (probe.note[0] (* i j)))) (fold + (probe.noted[0])))"),
              "36");
}

TEST_P(language, variables_assigned_once) {
    EXPECT_EQ(run("(let (x) (par (assign x (seq (probe.sleep 20) 7)) (+ (read x) 1)))"), "8");
    EXPECT_EQ(run("(let (x) (par (+ (read x) 1) (seq (probe.sleep 20) (assign x 7)) (read x)))"), "7");
    EXPECT_NE(
        run("(let (x) (seq (assign x 1) (assign x 2)))").find("has a value already (1): it is assigned once"),
        std::string::npos);
    EXPECT_NE(run("(let (x) (read x))").find("1:10: waits for a value that nothing is left to provide"),
              std::string::npos);
}

TEST_P(language, buffers) {
    EXPECT_EQ(run("(define (produce b i) (if (= i 100) (close b) (seq (put b i) (produce b (+ i 1)))))"
                  "(define (consume b last n) (let ((v (stream b))) (if (end? v) n (if (= v (+ last 1)) "
                  "(consume b v (+ n 1)) -1))))"
                  "(let ((b (buf))) (par (produce b 0) (consume b -1 0)))"),
              "100");
    EXPECT_EQ(run("(let ((b (buf (list 1 2)))) (seq (stream b) (stream b) (end? (stream b))))"), "true");
    EXPECT_NE(run("(let ((b (buf (list)))) (put b 1))").find("the buffer is closed"), std::string::npos);
}

TEST_P(language, objects_of_kernels) {
    EXPECT_EQ(run("(probe.norm (probe.make 3 4 \"p\"))"), "25.0");
    EXPECT_EQ(run("(probe.sum (probe.scaled (probe.numbers 4 1) 2))"), "20.0");
    EXPECT_EQ(run("(probe.sum (list 1 2 3.5))"), "6.5");
    EXPECT_EQ(run("(probe.joined (probe.words \"ab\" \"cd\"))"), "\"abcd\"");
}

TEST_P(language, placement) {
    const std::string last = std::to_string(GetParam() - 1);
    EXPECT_EQ(run("(probe.tile[" + last + "])"), last);
    EXPECT_EQ(run("(fold + (map (lambda (i) (if (= (probe.tile[(mod i (tiles))]) (mod i (tiles))) 1 0)) "
                  "(range 20)))"),
              "20");
    EXPECT_EQ(run("(probe.tile[8])"), "error: program:1:1: tile 8 is outside of the machine, which has " +
                                          std::to_string(GetParam()) + " (from 0 to " + last +
                                          ") (tile 0 of rank 0)")
        << "and nothing wraps around by itself";
    EXPECT_EQ(run("(let ((threads (map (lambda (i) (probe.thread[0])) (range 20)))) (= (fold min threads) "
                  "(fold max threads)))"),
              "true");
}

TEST_P(language, errors_of_kernels) {
    EXPECT_EQ(run("(+ 1\n   (probe.fail \"no luck\"))"),
              "error: program:2:4: no luck (probe.fail, tile 0 of rank 0)");
    EXPECT_NE(run("(probe.add 1 \"x\")").find("1:1: an integer is wanted, not text (\"x\")"),
              std::string::npos);
    EXPECT_NE(run("(seq (probe.fail \"a\") (probe.note 1))").find("a (probe.fail"), std::string::npos);
    EXPECT_NE(run("(par-for i 0 100 (if (= i 50) (probe.fail \"at 50\") i))").find("at 50"),
              std::string::npos);
    EXPECT_NE(
        run("(fold + (map (lambda (i) (if (= i 50) (probe.fail \"at 50\") i)) (range 100)))").find("at 50"),
        std::string::npos);
    EXPECT_NE(run("(/ 1 0)").find("1:1: '/': division by zero"), std::string::npos);
    EXPECT_NE(run("(+ 9223372036854775807 1)").find("beyond what an integer holds"), std::string::npos);
    EXPECT_NE(run("(if 1 2 3)").find("a condition is true or false, not an integer (1)"), std::string::npos);
}

/// Calls of this wait for each other: they all have to be under way at once.
std::string meet() {
    static std::mutex mutex;
    static std::condition_variable changed;
    static int here = 0;
    std::unique_lock guard{mutex};
    ++here;
    changed.notify_all();
    changed.wait(guard, [] { return here >= 4; });
    return "met";
}
TEST(parallel, arguments_are_evaluated_at_once) {
    tasks::registry kernels;
    kernels.add("test.meet", &meet);
    tasks::machine machine{kernels, {.tiles = 4}};
    EXPECT_EQ(outcome(machine, "(par (test.meet) (test.meet) (test.meet) (test.meet))"), "\"met\"");
}

// Kernels that sleep for 200 ms each on 4 tiles. The best of three: other programs may take the cores.
TEST(parallel, four_long_kernels_take_as_long_as_one) {
    tasks::registry kernels;
    test::add_probe(kernels);
    for (const std::string program :
         {"(par (probe.sleep 200) (probe.sleep 200) (probe.sleep 200) (probe.sleep 200))",
          "(map (lambda (i) (probe.sleep 200)) (range 4))", "(par-for i 0 4 (probe.sleep 200))",
          "(par-for i 0 2 (par-for j 0 2 (probe.sleep 200)))",
          "(fold + (map (lambda (i) (+ 1 (probe.sleep 200))) (range 4)))"}) {
        double least = 1e9;
        for (int run = 0; run < 3 && least >= 350; ++run) {
            tasks::machine machine{kernels, {.tiles = 4}};
            const auto begin = std::chrono::steady_clock::now();
            EXPECT_EQ(outcome(machine, program).find("error"), std::string::npos) << program;
            least = std::min(
                least,
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
        EXPECT_LT(least, 350) << program;
    }
}

TEST_P(language, sequences_keep_their_order_in_a_thousand_runs) {
    tasks::machine machine{kernels_, {.tiles = GetParam()}};
    const tasks::source program = tasks::read("(seq (probe.note[0] 1) (probe.note[0] 2) (probe.note[0] 3))");
    std::string wanted;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(machine.evaluate(program).as<long>(), 3);
        wanted += i == 0 ? "(1 2 3" : " 1 2 3";
    }
    EXPECT_EQ(outcome(machine, "(probe.noted[0])"), wanted + ")");
}

TEST_P(language, stealing_is_an_option) {
    // What a kernel does on tile 0 while another tile has nothing to do.
    const std::string skewed =
        "(let ((where (map (lambda (i) (seq (probe.sleep 1) (tile))) (range 40)))) (fold max where))";
    EXPECT_EQ(run(skewed, tasks::spread::stay), "0");
    const std::string most = run(skewed, tasks::spread::steal);
    EXPECT_TRUE(GetParam() == 1 ? most == "0" : most != "0") << most;
}

class policies : public language {};
INSTANTIATE_TEST_SUITE_P(tiles, policies, testing::Values(1, 3), testing::PrintToStringParamName{});
TEST_P(policies, give_the_same_result) {
    for (const auto where : {tasks::spread::steal, tasks::spread::stay, tasks::spread::round_robin,
                             tasks::spread::least_loaded}) {
        EXPECT_EQ(run("(fold + (map (lambda (i) (probe.add i (probe.add 1 2))) (range 200)))", where),
                  "20500");
    }
    for (const char *const policy : {"here", "round-robin", "least-loaded", "owner", "gateway"}) {
        EXPECT_EQ(run("(fold + (map (lambda (i) (probe.add@" + std::string{policy} + " i 1)) (range 50)))"),
                  "1275")
            << policy;
    }
}

struct refused {
    const char *program, *message;
};
class refusals : public testing::TestWithParam<refused> {};
INSTANTIATE_TEST_SUITE_P(
    programs, refusals,
    testing::Values(
        refused{"(+ 1\n  (- 2",
                "p:2:7: the text ends where ')' was expected, to close '(' of line 2, column 3"},
        refused{"(+ 1 2))", "p:1:8: ')' closes nothing: an expression was expected"},
        refused{"\"abc", "p:1:1: a text begins here, and its closing '\"' was expected before the end"},
        refused{"(f 1)", "p:1:2: 'f' is no function, kernel.method or form of the language"},
        refused{"(+ 1 x)", "p:1:6: 'x' is no variable, function or kernel.method here"},
        refused{"12a", "p:1:1: '12a' begins like a number and is none"},
        refused{"99999999999999999999",
                "p:1:1: 99999999999999999999 is beyond what an integer holds (-2^63 to 2^63 - 1)"},
        refused{"(probe.add 1)", "p:1:1: 'probe.add' wants 2 arguments, not 1"},
        refused{"(nth (list 1))", "p:1:1: 'nth' wants 2 arguments, not 1"},
        refused{"(if true)", "p:1:1: 'if' wants (if condition then else)"},
        refused{"(let ((x 1) (x 2)) x)", "p:1:13: variable 'x' stands twice in one let"},
        refused{"(define (f x) x) (define (f y) y) 1", "p:1:27: function 'f' is defined twice"},
        refused{"(define (map x) x) 1", "p:1:10: 'map' is part of the language and cannot be defined again"},
        refused{"(define f 1)",
                "p:1:1: define wants (define (name parameter ...) body), as in (define (twice x) (* 2 x))"},
        refused{
            "(probe.add[(probe.tile)] 1 2)",
            "p:1:12: a placement is made of constants, variables and arithmetic; give it a name with let"},
        refused{"(probe.add@nowhere 1 2)",
                "p:1:12: 'nowhere' is no variable and no policy: here, round-robin, "
                "least-loaded, owner or gateway was expected"},
        refused{"(probe.add[1 1 2)", "p:1:14: ']' was expected, to close '[' of line 1, column 11"},
        refused{"", "p:1:1: the program has no expression to evaluate"}));
TEST_P(refusals, say_where_and_what_was_expected) {
    tasks::registry kernels;
    add_probe(kernels);
    tasks::machine machine{kernels};
    try {
        machine.evaluate(tasks::read(GetParam().program, "p"));
        ADD_FAILURE() << "was not refused: " << GetParam().program;
    } catch (const tasks::program_error &error) {
        EXPECT_STREQ(error.what(), GetParam().message);
    }
}

TEST(registry, refuses_what_is_ambiguous) {
    tasks::registry kernels;
    add_probe(kernels);
    EXPECT_THROW(kernels.add("probe.add", &probe::add), std::invalid_argument);
    EXPECT_THROW(kernels.add("nodot", &probe::add), std::invalid_argument);
    EXPECT_NE(kernels.hash(), tasks::registry{}.hash());
}

} // namespace
