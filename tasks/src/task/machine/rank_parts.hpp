// SPDX-License-Identifier: Apache-2.0
// The parts of one rank of the machine. Each keeps its own state and knows only the parts that its
// constructor names.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "task/machine/awaited.hpp"
#include "task/machine/cell_reads.hpp"
#include "task/machine/credits.hpp"
#include "task/machine/outbox.hpp"
#include "task/machine/programs.hpp"
#include "task/machine/termination.hpp"
#include "task/machine/tile_team.hpp"
#include "task/machine/work_requests.hpp"
#include "task/wire/keeper.hpp"
#include "task/wire/parcel.hpp"
#include <lisle/task/machine.hpp>

namespace lisle::tasks {

/// Lines that programs print. Any thread.
class line_printer {
  public:
    void print_to(std::function<void(const std::string &)> print) { print_ = std::move(print); }
    void print(const std::string &line);

  private:
    std::mutex mutex_; ///< one line at a time
    std::function<void(const std::string &)> print_;
};

/// When each kernel ran. The rank's own thread.
struct trace_log {
    std::vector<trace_event> events;
    std::set<int> arrived; ///< ranks whose events have come
};

/// How far this rank is with its end. The rank's own thread.
struct ending {
    bool is_finishing = false; ///< it has nothing left to start
    bool has_ended = false;    ///< all ranks have said so, and nothing is under way
};

struct rank_parts {
    rank_parts(const registry &known, transport &to_others, const machine_options &given);

    [[nodiscard]] int rank() const { return between.rank(); }
    [[nodiscard]] int ranks() const { return between.ranks(); }
    [[nodiscard]] int own_tile(int tile) const { return tile - map.first_of(rank()); }

    const registry &kernels;
    transport &between;
    const machine_options options;
    const tile_map map;
    lost_ranks lost;
    termination end;
    outbox out;
    program_table programs;
    awaited_results owed;
    task_credits credits;
    cell_reads reads;
    work_requests requests;
    std::shared_ptr<keeper> objects;
    tile_team tiles;
    std::mutex meeting_updates; ///< an update takes the newest versions of all its blocks at once
    line_printer printer;
    trace_log trace;
    ending state;
    block_pool pool; ///< of the rank's own thread, as what follows
    std::uint64_t parcels_received = 0;
    std::uint64_t tasks_given = 0;    ///< to ranks that asked for some
    std::uint64_t tasks_repeated = 0; ///< that were given to ranks that have died
};

} // namespace lisle::tasks
