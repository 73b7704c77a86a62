// SPDX-License-Identifier: Apache-2.0
// The task machine: tiles that evaluate programs together, over all ranks of its transport.
//
//     tasks::registry kernels;
//     auto square = kernels.add("math.square", &math::square);
//     tasks::machine machine{kernels};                               // all ranks
//     if (rank == 0)
//         std::cout << machine.evaluate(tasks::read("(fold + (map math.square (range 1 1001)))")).as<long>();
//     machine.finish();                                              // all ranks: they work until here
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lisle/task/expression.hpp"
#include "lisle/task/kernel.hpp"
#include "lisle/task/transport.hpp"

namespace lisle::tasks {

/// The placement of tasks that name no tile.
enum class spread {
    steal,         ///< on the tile that makes them, until idle tiles and ranks ask for some
    steal_in_rank, ///< the same, but no rank gives any to another
    stay,          ///< on the tile that makes them
    round_robin,   ///< kernel calls on each tile in turn
    least_loaded,  ///< kernel calls on the tile that seems to have the least to do
};

struct machine_options {
    int tiles = 1; ///< of this rank; with one, the rank's own thread is the tile, else each is a thread
    spread where = spread::steal;
    bool wraps = false; ///< tile and rank numbers beyond the machine count on from the beginning
    std::size_t largest_inline = 16384; ///< bytes; larger objects travel by handle and are fetched when used
    unsigned credits =
        256;             ///< how many tasks a rank may have under way to another rank that has not begun them
    bool traces = false; ///< keeps when each kernel ran, for trace()
    /// If a rank dies (under `--with-ft`), those who gave it tasks do them again, but for tasks that use
    /// methods which are not const, output, or variables, buffers and blocks: what waits for these fails.
    /// Results of other ranks then travel whole, however large. The rank that runs a program cannot be
    /// replaced.
    bool repeats = false;
};

/// The error of a program. what(): "file:line:column: message (kernel.method, tile 3 of rank 1)".
class task_error : public std::runtime_error {
  public:
    task_error(const std::string &file, const failure &reason);
    [[nodiscard]] const std::string &message() const noexcept { return message_; }
    [[nodiscard]] const std::string &kernel() const noexcept { return kernel_; }
    [[nodiscard]] place where() const noexcept { return where_; }
    [[nodiscard]] int tile() const noexcept { return tile_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }

  private:
    std::string message_, kernel_;
    place where_;
    int tile_, rank_;
};

/// A program's value.
class result {
  public:
    explicit result(value given) : given_{std::move(given)} {}
    [[nodiscard]] const value &get() const noexcept { return given_; }
    /// As a C++ object. Throws std::invalid_argument if it is none of that type.
    template <class T> [[nodiscard]] T as() const { return from_value<T>(given_); }

  private:
    value given_;
};

/// When a kernel ran, in seconds of the host's steady clock, which all ranks of a host share.
struct trace_event {
    double begin = 0, end = 0;
    int tile = 0, rank = 0;
    std::string name;
    place where; ///< of its call in the program
    using lisle_fields = members<&trace_event::begin, &trace_event::end, &trace_event::tile,
                                 &trace_event::rank, &trace_event::name, &trace_event::where>;
};

/// The counts of a machine on this rank.
struct machine_counts {
    std::uint64_t parcels_sent = 0, parcels_received = 0;
    std::uint64_t kernels_run = 0, tasks_stolen = 0; ///< from other tiles of the rank
    std::uint64_t tasks_given = 0;                   ///< to other ranks
    std::uint64_t tasks_repeated = 0;                ///< that were given to ranks that have died
    std::uint64_t objects_kept = 0;                  ///< for other ranks, at present
    std::uint64_t results_awaited = 0;               ///< from other ranks, at present
    std::uint64_t most_waiting = 0;                  ///< the largest number of parcels that waited for credit
};

class scheduler;
template <class T> class future;
template <class T> class routine;

/// One rank's part of the machine. All ranks make one, with the same kernels. Only the rank's own thread
/// calls it.
class machine {
  public:
    /// Collective. Throws std::runtime_error if the ranks have not registered the same kernels.
    /// @param kernels and the transport have to outlive the machine
    machine(const registry &kernels, transport &between, machine_options options = {});
    /// A machine of this rank alone, without MPI.
    explicit machine(const registry &kernels, machine_options options = {});
    machine(const machine &) = delete;
    machine &operator=(const machine &) = delete;
    /// Finishes, unless finish() has or an exception is on its way.
    ~machine();

    /// Evaluates a program and returns its value; this rank is its gateway. The other ranks have to be in
    /// evaluate(), wait() or finish() meanwhile, where they work. Throws program_error if it cannot be
    /// compiled, task_error if it fails, also if it waits for a value that can never be assigned.
    result evaluate(const source &program);
    template <class T> T evaluate(const expression<T> &main) {
        return evaluate(tasks::program(main)).template as<T>();
    }
    /// Starts a program; several may run at once. @return its number, for wait()
    std::uint64_t start(const source &program);
    result wait(std::uint64_t program);
    /// As start(), with a future for the program's value (lisle/task/future.hpp).
    template <class T> future<T> submit(const expression<T> &main);
    future<result> submit(const source &program);
    /// Whether wait() would return at once. Does no work itself.
    [[nodiscard]] bool is_complete(std::uint64_t program) const;
    /// Ends a program that this rank has started: no kernel of it begins any more, on no rank, and wait()
    /// throws a task_error that says so. Kernels that run are let run. Nothing if it is complete.
    void cancel(std::uint64_t program);
    /// Works until the coroutine has ended, and the other routines have their turns as well. Throws
    /// std::logic_error if they wait for something that is no program of this machine.
    template <class T> T run(routine<T> begun);
    /// Resumes a coroutine in run(), when a program is complete.
    void resume_after(std::uint64_t program, std::coroutine_handle<> waiting) {
        waiting_.push_back({program, waiting});
    }
    /// Works for the other ranks until all have called it and nothing is under way any more. Programs that
    /// were started and not waited for are completed, too; their values are dropped. Collective.
    void finish();

    [[nodiscard]] tile_place place() const noexcept; ///< of the rank's first tile
    [[nodiscard]] machine_counts counts() const;
    /// After finish(): what all kernels did, on rank 0. @pre options.traces
    [[nodiscard]] std::vector<trace_event> trace() const;
    /// Where print goes, on the rank that evaluates; by default standard output.
    void print_to(std::function<void(const std::string &)> printer);

  private:
    struct waiting_routine {
        std::uint64_t program;
        std::coroutine_handle<> waiting;
    };
    void run_until(const std::function<bool()> &has_ended);
    [[nodiscard]] bool any_may_go_on() const;

    std::unique_ptr<transport> own_;
    std::unique_ptr<scheduler> scheduler_;
    std::vector<waiting_routine> waiting_;
    bool is_finished_ = false;
};

} // namespace lisle::tasks
