// SPDX-License-Identifier: Apache-2.0
#include "world/job.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "fabric/local/local_fabric.hpp"
#include "mpi.h"
#include "base/error.hpp"
#include "world/foreign_launcher.hpp"
#include "base/settings.hpp"

namespace lisle {

int usable_cores() noexcept {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

namespace {

std::optional<int> number_from(const char *variable) {
    const char *const text = std::getenv(variable);
    if (text == nullptr) {
        return std::nullopt;
    }
    char *end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > 1 << 30) {
        fail(MPI_ERR_OTHER, variable, "=", text,
             " is not a number: was it set by something else than lislerun?");
    }
    return static_cast<int>(value);
}

} // namespace

namespace {

fabric::routes make_routes(job_segment &segment, int process, std::span<const fabric_maker> makers) {
    std::vector<std::unique_ptr<fabric::fabric>> fabrics;
    for (const fabric_maker &make : makers) {
        fabrics.push_back(make(segment, process));
    }
    auto found = fabric::routes::find(std::move(fabrics), segment.ranks());
    if (!found) {
        fail(MPI_ERR_OTHER, "no fabric reaches some of the job's ", segment.ranks(), " ranks from process ",
             process);
    }
    return *std::move(found);
}

} // namespace

job::job(job_segment segment, int process, bool launched, std::span<const fabric_maker> makers)
    : segment_{std::move(segment)}, process_{process}, first_rank_{segment_.first_rank(process)},
      rank_count_{segment_.rank_count(process)}, launched_{launched},
      oversubscribed_{segment_.threads() > usable_cores()}, routes_{make_routes(segment_, process, makers)},
      ranks_(static_cast<std::size_t>(rank_count_)) {
    segment_.set_pid(process, getpid());
}

fabric::routes *job::routes_of(int track) {
    if (track == 0) {
        return &routes_;
    }
    other_routes &other = other_routes_[static_cast<std::size_t>(track) - 1];
    std::call_once(other.sought, [&] { other.found = routes_.on_track(track); });
    return other.found ? &*other.found : nullptr;
}

namespace {

std::unique_ptr<fabric::fabric> make_local_fabric(job_segment &segment, int process) {
    using fabric::local::local_fabric;
    if (value_of(setting::cross_memory) == 0) {
        return std::make_unique<local_fabric>(segment, process, std::nullopt);
    }
    if (const std::int64_t set = value_of(setting::cross_memory_minimum); set >= 0) {
        return std::make_unique<local_fabric>(segment, process, static_cast<std::size_t>(set));
    }
    // Between the two it depends on where the cores lie, measured with bench/.
    constexpr std::size_t least_read = std::size_t{64} << 10, surely_read = std::size_t{512} << 10;
    return std::make_unique<local_fabric>(segment, process, least_read, surely_read);
}

} // namespace

std::unique_ptr<job> job::make_inside(const job_shape &shape) {
    const fabric_maker local[] = {make_local_fabric};
    return std::make_unique<job>(job_segment::private_to_process(shape), 0, false, local);
}

job job::make() {
    const fabric_maker local[] = {make_local_fabric};
    const auto descriptor = number_from(job_descriptor_variable);
    if (!descriptor) {
        if (const auto foreign = foreign_launcher()) {
            fail(MPI_ERR_OTHER, *foreign);
        }
        return job{job_segment::private_to_process({.ranks_of_process = {1}}), 0, false, local};
    }
    auto segment = job_segment::attach(*descriptor);
    const auto process = number_from(process_index_variable);
    if (!process || *process >= segment.processes()) {
        fail(MPI_ERR_OTHER, process_index_variable, " does not name one of the ", segment.processes(),
             " processes of the job");
    }
    return job{std::move(segment), *process, true, local};
}

job &job::current() {
    // Never destroyed: threads of a program may still be in the library when it exits.
    static job *const the_job = [] {
        try {
            return new job{make()};
        } catch (const mpi_error &error) {
            std::fprintf(stderr, "lisle: %s\n", error.what());
            _exit(EXIT_FAILURE);
        }
    }();
    return *the_job;
}

rank &job::enter(int index) {
    if (index < 0 || index >= rank_count_) {
        fail(MPI_ERR_OTHER, "this process has ", rank_count_, " ranks; there is none with index ", index);
    }
    auto entered = std::make_unique<rank>(*this, first_rank_ + index);
    rank *none = nullptr;
    // Release: see find().
    if (!ranks_[static_cast<std::size_t>(index)].compare_exchange_strong(
            none, entered.get(), std::memory_order_release, std::memory_order_relaxed)) {
        fail(MPI_ERR_OTHER, "rank ", first_rank_ + index, " exists already");
    }
    segment_.advance(first_rank_ + index, rank_progress::started);
    return *entered.release();
}

void job::leave(rank &ended) {
    ranks_[static_cast<std::size_t>(ended.number() - first_rank_)].store(nullptr, std::memory_order_release);
    rank *const former = become(&ended);
    delete &ended;
    become(former == &ended ? nullptr : former);
}

void abort_job(int code) noexcept {
    const rank *const caller = detail::current_rank;
    job &here = caller != nullptr ? caller->get_job() : job::current();
    here.segment().record_abort(caller != nullptr ? caller->number() : here.first_rank(), code);
    std::fflush(nullptr);
    // The launcher ends all other processes when it sees the record; alone, this one is the whole job.
    // Not _exit: in a host of thread ranks that would end the calling rank only.
    syscall(SYS_exit_group, (code & 0xff) != 0 ? code & 0xff : EXIT_FAILURE);
    std::abort();
}

} // namespace lisle
