// SPDX-License-Identifier: Apache-2.0
// A machine that loses ranks: those that are left do their tasks again, and programs have the results that
// they would have had. With "rounds" each program kills the last process that is left, which has been given
// tasks; with "gateways" all processes but the last die, each while its ranks run programs, rank 0 among
// them; with a number, which begins a random sequence, they die somewhere in a program, or not.
// Run as mpirun --with-ft ulfm -P PROCESSES lost (rounds|gateways|NUMBER) [tiles of each rank].
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <random>

#include "job.hpp"

namespace {

using namespace test;

class mortal {
  public:
    explicit mortal(const tasks::tile_place &where) : where_{where} {}
    long work(long number) const {
        usleep(200);
        return number;
    }
    /// Kills the process of rank `doomed`. Elsewhere, when it is done again, it gives 1000.
    long die(long doomed) const {
        if (where_.rank == doomed) {
            usleep(2000); // so that others have begun
            std::raise(SIGKILL);
        }
        return 1000;
    }
    long die_noted(long doomed) {
        ++calls_;
        return die(doomed) + calls_;
    }
    /// Kills the process of rank `doomed` when it is called there for the `last`th time.
    long work_until(long number, long doomed, long last) const {
        static std::atomic<long> calls{0}; // relaxed: any call may be the last
        if (where_.rank == doomed && calls.fetch_add(1, std::memory_order_relaxed) + 1 == last) {
            std::raise(SIGKILL);
        }
        return work(number);
    }
    long plus(long a, long b) const {
        usleep(100);
        return a + b;
    }

  private:
    const tasks::tile_place where_;
    long calls_ = 0;
};

tasks::registry all_kernels() {
    tasks::registry kernels;
    add_probe(kernels);
    kernels.add("mortal.work", &mortal::work);
    kernels.add("mortal.die", &mortal::die);
    kernels.add("mortal.die-noted", &mortal::die_noted);
    kernels.add("mortal.work-until", &mortal::work_until);
    kernels.add("mortal.plus", &mortal::plus);
    return kernels;
}

struct round_of {
    const char *program; ///< in which D is the rank that dies, and K its first tile
    const char *wanted;  ///< its value; or a part of its error
};
constexpr round_of rounds[] = {
    {"(let ((all (fold + (map mortal.work (range 400)))) (last (mortal.die[K] D))) (+ all last))", "80800"},
    {"(define (fib n) (if (< n 2) (mortal.work n) (+ (fib (- n 1)) (fib (- n 2)))))"
     "(let ((a (fib 12)) (b (+ (mortal.die[K] D) (fib[K] 8)))) (list a b))",
     "(144 1021)"},
    {"(let ((sums (map (lambda (i) (probe.sum (probe.numbers 20000 i))) (range 60)))"
     "      (kept (probe.numbers[K] 20000 1)) (last (mortal.die[K] D)))"
     "  (list (fold + sums) (probe.sum kept) last))",
     "(12034800000.0 200010000.0 1000)"},
    {"(let ((a (block 0)) (b (block 1)))"
     "  (seq (for i 0 40 (seq (update a mortal.plus i) (update b mortal.plus a)))"
     "       (mortal.die[K] D) (list (read a) (read b))))",
     "(780 10661)"},
    {"(mortal.die-noted[K] D)", "may have used mortal.die-noted, which is no const method"},
    {"(let (x) (par (run '(seq (mortal.die D) (assign x 1)) K) (read x)))", "may have used assign"},
};

/// How many ranks this process has; all have as many.
int width_of_process() {
    MPI_Comm process = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &process);
    int width = 1;
    MPI_Comm_size(process, &width);
    MPI_Comm_free(&process);
    return width;
}

std::string with_numbers(std::string program, int doomed, int tile) {
    for (const auto &[letter, number] : {std::pair{'D', doomed}, std::pair{'K', tile}}) {
        for (std::size_t at = 0; (at = program.find(letter, at)) != std::string::npos;) {
            program.replace(at, 1, std::to_string(number));
        }
    }
    return program;
}

