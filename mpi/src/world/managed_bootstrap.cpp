// SPDX-License-Identifier: Apache-2.0
#include "world/managed_bootstrap.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "mpi.h"
#include "world/this_machine.hpp"

namespace lisle {

namespace {

/// What each process tells the others before anything else.
struct introduction {
    std::uint64_t job; ///< process 0's choice
    std::int32_t ranks;
    std::int32_t workers;
    std::int32_t pid;
    char machine[84]; ///< where the launcher tells no nodes; else empty
};

std::span<const std::byte> bytes_of(const introduction &said) noexcept {
    return std::as_bytes(std::span{&said, 1});
}

} // namespace

managed_bootstrap::managed_bootstrap(std::unique_ptr<process_manager> manager, const process_share &here,
                                     std::int64_t pretended)
    : manager_{std::move(manager)} {
    meet(here, pretended);
}

void managed_bootstrap::meet(const process_share &here, std::int64_t pretended) {
    std::vector<int> nodes = manager_->nodes();
    introduction own{};
    own.job = static_cast<std::uint64_t>(make_job_id());
    own.ranks = here.ranks;
    own.workers = here.workers;
    own.pid = getpid();
    if (nodes.empty()) {
        std::snprintf(own.machine, sizeof own.machine, "%s", name_of_this_machine().c_str());
    }
    put("introduction", bytes_of(own));
    fence();
    const int processes = manager_->processes();
    job_shape shape;
    std::vector<std::string> machines;
    for (int process = 0; process != processes; ++process) {
        introduction said{};
        const std::vector<std::byte> bytes = get(process, "introduction");
        if (bytes.size() != sizeof said) {
            fail(MPI_ERR_OTHER, "process ", process, " of ", processes, " uses another version of Lisle");
        }
        std::memcpy(&said, bytes.data(), sizeof said);
        said.machine[sizeof said.machine - 1] = '\0';
        if (process == 0) {
            job_ = static_cast<job_id>(said.job);
        }
        shape.ranks_of_process.push_back(said.ranks);
        shape.workers_of_process.push_back(said.workers);
        machines.emplace_back(said.machine);
        pids_.push_back(said.pid);
    }
    if (nodes.empty()) {
        nodes = number_nodes(machines);
    }
    shape.node_of_process = std::move(nodes);
    if (pretended != 0) {
        shape.place_on_nodes(pretended_nodes(processes, pretended));
    }
    shape.check();
    places_.emplace(shape);
    parted_.resize(static_cast<std::size_t>(here.ranks));
}

int managed_bootstrap::pid_of(int process) const noexcept {
    const int own = places_->node_of_process(manager_->process());
    return places_->node_of_process(process) == own ? pids_[static_cast<std::size_t>(process)] : 0;
}

void managed_bootstrap::put(std::string_view key, std::span<const std::byte> value) {
    const std::scoped_lock guard{talking_};
    manager_->put(key, value);
}

std::vector<std::byte> managed_bootstrap::get(int process, std::string_view key) {
    const std::scoped_lock guard{talking_};
    return manager_->get(process, key);
}

void managed_bootstrap::fence() {
    const std::scoped_lock guard{talking_};
    manager_->fence();
}

void managed_bootstrap::report(int rank, rank_progress to) noexcept {
    if (to == rank_progress::left_early) {
        if (value_of(setting::recovery) != 0) {
            return; // the process ends, and what has started it sees that as a failure
        }
        std::fprintf(stderr, "lisle: rank %d has ended without MPI_Finalize; the job is stopped\n", rank);
        abort(rank, EXIT_FAILURE, abort_cause::gave_up);
        return;
    }
    // A rank that has never been in MPI parts when it ends.
    if (to == rank_progress::finalized || to == rank_progress::ended) {
        part(rank);
    }
}

void managed_bootstrap::part(int rank) noexcept {
    const std::scoped_lock guard{talking_};
    const auto index = static_cast<std::size_t>(rank - places_->first_rank(manager_->process()));
    if (parted_[index]) {
        return;
    }
    parted_[index] = true;
    // Before all ranks have parted, the end of the process is a failure.
    if (std::ranges::find(parted_, false) == parted_.end()) {
        manager_->finalize();
    }
}

void managed_bootstrap::report_exit(int, int) noexcept {} // the process's own exit status tells

void managed_bootstrap::abort(int rank, int code, abort_cause cause) noexcept {
    // The launcher ends all processes as soon as it is told, so output is flushed first.
    constexpr std::chrono::milliseconds for_what_was_said{300};
    std::this_thread::sleep_for(for_what_was_said);
    try {
        const std::string why = in_words(cause, rank, code);
        const std::scoped_lock guard{talking_};
        manager_->abort(code, why);
    } catch (const std::bad_alloc &) {
        // The caller ends its process next, which the launcher notices.
    }
}

} // namespace lisle
