// SPDX-License-Identifier: Apache-2.0
// The machine over the ranks of a job: the same programs as on one rank, and what only several ranks have:
// placement, handles, errors and results that travel, credits, termination. Each rank may have several tiles
// (first argument), parcels may go over bridges (job.hpp), and the fifth argument is the thread level.
#include <algorithm>
#include <optional>

#include "job.hpp"
#include "random_updates.hpp"

namespace {

using namespace test;

std::optional<job> here; ///< since main()

/// Runs a function on one rank of a machine while the others work for it.
template <class Body> void with_machine(tasks::machine_options options, Body body, int gateway = 0) {
    tasks::registry kernels;
    add_probe(kernels);
    const auto between = here->connect();
    options.tiles = here->tiles;
    tasks::machine machine{kernels, *between, options};
    if (here->rank == gateway) {
        body(machine);
    }
    machine.finish();
    here->expect(machine.counts().results_awaited == 0, "results are awaited after the end");
    here->expect(machine.counts().objects_kept == 0,
                 std::to_string(machine.counts().objects_kept) + " objects are kept after the end");
}
void check(tasks::machine &machine, const std::string &program, const std::string &wanted) {
    here->expect_equal(outcome(machine, program), wanted, program);
}

void test_same_results() {
    for (const auto where : {tasks::spread::steal, tasks::spread::round_robin, tasks::spread::least_loaded}) {
        with_machine({.where = where}, [](tasks::machine &machine) {
            check(machine, "(probe.add (probe.add 1 2) (probe.add (probe.add 3 4) 5))", "15");
            check(machine, "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 15)", "610");
            check(machine, "(fold + (map (lambda (x) (* x x)) (range 1 1001)))", "333833500");
            check(machine, "(fold + (map (lambda (x) (probe.add x 1)) (range 200)))", "20100");
        });
    }
}

// What goes from tile to tile of one rank is not copied and does not become a message.
void test_inside_a_rank() {
    if (!here->has_bridges) {
        return;
    }
    tasks::registry kernels;
    add_probe(kernels);
    const auto between = tasks::make_bridges(MPI_COMM_SELF, here->bridges);
    tasks::machine machine{kernels, *between, {.tiles = 3}};
    check(machine, "(let ((a (probe.numbers[0] 100000 1))) (list (probe.sum[1] a) (probe.sum[2] a)))",
          "(5000050000.0 5000050000.0)");
    check(machine, "(let ((a (probe.numbers[0] 100000 1))) (= (probe.place[1] a) (probe.place[2] a)))",
          "true");
    check(machine, "(fold + (map (lambda (i) (probe.add[(mod i 3)] i 1)) (range 1000)))", "500500");
    machine.finish();
    std::uint64_t messages = 0;
    for (const std::uint64_t each : tasks::messages_over_bridges(*between)) {
        messages += each;
    }
    here->expect(messages == 0, std::to_string(messages) + " messages of a rank to itself");
}

// Blocks that are changed and read on all ranks, as handles where they are large.
void test_blocks() {
    for (const long length : {4L, 3000L}) {
        tasks::registry kernels;
        add_mixing(kernels);
        const auto between = here->connect();
        tasks::machine machine{kernels, *between, {.tiles = here->tiles}};
        for (unsigned seed = 0; here->rank == 0 && seed < 8; ++seed) {
            const random_updates drawn{seed, 40, length};
            check(machine, drawn.program, drawn.wanted);
        }
        machine.finish();
        here->expect(machine.counts().objects_kept == 0, "blocks are kept after the end");
    }
}

void test_placement() {
    with_machine({}, [](tasks::machine &machine) {
        const int all = machine.place().tiles, last = all - 1;
        check(machine, "(map (lambda (i) (probe.tile[i])) (range (tiles)))", [&] {
            std::string wanted = "(";
            for (int i = 0; i < all; ++i) {
                wanted += (i == 0 ? "" : " ") + std::to_string(i);
            }
            return wanted + ")";
        }());
        check(machine, "(probe.rank@(- (ranks) 1))", std::to_string(here->ranks - 1));
        check(machine, "(let ((last (- (tiles) 1))) (run '(tile) last))", std::to_string(last));
        // State stays on its tile.
        check(machine,
              "(seq (par-for i 0 100 (probe.note[(mod i (tiles))] i)) (fold + (map (lambda (t) (fold + "
              "(append (list 0) (probe.noted[t])))) (range (tiles)))))",
              "4950");
        const std::string beyond = "error: program:1:1: tile " + std::to_string(all) + " is outside";
        here->expect(outcome(machine, "(probe.tile[(tiles)])").starts_with(beyond),
                     "a tile beyond the machine is refused");
    });
    with_machine({.wraps = true}, [](tasks::machine &machine) {
        check(machine, "(probe.tile[(+ 3 (* 5 (tiles)))])", std::to_string(3 % machine.place().tiles));
    });
}

void test_objects() {
    with_machine({.largest_inline = 64}, [](tasks::machine &machine) {
        // Made on one rank, used on others, fetched once, given back in the end.
        check(machine,
              "(let ((v (probe.numbers@(- (ranks) 1) 10000 1))) (list (probe.sum@0 v) (probe.sum@(- (ranks) "
              "1) v) (length v)))",
              "(50005000.0 50005000.0 10000)");
        check(machine,
              "(let ((v (probe.numbers 1000 1))) (fold + (map (lambda (i) (probe.sum[(mod i (tiles))] v)) "
              "(range 20))))",
              "10010000.0");
        // Passed on by a rank that does not use it.
        check(machine,
              "(define (pass v n) (if (= n 0) (probe.sum v) (pass[(mod n (tiles))] v (- n 1))))"
              "(pass (probe.numbers 1000 1) 7)",
              "500500.0");
        check(machine, "(probe.sum@0 (probe.scaled@(- (ranks) 1) (probe.numbers@0 1000 1) 2))", "1001000.0");
        check(machine,
              "(let ((vs (map (lambda (i) (probe.numbers[(mod i (tiles))] 100 i)) (range 10)))) (fold + (map "
              "probe.sum vs)))",
              "54000.0");
        check(machine,
              "(length (probe.joined@(- (ranks) 1) (list \"0123456789012345678901234567890123456789\" "
              "\"0123456789012345678901234567890123456789\")))",
              "80");
        check(machine,
              "(probe.norm@(- (ranks) 1) (probe.make@0 3 4 \"a name that makes the object larger than what "
              "travels inline with a parcel\"))",
              "25.0");
        check(machine, "(nth (probe.numbers@(- (ranks) 1) 100 5) 99)", "104.0");
    });
    with_machine({}, [](tasks::machine &machine) { // a value larger than a parcel
        check(machine, "(fold + (fold@(- (ranks) 1) append (map (lambda (i) (list i i)) (range 20000))))",
              "399980000");
    });
}

void test_cells() {
    with_machine({}, [](tasks::machine &machine) {
        check(machine,
              "(let (x) (par (probe.add@(- (ranks) 1) (read x) 1) (assign x (seq (probe.sleep 5) 7)) "
              "(read@(- (ranks) 1) x)))",
              "7");
        check(machine,
              "(define (produce b i) (if (= i 50) (close b) (seq (put b i) (produce b (+ i 1)))))"
              "(define (consume b last n) (let ((v (stream b))) (if (end? v) n (if (= v (+ last 1)) (consume "
              "b v (+ n 1)) -1))))"
              "(let ((b (buf))) (par (produce@(- (ranks) 1) b 0) (consume b -1 0)))",
              "50");
        here->expect(outcome(machine, "(let (x) (read@(- (ranks) 1) x))")
                             .find("waits for a value that nothing is left to provide") != std::string::npos,
                     "a program that waits for ever fails");
        check(machine, "(+ 1 1)", "2"); // and the machine goes on
    });
}

void test_errors() {
    with_machine({}, [](tasks::machine &machine) {
        const int first = machine.place().tiles - here->tiles;
        check(machine, "(+ 1\n (probe.fail@(- (ranks) 1) \"no luck\"))",
              "error: program:2:2: no luck (probe.fail, tile " + std::to_string(first) + " of rank " +
                  std::to_string(here->ranks - 1) + ")");
        here->expect(outcome(machine, "(par-for i 0 20 (probe.fail[(mod i (tiles))] \"all\"))")
                             .find("all (probe.fail") != std::string::npos,
                     "errors of all tiles become one");
    });
}

// A program that would never end is ended on all ranks, whatever it is doing there.
void test_cancelling() {
    with_machine({}, [](tasks::machine &machine) {
        for (int round = 0; round < 3; ++round) {
            auto endless = machine.submit(
                tasks::read("(define (on n) (seq (probe.add n 1) (on (+ n 1))))"
                            "(let (x) (par (map (lambda (i) (on i)) (range 100)) (probe.rank[(- (tiles) 1)])"
                            " (read x)))"));
            check(machine, "(fold + (map (lambda (i) (probe.add i 1)) (range 100)))", "5050");
            endless.cancel();
            std::string sentence = "it has a value";
            try {
                endless.get();
            } catch (const tasks::task_error &error) {
                sentence = error.message();
            }
            here->expect(sentence == "the program was cancelled", sentence);
            check(machine, "(probe.add 1 2)", "3");
        }
    });
}

void test_gateways() {
    // Every rank starts programs, at once.
    tasks::registry kernels;
    add_probe(kernels);
    const auto between = here->connect();
    tasks::machine machine{kernels, *between, {.tiles = here->tiles}};
    const std::string number = std::to_string(here->rank);
    const auto one =
        machine.start(tasks::read("(fold + (map (lambda (i) (probe.add i " + number + ")) (range 100)))"));
    const auto two = machine.start(tasks::read("(list (probe.tile@gateway) " + number + ")"));
    here->expect_equal(tasks::to_string(machine.wait(two).get()),
                       "(" + std::to_string(machine.place().tile) + " " + number + ")", "second program");
    here->expect_equal(tasks::to_string(machine.wait(one).get()), std::to_string(4950 + 100 * here->rank),
                       "first program");
    machine.finish();
    with_machine(
        {},
        [](tasks::machine &other) { check(other, "(probe.rank@gateway)", std::to_string(here->ranks - 1)); },
        here->ranks - 1);
}

void test_credits() {
    // A fast producer, slow consumers: what waits is limited by the credits, and the ring does not deadlock.
    with_machine({.credits = 8}, [](tasks::machine &machine) {
        check(machine,
              "(seq (par-for i 0 2000 (probe.note[(- (tiles) 1)] i)) (length (probe.noted[(- (tiles) 1)])))",
              "2000");
        check(machine,
              "(seq (par-for i 0 500 (par-for j 0 4 (probe.note[(mod (+ i 1 (tile)) (tiles))] j))) (fold + "
              "(map (lambda (t) (length (probe.noted[t]))) (range (tiles)))))",
              "4000");
        if (here->ranks > 1) {
            here->expect(machine.counts().most_waiting < 100,
                         std::to_string(machine.counts().most_waiting) + " tasks waited for credit");
        }
        // All wait for room at the next, which comes only if they begin more than they have
        // room for: how many then wait has no bound but their number.
        check(machine,
              "(define (hop left) (if (= left 0) 0 (+ 1 (hop[(mod (+ (tile) 1) (tiles))] (- left 1)))))"
              "(fold + (map (lambda (i) (hop[(mod i (tiles))] 20)) (range 300)))",
              "6000");
    });
}

} // namespace

int main(int argc, char **argv) {
    here.emplace(argc, argv, level_of(argc > 5 ? argv[5] : "multiple"));
    return here->run([&] {
        test_same_results();
        test_inside_a_rank();
        test_placement();
        test_blocks();
        test_cancelling();
        test_objects();
        test_cells();
        test_errors();
        test_gateways();
        test_credits();
    });
}