void lose_in_turn(job &here, tasks::machine &machine, int width) {
    if (here.rank != 0) {
        return machine.finish();
    }
    int left = here.ranks;
    for (const round_of &each : rounds) {
        if (left <= width) {
            break;
        }
        const int doomed = left - 1;
        const std::string program = with_numbers(each.program, doomed, doomed * here.tiles);
        const std::string got = outcome(machine, program);
        here.expect(got.find(each.wanted) != std::string::npos, program + " gives " + got);
        left -= width;
        here.expect_equal(outcome(machine, "(fold + (map mortal.work (range 50)))"), "1225", "after a loss");
    }
    here.expect(machine.counts().tasks_repeated >= 4, "hardly a task was done again");
    machine.finish();
}

// Every rank runs a program at once; those of all processes but the last die during theirs.
void lose_gateways(job &here, tasks::machine &machine, int width) {
    const bool survives = here.rank >= here.ranks - width;
    const std::string program =
        with_numbers("(let ((all (fold + (map mortal.work (range 100)))) (last (mortal.die[K] D)))"
                     " (+ all last))",
                     survives ? -1 : here.rank, here.rank * here.tiles);
    here.expect_equal(outcome(machine, program), "5950", program);
    machine.finish();
}

// In D, the number of calls after which it dies is L.
constexpr round_of random_rounds[] = {
    {"(fold + (map (lambda (i) (mortal.work-until i D L)) (range 300)))", "44850"},
    {"(define (fib n) (if (< n 2) (mortal.work-until n D L) (+ (fib (- n 1)) (fib (- n 2))))) (fib 11)",
     "89"},
    {"(probe.sum (map (lambda (i) (real (mortal.work-until i D L))) (range 300)))", "44850.0"},
    {"(fold + (map (lambda (i) (probe.sum (probe.numbers (+ 5000 (mortal.work-until i D L)) 1))) (range "
     "40)))",
     "504010660.0"},
    {"(let ((a (block 0)) (b (block 0)))"
     " (seq (for i 0 60 (seq (update a (lambda (x y) (+ x (mortal.work-until y D L))) i)"
     "                       (update b mortal.plus a)))"
     "      (read b)))",
     "35990"},
};

void lose_some(job &here, tasks::machine &machine, int width, std::uint32_t seed) {
    if (here.rank == 0) {
        std::mt19937 random{seed};
        for (int doomed = here.ranks - 1; doomed >= width; doomed -= width) {
            const round_of &each = random_rounds[random() % std::size(random_rounds)];
            std::string program = with_numbers(each.program, doomed, doomed * here.tiles);
            const std::string last = std::to_string(1 + random() % 30);
            for (std::size_t at = 0; (at = program.find('L', at)) != std::string::npos;) {
                program.replace(at, 1, last);
            }
            here.expect_equal(outcome(machine, program), each.wanted, program);
        }
    }
    machine.finish();
}

} // namespace

int main(int argc, char **argv) {
    const std::string mode = argc > 1 ? argv[1] : "rounds";
    const bool of_gateways = mode == "gateways";
    const auto seed = static_cast<std::uint32_t>(std::strtoul(mode.c_str(), nullptr, 10));
    job here{argc - 1, argv + 1};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int width = width_of_process();
    try {
        const tasks::registry kernels = all_kernels();
        const auto between = here.connect();
        tasks::machine machine{kernels, *between, {.tiles = here.tiles, .repeats = true}};
        if (seed != 0) {
            lose_some(here, machine, width, seed);
        } else {
            (of_gateways ? lose_gateways : lose_in_turn)(here, machine, width);
        }
        here.expect(machine.counts().results_awaited == 0, "results are awaited after the end");
    } catch (const std::exception &error) {
        here.expect(false, error.what());
    }
    if (here.rank == (of_gateways ? here.ranks - 1 : 0) && here.failures == 0) {
        std::printf("the survivors have done it all\n");
    }
    MPI_Finalize();
    return here.failures == 0 ? 0 : 1;
}
