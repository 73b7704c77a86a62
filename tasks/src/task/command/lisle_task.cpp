// SPDX-License-Identifier: Apache-2.0
// lisle-task: runs a program of tasks on the ranks that it is started with.
#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "task/command/perfetto.hpp"
#include "task/command/picture.hpp"
#include "task/kernels/standard.hpp"
#include "task/language/builtin.hpp"
#include "task/machine/kernel_mark.hpp"
#include <lisle/task.hpp>
#include <lisle/task/bridges.hpp>

namespace {

using namespace lisle;

struct options {
    std::string program;
    std::string expression;
    std::vector<std::string> kernels;
    std::string explain, trace;
    int gateway = 0;
    bool counts = false;
    tasks::machine_options machine;
    tasks::bridge_options bridges;
    bool has_bridges = false;
};

std::string help_text(const tasks::described &kernels) {
    std::string text =
        "A program is one or more expressions: the value of the last is printed.\n"
        "  (+ 1 (* 2 3))                    arguments are evaluated at once, on all tiles\n"
        "  (seq a b), (par a b)             one after the other; all at once (both give the last value)\n"
        "  (if c a b), (cond (c a) (else b)), (and a b), (or a b)\n"
        "  (let ((x 1) (y 2)) (+ x y))      variables;  (let (x) ... (assign x 1) ... (read x)) waits\n"
        "  (define (f n) ...), (lambda (x) ...), (apply f x)\n"
        "  (map f list), (fold f list), (range a b), (par-for i a b body),\n"
        "  (par-for-chunks (i j) a b chunks body)\n"
        "  (buf), (put b x), (close b), (stream b)   a buffer, read value by value\n"
        "  'e, (run 'e tile)                an expression for later;  (kernel.method[3] x): on tile 3\n"
        "  (kernel.method@1 x)              on rank 1;  @round-robin @least-loaded @owner @here @gateway\n"
        "  (block x), (update b f x ...), (read b)   data that tasks change in the order of the program\n"
        "  (for i a b body)                 one after the other;  (f^2 x): priority 2\n"
        "  (print x ...)                    on the rank that runs the program\n"
        "Functions:\n";
    for (const auto &each : tasks::builtins()) {
        text += "  " + std::string{each.name} +
                std::string(each.name.size() < 10 ? 10 - each.name.size() : 1, ' ') +
                std::string{each.meaning} + "\n";
    }
    text += "Kernels:\n";
    for (const auto &[name, meaning] : kernels) {
        text += "  " + name + std::string(name.size() < 34 ? 34 - name.size() : 1, ' ') + meaning + "\n";
    }
    return text + "\nExamples:\n"
                  "  lisle-task -e '(fold + (map (lambda (x) (* x x)) (range 1 1001)))'\n"
                  "  lisle-task --tiles 4 fib.td\n"
                  "  mpirun -n 4 --ranks fiber lisle-task fib.td\n"
                  "tasks/docs/tasks.md teaches the language in ten steps.";
}

// Parses the command line. @return whether there is something to run; else `status` is the exit status
bool parse(int argc, char **argv, options &chosen, const tasks::described &kernels, int &status) {
    CLI::App app{"Runs a program of tasks. Started by mpirun, its tiles are spread over all ranks."};
    app.option_defaults()->always_capture_default();
    app.add_option("program", chosen.program, "file with the program");
    app.add_option("-e,--evaluate", chosen.expression, "the program itself, instead of a file");
    app.add_option("-t,--tiles", chosen.machine.tiles, "tiles of each rank; more than one are threads")
        ->check(CLI::Range(1, 1024));
    const std::map<std::string, tasks::spread> spreads{{"steal", tasks::spread::steal},
                                                       {"steal-in-rank", tasks::spread::steal_in_rank},
                                                       {"stay", tasks::spread::stay},
                                                       {"round-robin", tasks::spread::round_robin},
                                                       {"least-loaded", tasks::spread::least_loaded}};
    app.add_option("--spread", chosen.machine.where, "where tasks run that name no tile")
        ->transform(CLI::CheckedTransformer(spreads, CLI::ignore_case))
        ->default_str("steal");
    app.add_flag("--wrap", chosen.machine.wraps, "tile and rank numbers beyond the last begin again at 0");
    app.add_option("--gateway", chosen.gateway, "the rank that runs the program and prints")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--inline", chosen.machine.largest_inline,
                   "bytes; larger objects travel by handle, when they are used");
    app.add_option("--credits", chosen.machine.credits, "tasks under way to a rank that has not begun them")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--kernels", chosen.kernels,
                   "a shared library with kernels: void lisle_task_kernels(registry &)");
    app.add_option("--explain", chosen.explain,
                   "draw the program's task graph (SVG) into this file and do not run it");
    app.add_option(
        "--trace", chosen.trace,
        "draw which tile ran what and when into this file: SVG, or for Perfetto if it ends in .json");
    app.add_flag("--repeat", chosen.machine.repeats,
                 "do the tasks of ranks that die again on others (mpirun --with-ft ulfm)");
    app.add_flag("--counts", chosen.counts, "print what each rank has done");
    auto *const bridges =
        app.add_option(
               "--bridges", chosen.bridges.receivers,
               "threads of each rank that receive parcels, as in GPRM's bridges; needs MPI_THREAD_MULTIPLE")
            ->check(CLI::Range(1, 64));
    app.add_option("--bridge-choice", chosen.bridges.choice, "round-robin, least-busy or by-pair")
        ->transform(CLI::CheckedTransformer(tasks::bridge_choices(), CLI::ignore_case))
        ->default_str("round-robin");
    app.add_option("--bridge-sending", chosen.bridges.sending, "blocking, thread-per-send or pool")
        ->transform(CLI::CheckedTransformer(tasks::sending_modes(), CLI::ignore_case))
        ->default_str("pool");
    app.footer(help_text(kernels));
    try {
        app.parse(argc, argv);
        chosen.has_bridges = bridges->count() > 0;
        if (chosen.program.empty() == chosen.expression.empty()) {
            throw CLI::ValidationError{"program",
                                       "a file or --evaluate with an expression is wanted (see --help)"};
        }
        return true;
    } catch (const CLI::ParseError &error) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        status = error.get_exit_code();
        if (rank == 0) {
            app.exit(error);
        }
        return false;
    }
}

