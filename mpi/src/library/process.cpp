// SPDX-License-Identifier: Apache-2.0
#include "library/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"
#include "exploration/begin.hpp"
#include "library/fabrics_in_use.hpp"
#include "library/listed_ranks.hpp"
#include "library/logged_fabric.hpp"
#include "library/network.hpp"
#include "library/node_memory.hpp"
#include "library/standstill_speaker.hpp"
#include "mpi.h"
#include "protocol/device_threads.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"
#include "world/launched_bootstrap.hpp"
#include "world/lone_bootstrap.hpp"
#include "world/managed_bootstrap.hpp"
#include "world/pmi/foreign_launcher.hpp"
#include "world/printed_output.hpp"
#include "world/process_record.hpp"

namespace lisle {

using fabric::local::node_segment;

namespace {

fabric::routes make_routes(node_segment &segment, bootstrap &start, std::span<const fabric_maker> makers) {
    std::vector<std::unique_ptr<fabric::fabric>> fabrics;
    for (const fabric_maker &make : makers) {
        fabrics.push_back(logged(make(segment, start)));
    }
    const int ranks = start.places().ranks();
    auto found = fabric::routes::find(std::move(fabrics), ranks);
    if (!found) {
        fail(MPI_ERR_OTHER, "no fabric reaches some of the job's ", ranks, " ranks from process ",
             start.self().index);
    }
    return *std::move(found);
}

doorbell_row bells_of(const node_segment &segment, bootstrap &start) {
    const locality &places = start.places();
    const int process = start.self().index;
    return segment.bells(places.index_on_node(places.first_rank(process)), places.rank_count(process));
}

/// Threads that move messages on, if that is wanted. Finds out by which clock the job lives.
std::unique_ptr<protocol::device_threads> make_threads(job &own, const fabric::routes &routes) {
    for (fabric::fabric *const each : routes.fabrics()) {
        if (job_clock *const clock = each->clock()) {
            own.live_by(*clock);
        }
    }
    return has_progress_threads() && !own.clock().simulated()
               ? std::make_unique<protocol::device_threads>(routes)
               : nullptr;
}

void log_launch(job &own, const fabric::routes &routes) {
    const bootstrap &start = own.start();
    const locality &places = start.places();
    const int self = start.self().index;
    std::string text =
        sentence("process ", self, " of ", places.processes(), " (pid ", getpid(), "): ", own.rank_count(),
                 " of ", places.ranks(), " ranks, node ", places.node_of_process(self), " of ",
                 places.nodes(), ", ", own.workers(), " workers of fibers, fabrics");
    for (const fabric::fabric *const each : routes.fabrics()) {
        text += sentence(" ", each->name());
    }
    log_line(log_area::launch, own.first_rank(), text);
}

/// A process of a job whose nodes have made no memory yet, or of several nodes. All processes come here.
std::unique_ptr<process> make_on_cluster(std::unique_ptr<bootstrap> start) {
    bootstrap &others = *start;
    const int nodes = others.places().nodes();
    const auto trial = nodes > 1 ? announce_network(others) : nullptr;
    node_segment segment = meet_on_node(others);
    if (trial != nullptr) {
        trial->try_all();
    }
    auto made = std::make_unique<process>(std::move(start), std::move(segment), fabrics_in_use(nodes));
    auto speaker = nodes > 1 ? standstill_speaker::announce(
                                   made->get_job(), network_interface(made->routes()), network_secret(others))
                             : nullptr;
    others.fence(); // all have opened their node's memory, and told their addresses
    // Later a fiber that asks the launcher for an address would let others run while it holds the network.
    const bool fibers = others.places().worker_count(others.self().index) != 0;
    if (nodes > 1) {
        connect_at_start(made->routes(), others, fibers || value_of(setting::recovery) != 0);
    }
    standstill_speaker::begin(std::move(speaker));
    return made;
}

/// The table that the record names. A host keeps its own to itself: what it starts is no rank.
job_table table_of(const process_record &own) {
    const int descriptor = own.host ? *own.table : job_table::find(*own.table);
    if (own.host && fcntl(descriptor, F_GETFD) < 0) {
        fail(MPI_ERR_OTHER,
             "this program was started by a thread or fiber rank, through another program such as ",
             "nice, env, timeout, taskset or sh -c, and so it is no rank: put that program in front of "
             "lislerun, ",
             "or start the job with --ranks process");
    }
    return job_table::attach(descriptor);
}

std::unique_ptr<process> make_launched(const process_record &own) {
    auto table = table_of(own);
    const int index = *own.process;
    if (index >= table.processes()) {
        fail(MPI_ERR_OTHER, process_record_variable, "=", own.text(), ": process ", index, " is none of the ",
             table.processes(), " processes of the job");
    }
    if (const int claimer = table.claim(index); claimer != getpid()) {
        if (kill(claimer, 0) == 0 || errno == EPERM) {
            return process::make_inside({.ranks_of_process = {1}}); // a child of the rank
        }
        fail(MPI_ERR_OTHER, "another program of this rank, process ", claimer,
             ", has been in MPI before and has ended: start each program with a lislerun of its own");
    }
    const std::size_t behind = table.end();
    const int file = table.give_descriptor();
    auto start = std::make_unique<launched_bootstrap>(std::move(table), index);
    if (start->places().nodes() > 1) {
        close(file);
        return make_on_cluster(std::move(start));
    }
    auto made =
        std::make_unique<process>(std::move(start), node_segment::attach(file, behind), fabrics_in_use(1));
    if (!own.choices.empty()) {
        exploration::begin(made->get_job(), own.choices);
    }
    return made;
}

/// What the lislerun that a foreign launcher started tells lisle-host; without one, one rank.
process_share share_of_this_process() {
    const process_record &own = own_record();
    if (const auto wanted = value_of(setting::threads_per_process); !own.ranks && wanted > 1) {
        fail(MPI_ERR_OTHER, variable_of(setting::threads_per_process), "=", wanted,
             " is for lislerun to read: put it before the program, as in srun lislerun ./program");
    }
    return {own.ranks.value_or(1), own.workers};
}

std::unique_ptr<process> make() {
    if (const process_record &own = own_record(); own.table) {
        print_by_lines(); // again: the program may have changed std::cout before
        return make_launched(own);
    }
    if (auto manager = connect_to_launcher()) {
        print_by_lines();
        // Processes that may be lost alone share no memory, however many nodes are asked for: within one,
        // nobody tells the others of a process that has ended.
        const std::int64_t pretended = value_of(setting::recovery) != 0 ? -1 : value_of(setting::nodes);
        return make_on_cluster(
            std::make_unique<managed_bootstrap>(std::move(manager), share_of_this_process(), pretended));
    }
    if (const auto foreign = foreign_launcher()) {
        fail(MPI_ERR_OTHER, *foreign);
    }
    return process::make_inside({.ranks_of_process = {1}});
}

} // namespace

process::process(std::unique_ptr<bootstrap> start, node_segment segment, std::span<const fabric_maker> makers)
    : segment_{std::move(segment)}, bells_{bells_of(segment_, *start)},
      job_{std::move(start), bells_, wait_table{segment_.waits(), segment_.bells(0, segment_.ranks())}},
      routes_{make_routes(segment_, job_.start(), makers)}, threads_{make_threads(job_, routes_.first())},
      joining_{job_, routes_, threads_.get()} {
    if (logs(log_area::launch)) {
        log_launch(job_, routes_.first());
    }
    if (!job_.clock().simulated()) {
        routes_.meet_by(joining_);
    }
}

process &process::current() {
    // Never destroyed: threads of a program may still be in the library when it exits.
    static process *const the_process = [] {
        try {
            return make().release();
        } catch (const mpi_error &error) {
            std::fprintf(stderr, "lisle: %s\n", error.what());
            _exit(EXIT_FAILURE);
        }
    }();
    return *the_process;
}

std::unique_ptr<process> process::make_inside(const job_shape &shape) {
    auto start = std::make_unique<lone_bootstrap>(shape);
    return std::make_unique<process>(std::move(start), node_segment::private_to_process(shape),
                                     fabrics_in_use(1));
}

rank &process::enter(int index) {
    if (index < 0 || index >= job_.rank_count()) {
        fail(MPI_ERR_OTHER, "this process has ", job_.rank_count(), " ranks; there is none with index ",
             index);
    }
    auto entering = std::make_unique<rank>(job_, job_.first_rank() + index, job_.bells()[index]);
    auto tracks = std::make_shared<protocol::tracks>(routes_, *entering, threads_.get());
    protocol::engine &first = *tracks->find(0);
    entering->equip(std::move(tracks), first);
    return job_.enter(std::move(entering));
}

namespace detail {

rank &adopt_thread() {
    process &here = process::current();
    job &its_job = here.get_job();
    if (its_job.rank_count() != 1) {
        std::fprintf(
            stderr,
            "lisle: a thread that no rank started called MPI in a process of %d ranks: it cannot be told "
            "whose call this is (run the program with --ranks process)\n",
            its_job.rank_count());
        abort_job(its_job, its_job.first_rank(), EXIT_FAILURE);
    }
    static std::once_flag once;
    std::call_once(once, [&here] { list_for_debuggers(here.enter(0)); });
    rank *const only = its_job.find(its_job.first_rank());
    current_rank = only;
    return *only;
}

} // namespace detail

} // namespace lisle
