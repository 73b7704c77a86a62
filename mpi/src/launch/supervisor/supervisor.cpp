// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/supervisor/crash_report.hpp"
#include "launch/supervisor/descendants.hpp"
#include "library/create_job.hpp"
#include "world/bootstrap.hpp"

namespace lisle::launch {

namespace {

// How long processes may take to end by themselves: after a failure the job is gone within a second, after
// Ctrl-C they may have something to save.
constexpr std::chrono::milliseconds grace_after_failure{400};
constexpr std::chrono::milliseconds grace_after_interrupt{2000};
constexpr std::chrono::milliseconds grace_for_leftovers{200};
// How long a reader that takes nothing may hold up a job that was told to end.
constexpr std::chrono::milliseconds longest_wait_for_reader{1000};
// A host goes on when one of its ranks fails; this is how soon that is noticed.
constexpr std::chrono::milliseconds thread_check{200};

/// As planned, but for the nodes that are pretended. Processes that may be lost alone share no memory: each
/// counts as a node of its own, however many nodes are asked for. Nor do processes of different hosts.
job_shape shape_of_job(const job_request &request, const job_plan &plan,
                       const std::optional<part_of_job> &part) {
    job_shape shape = plan.shape();
    const bool whole = !part || part->processes == shape.processes();
    const std::int64_t nodes = request.control.recovery ? -1 : value_of(setting::nodes);
    if (nodes == -1 || (whole && nodes != 0)) {
        shape.place_on_nodes(pretended_nodes(shape.processes(), nodes));
    }
    return shape;
}

void allow_many_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

} // namespace

supervisor::supervisor(const job_request &request, const job_plan &plan, descriptor notes,
                       const std::optional<part_of_job> &part, int host, const inherited_state &original)
    : request_{request}, plan_{plan}, notes_{std::move(notes)}, table_{create_job(
                                                                    shape_of_job(request, plan, part), part)},
      waits_{table_}, children_{request, plan, host, table_, original}, streams_{request, plan},
      has_hosts_{std::ranges::any_of(plan.processes, &process_plan::hosted)} {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (request.control.timeout) {
        timeout_at_ = clock::now() + *request.control.timeout;
    }
}

supervisor::supervisor(const job_request &request, const job_plan &plan, descriptor notes,
                       const inherited_state &original)
    : supervisor{request, plan, std::move(notes), std::nullopt, 0, original} {
    fcntl(notes_.get(), F_SETFL, O_NONBLOCK);
}

supervisor::supervisor(const job_request &request, const job_plan &plan, share_of_host mine,
                       const inherited_state &original)
    : supervisor{request,      plan,
                 descriptor{}, part_of_job{mine.id, static_cast<int>(processes_on(plan, mine.host).size())},
                 mine.host,    original} {
    share_.emplace(std::move(mine), table_, plan);
}

int supervisor::run() {
    allow_many_descriptors();
    start_all();
    streams_.let_go_of_unused();
    while (children_.alive() > 0 || (!end_.begun() && has_spawned_job())) {
        wait_once();
    }
    clean_up();
    if (share_) {
        share_->say_ended(end_.exit_code(), lost_ == children_.count());
    }
    return end_.exit_code();
}

void supervisor::start_all() {
    try {
        for (const std::size_t i : children_.here()) {
            children_.start(i, streams_.add_process(plan_.processes[i]));
        }
    } catch (const launch_error &) {
        end_descendants(std::chrono::milliseconds{0});
        throw;
    }
}

void supervisor::wait_once(deadline until) {
    std::vector<pollfd> polled{{notes_.get(), POLLIN, 0}, {children_.ends(), POLLIN, 0}};
    if (share_) {
        share_->prepare(polled);
    }
    const auto own = polled.size();
    streams_.prepare(polled);
    if (poll(polled.data(), polled.size(), milliseconds_left(until)) < 0 && errno != EINTR) {
        give_up(1, "cannot wait for the job: ", std::strerror(errno));
    }
    if (polled[0].revents != 0) {
        read_notes();
    }
    if (share_) {
        share_->handle(polled.data() + own - host_share::entries,
                       {[this](signal_note note) { on_signal(note); }, [this] { on_stop_elsewhere(); },
                        [this] { share_->say_waits(waits_.ask()); }, [this] { look_for_abort(); },
                        [] { on_silence(); }});
    }
    streams_.handle(polled.data() + own, polled.size() - own);
    if (polled[1].revents != 0) {
        while (const auto ended = children_.next_ended()) {
            on_end(*ended);
        }
    }
    if (has_hosts_) {
        report_crash();
        look_for_failed_threads();
    }
    on_deadlines();
}

int supervisor::milliseconds_left(deadline until) const {
    auto next = until.value_or(clock::time_point::max());
    for (const auto &each : {timeout_at_, end_.kill_at()}) {
        next = each ? std::min(next, *each) : next;
    }
    if (!end_.begun() && children_.alive() > 0) {
        next = std::min(next, waits_.next());
    }
    if (has_hosts_) {
        next = std::min(next, clock::now() + thread_check);
    }
    if (next == clock::time_point::max()) {
        return -1;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

void supervisor::read_notes() {
    unsigned char byte = 0;
    ssize_t length = 0;
    while ((length = read(notes_.get(), &byte, 1)) == 1) {
        on_signal(signal_note{byte});
    }
    if (length == 0) {
        on_silence();
    }
}

void supervisor::on_silence() {
    // The front, or the keeper, has been killed: the job ends with it.
    end_descendants(std::chrono::milliseconds{0});
    _exit(exit_by_signal + SIGKILL);
}

void supervisor::look_for_abort() {
    if (const auto found = judge_abort(table_); found && !end_.begun()) {
        act_on(*found);
    }
}

void supervisor::on_stop_elsewhere() {
    stop(end_.exit_code(), {}, SIGTERM, grace_after_failure);
}

void supervisor::on_signal(signal_note note) {
    const int signal = note.signal();
    if (signal == SIGQUIT && !note.ranks_have_it() && !end_.begun()) {
        print_report(waits_.describe("what the ranks of the job wait for"));
        return;
    }
    const bool ends = std::ranges::find(ending_signals, signal) != ending_signals.end();
    if (ends) {
        end_.note_told(); // even if a failure was what began the end
    }
    if (ends && end_.begun()) {
        end_.hurry(); // asked twice
    } else if (ends) {
        const auto why =
            request_.messages.quiet ? std::string{} : sentence(signal_name(signal), ": the job is stopped");
        stop(exit_by_signal + signal, why, note.ranks_have_it() ? 0 : signal, grace_after_interrupt);
    } else if (!note.ranks_have_it()) {
        // Sent to the launcher alone, by a batch system for one: the kernel would drop a stop that comes from
        // the terminal where no shell watches the process group, but not this one.
        children_.signal(signal == SIGTSTP ? SIGSTOP : signal);
    }
}

void supervisor::on_end(std::size_t index) {
    if (end_.begun()) {
        return;
    }
    report_crash();
    const auto end = children_.description_of(index);
    auto found = judge(end, table_);
    if (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL && !found.sentence.empty()) {
        found.sentence += memory_.explain_kill();
    }
    if (request_.control.recovery && found.stops_job && !table_.aborted()) {
        if (found.one_of_several) {
            found.sentence += "; " + lost_together(end, table_);
        }
        note_loss(found);
    } else if (found.exit_code != 0 || found.stops_job) {
        act_on(found);
    } else {
        warn_of_absence(index);
    }
}

// The ranks of a host wait for this with their end, but not for long: the others are asked first. To find the
// lines of a stack that leads through the C library can take seconds.
void supervisor::report_crash() {
    const auto fault = table_.fault();
    const auto stack = fault && !crash_reported_ ? table_.crash().read() : std::nullopt;
    if (!stack) {
        return;
    }
    crash_reported_ = true;
    const std::string others = table_.ranks() > 1 ? waits_.describe("what the ranks do meanwhile") : "";
    print_report(launch::crash_report(*fault, *stack) + others);
    if (stack->wish == crash_wish::debugger) {
        say(sentence("the process stays for a debugger: lislerun --attach ", getppid()));
    }
    table_.crash().let_go();
}

void supervisor::act_on(const verdict &found) {
    // A plain exit code of a job of one rank speaks for itself.
    const bool say_it = found.alarming || (table_.ranks() > 1 && !request_.messages.quiet);
    const bool first = end_.exit_code() == 0;
    if (found.stops_job) {
        const auto *const others = others_run() ? "; the job is stopped" : "";
        stop(first ? found.exit_code : end_.exit_code(), say_it ? found.sentence + others : std::string{},
             SIGTERM, grace_after_failure, found.consequence);
    } else if (first) {
        end_.offer_exit_code(found.exit_code);
        if (say_it) {
            say(found.sentence);
        }
    }
}

void supervisor::note_loss(const verdict &found) {
    ++lost_;
    if (!request_.messages.quiet) {
        say(found.sentence + (others_run() ? "; the others go on" : ""));
    }
    if (lost_ == children_.count()) { // no process is left that could have recovered
        end_.offer_exit_code(found.exit_code);
    }
}

void supervisor::warn_of_absence(std::size_t index) {
    const int absent = plan_.processes[index].first_rank;
    if (request_.messages.quiet || warned_of_absence_ ||
        table_.progress(absent) >= rank_progress::initialized) {
        return;
    }
    for (int rank = 0; rank < table_.ranks() && !warned_of_absence_; ++rank) {
        warned_of_absence_ = table_.progress(rank) == rank_progress::initialized;
    }
    if (warned_of_absence_) {
        say(sentence("rank ", absent,
                     " has ended without calling MPI_Init; ranks that wait for it wait forever"));
    }
}

void supervisor::look_for_failed_threads() {
    if (request_.control.recovery) { // there a rank that fails ends its process
        look_for_abort();
        return;
    }
    for (const std::size_t i : children_.here()) {
        if (end_.begun() || !children_.hosts_living_ranks(i)) {
            continue;
        }
        if (const auto found = judge_running(children_.description_of(i), table_)) {
            act_on(*found);
        }
    }
}

void supervisor::on_deadlines() {
    const auto now = clock::now();
    if (timeout_at_ && now >= *timeout_at_) {
        timeout_at_.reset();
        on_timeout();
    }
    if (!end_.begun() && now >= waits_.next()) {
        if (const auto why = waits_.look(); !why.empty()) {
            stop(deadlock_exit_code, why, SIGTERM, grace_after_failure);
        }
    }
    if (end_.kills_now(now)) {
        children_.signal(SIGKILL);
    }
}

void supervisor::on_timeout() {
    end_.note_told();
    if (!end_.begun() && !request_.messages.quiet) {
        print_report(waits_.describe("what the ranks of the job wait for at the end of its time"));
    }
    stop(exit_timeout, time_is_over(*request_.control.timeout) + "; it is stopped", SIGTERM,
         grace_after_failure);
}

void supervisor::stop(int exit_code, const std::string &why, int signal, std::chrono::milliseconds grace,
                      bool consequence) {
    if (end_.begun()) {
        return;
    }
    if (share_) {
        share_->say_stopping(exit_code, why, consequence);
    } else if (!why.empty()) {
        say(why);
    }
    if (signal != 0 && children_.alive() > 0) {
        children_.signal(signal);
        children_.signal(SIGCONT); // a stopped process ends only when it runs
    }
    end_.begin(exit_code, grace);
}

void supervisor::clean_up() {
    // Only what the ranks left running, if anything: the ranks themselves are gone.
    if (!end_descendants(end_.begun() ? std::chrono::milliseconds{0} : grace_for_leftovers)) {
        say("some processes of the job do not end: the system is busy on their behalf");
    }
    streams_.finish();
    write_out();
    if (const auto failure = streams_.failure(); !failure.empty()) {
        say(failure);
        end_.offer_exit_code(1);
    }
    if (request_.display.exit_codes) {
        children_.say_exit_codes();
    }
}

void supervisor::write_out() {
    deadline until;
    for (auto unread = streams_.unread(); unread > 0;) {
        if (end_.told() && !until) {
            until = clock::now() + longest_wait_for_reader;
        }
        wait_once(until);
        if (const auto left = streams_.unread(); left != unread) {
            unread = left;
            until.reset();
        } else if (until && clock::now() >= *until) {
            say(sentence("nobody reads the job's output: its last ", unread, " bytes are lost"));
            return;
        }
    }
}

} // namespace lisle::launch
