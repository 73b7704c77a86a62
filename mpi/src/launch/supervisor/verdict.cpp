// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/verdict.hpp"

#include <csignal>
#include <cstring>
#include <sys/wait.h>

#include "launch/common/launch_error.hpp"
#include "mpi.h"
#include "world/bootstrap.hpp"

namespace lisle::launch {

namespace {

const char *kind_of(const process_end &end, const job_table &segment) {
    return segment.worker_count(end.process) != 0 ? "fiber" : "thread";
}

// What runs where: "rank 2 (process 4711, ./prog)", "rank 2 (a thread of process 4711, ./prog)" or "ranks 4
// to 7 (threads of process 4711, ./prog)".
std::string one_rank(int rank, const process_end &end, const job_table &segment) {
    return sentence("rank ", rank, " (",
                    end.hosted ? sentence("a ", kind_of(end, segment), " of ") : std::string{}, "process ",
                    end.pid, ", ", end.program, ")");
}

std::string all_ranks(const process_end &end, const job_table &segment) {
    const int first = segment.first_rank(end.process);
    const int count = segment.rank_count(end.process);
    if (count == 1) {
        return one_rank(first, end, segment);
    }
    return sentence("ranks ", first, " to ", first + count - 1, " (", kind_of(end, segment), "s of process ",
                    end.pid, ", ", end.program, ")");
}

/// A shell sees eight bits: a code that is not 0 must not become 0. What the program has not chosen must not
/// look like a signal, or like a program that is not there.
int exit_code_of_abort(const abort_record &abort) {
    const int seen = abort.code & 0xff;
    const bool chosen = abort.cause == abort_cause::called;
    return (abort.code != 0 && seen == 0) || (!chosen && seen >= deadlock_exit_code) ? 1 : seen;
}

/// Ended because another rank has failed.
bool is_consequence(const abort_record &abort) {
    return abort.cause != abort_cause::called &&
           (abort.code == MPIX_ERR_PROC_FAILED || abort.code == MPIX_ERR_REVOKED);
}

} // namespace

std::optional<verdict> judge_abort(const job_table &segment) {
    const auto abort = segment.aborted();
    if (!abort) {
        return std::nullopt;
    }
    if (segment.deadlocked()) {
        return verdict{.exit_code = deadlock_exit_code,
                       .stops_job = true,
                       .alarming = true,
                       .sentence = "deadlock: the ranks wait for each other"};
    }
    return verdict{.exit_code = exit_code_of_abort(*abort),
                   .stops_job = true,
                   .alarming = true,
                   .sentence = in_words(abort->cause, abort->rank, abort->code),
                   .consequence = is_consequence(*abort)};
}

namespace {

verdict left_early(int rank, int code, const process_end &end, const job_table &segment) {
    return {.exit_code = code != 0 ? code : 1,
            .stops_job = true,
            .alarming = true,
            .sentence = sentence(one_rank(rank, end, segment), " ended",
                                 code != 0 ? sentence(" with exit code ", code) : std::string{},
                                 code != 0 ? " before MPI_Finalize" : " without calling MPI_Finalize"),
            .one_of_several = segment.rank_count(end.process) > 1};
}

/// -1: none has.
int first_to_leave_early(const process_end &end, const job_table &segment) {
    const int first = segment.first_rank(end.process);
    for (int rank = first; rank < first + segment.rank_count(end.process); ++rank) {
        if (segment.progress(rank) == rank_progress::left_early) {
            return rank;
        }
    }
    return -1;
}

verdict judge_exit(const process_end &end, const job_table &segment) {
    const int code = WEXITSTATUS(end.status);
    const int first = segment.first_rank(end.process);
    bool over = true; // no rank of the process can be missed by others
    int failed = -1;
    if (const int rank = first_to_leave_early(end, segment); rank >= 0) {
        return left_early(rank, segment.exit_status(rank) & 0xff, end, segment);
    }
    for (int rank = first; rank < first + segment.rank_count(end.process); ++rank) {
        const auto progress = segment.progress(rank);
        if (progress == rank_progress::initialized) {
            return left_early(rank, code, end, segment);
        }
        over = over && (progress == rank_progress::finalized || progress == rank_progress::ended);
        if (progress == rank_progress::ended && segment.exit_status(rank) != 0 && failed < 0) {
            failed = rank;
        }
    }
    if (code == 0) {
        return {};
    }
    return {.exit_code = code,
            .stops_job = !over,
            .alarming = false,
            .sentence = sentence(failed >= 0 ? one_rank(failed, end, segment) : all_ranks(end, segment),
                                 " ended with exit code ", code)};
}

verdict judge_signal(const process_end &end, const job_table &segment) {
    const int signal = WTERMSIG(end.status);
    verdict result{.exit_code = exit_by_signal + signal, .stops_job = true, .alarming = true, .sentence = {}};
    const auto fault = segment.fault();
    const int first = segment.first_rank(end.process);
    const bool known = fault && fault->signal == signal && fault->rank >= first &&
                       fault->rank < first + segment.rank_count(end.process);
    const bool several = !known && segment.rank_count(end.process) > 1;
    result.one_of_several = known && segment.rank_count(end.process) > 1;
    result.sentence = sentence(known ? one_rank(fault->rank, end, segment) : all_ranks(end, segment),
                               several ? " were" : " was", " ended by ", signal_name(signal));
    const bool has_address = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
    if (known && has_address) {
        result.sentence += sentence(" at address ", reinterpret_cast<const void *>(fault->address));
    }
    if (WCOREDUMP(end.status)) {
        result.sentence += ", core dumped";
    }
    return result;
}

} // namespace

std::string lost_together(const process_end &end, const job_table &segment) {
    const int first = segment.first_rank(end.process);
    return sentence("ranks ", first, " to ", first + segment.rank_count(end.process) - 1,
                    " are lost with the process");
}

std::string signal_name(int signal) {
    const char *const name = sigabbrev_np(signal);
    const char *const meaning = sigdescr_np(signal);
    if (name == nullptr || meaning == nullptr) {
        return sentence("signal ", signal);
    }
    return sentence("SIG", name, " (", meaning, ")");
}

verdict judge(const process_end &end, const job_table &segment) {
    if (const auto aborted = judge_abort(segment)) {
        return *aborted;
    }
    if (WIFSIGNALED(end.status)) {
        return judge_signal(end, segment);
    }
    return judge_exit(end, segment);
}

std::optional<verdict> judge_running(const process_end &running, const job_table &segment) {
    if (auto aborted = judge_abort(segment)) {
        return aborted;
    }
    if (const int rank = first_to_leave_early(running, segment); rank >= 0) {
        return left_early(rank, segment.exit_status(rank) & 0xff, running, segment);
    }
    return std::nullopt;
}

std::string time_is_over(std::chrono::milliseconds limit) {
    const auto time = static_cast<long>(limit.count());
    return sentence("the job has not ended within ", time / 1000,
                    time % 1000 != 0 ? sentence(".", (time % 1000 + 99) / 100) : std::string{},
                    " s (--timeout)");
}

} // namespace lisle::launch
