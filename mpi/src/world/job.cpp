// SPDX-License-Identifier: Apache-2.0
#include "world/job.hpp"

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "execution/usable_cores.hpp"
#include "mpi.h"
#include "world/printed_output.hpp"

namespace lisle {

job::job(std::unique_ptr<bootstrap> start, const doorbell_row &bells, const wait_table &waits)
    : start_{std::move(start)}, size_{places().ranks()}, process_{start_->self().index},
      first_rank_{places().first_rank(process_)}, rank_count_{places().rank_count(process_)},
      oversubscribed_{threads_on_machine() > usable_cores()},
      context_part_{context_part_of(start_->self().job)}, bells_{bells}, waits_{waits},
      ranks_(static_cast<std::size_t>(rank_count_)), others_{size_, places().processes(), places().nodes()} {
    // A thread that makes progress may be about to end the wait of a rank that sleeps.
    if (places().nodes() == 1 && value_of(setting::deadlock) != 0 && !has_progress_threads()) {
        waits_.look_for_standstills();
    }
}

int job::find_number(const rank_name &name) const {
    if (name.job != start_->self().job) {
        return others_.find(name);
    }
    return name.number >= 0 && name.number < size_ ? static_cast<int>(name.number) : -1;
}

int job::threads_on_machine() const noexcept {
    return places().threads_beside(process_);
}

doorbell_row job::bells_of_worker(int worker) const noexcept {
    return bells_.part(places().worker_begin(process_, worker), places().worker_begin(process_, worker + 1));
}

rank &job::enter(std::unique_ptr<rank> entering) {
    const int number = entering->number();
    rank *none = nullptr;
    // Release: see find().
    if (!ranks_[static_cast<std::size_t>(number - first_rank_)].compare_exchange_strong(
            none, entering.get(), std::memory_order_release, std::memory_order_relaxed)) {
        fail(MPI_ERR_OTHER, "rank ", number, " exists already");
    }
    start_->report(number, rank_progress::started);
    return *entering.release();
}

void job::leave(rank &ended) {
    ranks_[static_cast<std::size_t>(ended.number() - first_rank_)].store(nullptr, std::memory_order_release);
    rank *const former = become(&ended);
    delete &ended;
    become(former == &ended ? nullptr : former);
}

void abort_job(int code, abort_cause cause) noexcept {
    const rank &caller = known_rank();
    abort_job(caller.get_job(), caller.number(), code, cause);
}

void abort_job(const job &ending, int rank, int code, abort_cause cause) noexcept {
    pass_on_printed(); // first: a launcher that knows ends this process
    ending.start().abort(rank, code, cause);
    // Not _exit: in a host of thread ranks that would end the calling rank only.
    syscall(SYS_exit_group, (code & 0xff) != 0 ? code & 0xff : EXIT_FAILURE);
    std::abort();
}

} // namespace lisle