std::string read_program(const options &chosen) {
    if (!chosen.expression.empty()) {
        return chosen.expression;
    }
    std::ifstream file{chosen.program, std::ios::binary};
    if (!file) {
        throw std::runtime_error{"'" + chosen.program + "' cannot be read"};
    }
    return {std::istreambuf_iterator<char>{file}, {}};
}

void load_kernels(const std::string &path, tasks::registry &kernels) {
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error{"kernels of '" + path + "': " + dlerror()};
    }
    auto *const add = reinterpret_cast<void (*)(tasks::registry &)>(dlsym(library, "lisle_task_kernels"));
    if (add == nullptr) {
        throw std::runtime_error{"'" + path + "' has no function lisle_task_kernels"};
    }
    add(kernels);
}

void print_counts(const tasks::machine &machine) {
    const auto done = machine.counts();
    std::fprintf(stderr,
                 "rank %d: %llu kernels run, %llu tasks stolen from tiles, %llu given to ranks, %llu done "
                 "again for lost "
                 "ones, %llu parcels sent, %llu received\n",
                 machine.place().rank, static_cast<unsigned long long>(done.kernels_run),
                 static_cast<unsigned long long>(done.tasks_stolen),
                 static_cast<unsigned long long>(done.tasks_given),
                 static_cast<unsigned long long>(done.tasks_repeated),
                 static_cast<unsigned long long>(done.parcels_sent),
                 static_cast<unsigned long long>(done.parcels_received));
}

int run(const options &chosen, const tasks::registry &kernels) {
    const std::string name =
        chosen.expression.empty() ? std::filesystem::path{chosen.program}.filename().string() : "expression";
    const tasks::source program = tasks::read(read_program(chosen), name);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!chosen.explain.empty()) {
        if (rank == 0) {
            std::ofstream{chosen.explain} << tasks::draw_graph(program, kernels);
        }
        return 0;
    }
    if (chosen.gateway >= ranks) {
        throw std::runtime_error{"--gateway " + std::to_string(chosen.gateway) + ": there are " +
                                 std::to_string(ranks) + " ranks"};
    }
    tasks::machine_options how = chosen.machine;
    how.traces = !chosen.trace.empty();
    const auto between = chosen.has_bridges ? tasks::make_bridges(MPI_COMM_WORLD, chosen.bridges)
                                            : tasks::make_mpi_transport(MPI_COMM_WORLD);
    tasks::report_crashes_of_kernels();
    tasks::machine machine{kernels, *between, how};
    int status = 0;
    if (rank == chosen.gateway) {
        try {
            const auto result = machine.evaluate(program);
            if (!result.get().is_nothing()) {
                std::printf("%s\n", tasks::to_string(result.get()).c_str());
            }
        } catch (const std::runtime_error &error) { // of the program: the other ranks are told by finish()
            std::fprintf(stderr, "lisle-task: %s\n", error.what());
            status = 1;
        }
    }
    machine.finish();
    if (chosen.counts) {
        print_counts(machine);
    }
    if (rank == 0 && how.traces) {
        std::ofstream{chosen.trace} << (chosen.trace.ends_with(".json")
                                            ? tasks::write_trace_events(machine.trace(), name)
                                            : tasks::draw_timeline(machine.trace(), machine.place().tiles));
    }
    return status;
}

} // namespace

int main(int argc, char **argv) {
    int granted = 0, rank = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        tasks::registry kernels;
        const auto described = tasks::add_standard_kernels(kernels);
        options chosen;
        if (parse(argc, argv, chosen, described, status)) {
            for (const std::string &path : chosen.kernels) {
                load_kernels(path, kernels);
            }
            status = run(chosen, kernels);
        }
    } catch (const tasks::program_error &error) { // every rank reads the same program
        if (rank == 0) {
            std::fprintf(stderr, "lisle-task: %s\n", error.what());
        }
        status = 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lisle-task: rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}
