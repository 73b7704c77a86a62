// SPDX-License-Identifier: Apache-2.0
#include "launch/keeper.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <ranges>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/cpu_set.hpp"
#include "launch/descendants.hpp"
#include "launch/describe.hpp"
#include "launch/environment.hpp"
#include "launch/launch_error.hpp"
#include "library/create_job.hpp"

namespace lisle::launch {

namespace {

// How long processes may take to end by themselves: after a failure the job is gone within a second, after
// Ctrl-C they may have something to save.
constexpr std::chrono::milliseconds grace_after_failure{400};
constexpr std::chrono::milliseconds grace_after_interrupt{2000};
constexpr std::chrono::milliseconds grace_for_leftovers{200};
// How long a reader that takes nothing may hold up a job that was told to end.
constexpr std::chrono::milliseconds spin_policy_with_reader{1000};
constexpr int spin_policy_with_terminal = 200; // milliseconds
// A host goes on when one of its ranks fails; this is how soon that is noticed.
constexpr std::chrono::milliseconds thread_check{200};

// Scripts use small descriptors for themselves, so the job's table gets a number that they leave alone.
constexpr int high_descriptor = 100;

descriptor hand_down(const job_table &segment) {
    int number = fcntl(segment.descriptor(), F_DUPFD_CLOEXEC, high_descriptor);
    if (number < 0) { // a low limit on open files
        number = fcntl(segment.descriptor(), F_DUPFD_CLOEXEC, 3);
    }
    if (number < 0) {
        give_up(1, "cannot hand the job's table down: ", std::strerror(errno));
    }
    return descriptor{number};
}

/// Processes that may be lost alone share no memory: each counts as a node of its own.
job_shape shape_of_job(const job_request &request, const job_plan &plan) {
    job_shape shape = plan.shape();
    if (request.recovery) {
        shape.node_of_process = pretended_nodes(shape.processes(), -1);
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

void say(const std::string &text) {
    const auto line = "lislerun: " + text + "\n";
    pollfd terminal{STDERR_FILENO, POLLOUT, 0};
    if (poll(&terminal, 1, spin_policy_with_terminal) == 0) {
        return; // full, and nobody reads: the job matters more than the sentence
    }
    // Nothing can be done about an error output that takes nothing.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

keeper::keeper(const job_request &request, const job_plan &plan, descriptor notes,
               const inherited_state &original)
    : request_{request}, plan_{plan}, notes_{std::move(notes)}, original_{original},
      segment_{create_job(shape_of_job(request, plan))}, waits_{segment_}, handed_down_{hand_down(segment_)},
      child_ends_{signal_source(sigset_t{})}, relay_{request.output, plan}, places_{places(request.binding)},
      members_(plan.processes.size()) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fcntl(notes_.get(), F_SETFL, O_NONBLOCK);
    has_threads_ = std::any_of(plan.processes.begin(), plan.processes.end(),
                               [](const process_plan &process) { return process.hosted; });
    if (request.timeout) {
        timeout_at_ = clock::now() + *request.timeout;
    }
}

int keeper::run() {
    allow_many_descriptors();
    try {
        start_all();
    } catch (const launch_error &error) {
        end_descendants(std::chrono::milliseconds{0});
        throw;
    }
    if (!request_.input.all) {
        let_go(STDIN_FILENO);
    }
    if (!request_.output.any()) {
        let_go(STDOUT_FILENO);
    }
    while (alive_ > 0 || (!stopping_ && has_spawned_job())) {
        wait_once();
    }
    clean_up();
    return exit_code_.value_or(0);
}

void keeper::start_all() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        start(i);
        const auto &process = plan_.processes[i];
        const auto ranks = ranks_of(process);
        if (request_.verbose) {
            say(sentence(ranks, ": process ", members_[i].pid, ", ",
                         request_.programs[process.program].arguments.front()));
        }
        if (request_.debug) {
            say(sentence(ranks, ": gdb -p ", members_[i].pid));
        }
    }
}

int keeper::input_of(const process_plan &process, descriptor &holder) {
    if (request_.input.all) {
        holder = input_.add_reader();
        return holder.get();
    }
    if (const auto reader = request_.input.rank; reader && &plan_.process_of(*reader) == &process) {
        return -1;
    }
    holder = descriptor{open("/dev/null", O_RDWR | O_CLOEXEC)};
    return holder.get();
}

void keeper::start(std::size_t index) {
    const auto &process = plan_.processes[index];
    process_start start;
    start.path = process.path;
    start.arguments = process.arguments;
    if (request_.numbered_names && !process.hosted) {
        start.arguments.front() += "-" + std::to_string(process.first_rank);
    }
    start.environment =
        environment_of(process, index, request_, segment_.ranks(), handed_down_.get(), environ);
    start.directory = request_.programs[process.program].directory;
    start.handed_down = handed_down_.get();
    descriptor input;
    start.input = input_of(process, input);
    const auto output = relay_.add_process(process, false);
    const auto errors = relay_.add_process(process, true);
    start.output = output.number();
    start.errors = errors.number();
    if (!places_.empty() && !process.hosted) {
        start.placement = &places_[static_cast<std::size_t>(process.first_rank) % places_.size()];
    }
    members_[index] = {spawn(start, original_), true};
    ++alive_;
}

void keeper::wait_once() {
    std::vector<pollfd> polled{{notes_.get(), POLLIN, 0}, {child_ends_.get(), POLLIN, 0}};
    const auto own = polled.size();
    input_.prepare(polled);
    const auto before_output = polled.size();
    relay_.prepare(polled);
    if (poll(polled.data(), polled.size(), next_deadline()) < 0 && errno != EINTR) {
        give_up(1, "cannot wait for the job: ", std::strerror(errno));
    }
    if (polled[0].revents != 0) {
        read_notes();
    }
    input_.handle(polled.data() + own, before_output - own);
    relay_.handle(polled.data() + before_output, polled.size() - before_output);
    if (polled[1].revents != 0) {
        reap();
    }
    if (has_threads_) {
        look_for_failed_threads();
    }
    on_deadlines();
}

int keeper::next_deadline() const {
    auto next = clock::time_point::max();
    for (const auto &deadline : {timeout_at_, kill_at_, reader_until_}) {
        next = deadline ? std::min(next, *deadline) : next;
    }
    if (!stopping_ && alive_ > 0) {
        next = std::min(next, look_at_);
    }
    if (has_threads_) {
        next = std::min(next, clock::now() + thread_check);
    }
    if (next == clock::time_point::max()) {
        return -1;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

void keeper::read_notes() {
    unsigned char byte = 0;
    ssize_t length = 0;
    while ((length = read(notes_.get(), &byte, 1)) == 1) {
        on_signal(signal_note{byte});
    }
    if (length == 0) {
        // The front has been killed: nobody is left to tell, and nobody to wait for.
        end_descendants(std::chrono::milliseconds{0});
        _exit(exit_by_signal + SIGKILL);
    }
}

void keeper::on_signal(signal_note note) {
    const int signal = note.signal();
    if (signal == SIGQUIT && !note.ranks_have_it() && !stopping_) {
        say_status("what the ranks of the job wait for");
        return;
    }
    const bool ends = std::find(ending_signals.begin(), ending_signals.end(), signal) != ending_signals.end();
    if (ends && stopping_) {
        kill_at_ = clock::now(); // asked twice
        told_to_end_ = true;     // even if a failure was what began it
    } else if (ends) {
        told_to_end_ = true;
        const auto why =
            request_.quiet ? std::string{} : sentence(signal_name(signal), ": the job is stopped");
        stop(exit_by_signal + signal, why, note.ranks_have_it() ? 0 : signal, grace_after_interrupt);
    } else if (!note.ranks_have_it()) {
        // Sent to the launcher alone, by a batch system for one: the kernel would drop a stop that comes from
        // the terminal where no shell watches the process group, but not this one.
        deliver(signal == SIGTSTP ? SIGSTOP : signal);
    }
}

void keeper::reap() {
    signalfd_siginfo seen;
    while (read(child_ends_.get(), &seen, sizeof seen) > 0) {
        // one signal may stand for many ends
    }
    while (alive_ > 0) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid <= 0) {
            break;
        }
        const auto found = std::find_if(members_.begin(), members_.end(),
                                        [&](const member &m) { return m.alive && m.pid == pid; });
        if (found != members_.end()) { // others are orphans that ranks left behind
            found->alive = false;
            found->status = status;
            --alive_;
            on_end(static_cast<std::size_t>(found - members_.begin()), status);
        }
    }
}

void keeper::on_end(std::size_t index, int status) {
    if (stopping_) {
        return;
    }
    const auto found = judge(description_of(index, status), segment_);
    if (request_.recovery && found.stops_job && !segment_.aborted()) {
        note_loss(found);
        return;
    }
    if (found.exit_code != 0 || found.stops_job) {
        act_on(found);
    } else {
        warn_of_absence(index);
    }
}

process_end keeper::description_of(std::size_t index, int status) const {
    const auto &process = plan_.processes[index];
    return {static_cast<int>(index), members_[index].pid, status, process.hosted,
            request_.programs[process.program].arguments.front()};
}

void keeper::act_on(const verdict &found) {
    // A plain exit code of a job of one rank speaks for itself.
    const bool say_it = found.alarming || (segment_.ranks() > 1 && !request_.quiet);
    const int exit_code = exit_code_.value_or(found.exit_code); // that of the first that failed
    if (found.stops_job) {
        const auto *const others = alive_ > 0 ? "; the job is stopped" : "";
        stop(exit_code, say_it ? found.sentence + others : std::string{}, SIGTERM, grace_after_failure);
    } else if (!exit_code_) {
        exit_code_ = exit_code;
        if (say_it) {
            say(found.sentence);
        }
    }
}

void keeper::note_loss(const verdict &found) {
    ++lost_;
    if (!request_.quiet) {
        say(found.sentence + (alive_ > 0 ? "; the others go on" : ""));
    }
    if (lost_ == members_.size()) { // nobody is left who could have recovered
        exit_code_ = exit_code_.value_or(found.exit_code);
    }
}

void keeper::warn_of_absence(std::size_t index) {
    const int absent = plan_.processes[index].first_rank;
    if (request_.quiet || warned_of_absence_ || segment_.progress(absent) >= rank_progress::initialized) {
        return;
    }
    for (int rank = 0; rank < segment_.ranks() && !warned_of_absence_; ++rank) {
        warned_of_absence_ = segment_.progress(rank) == rank_progress::initialized;
    }
    if (warned_of_absence_) {
        say(sentence("rank ", absent,
                     " has ended without calling MPI_Init; ranks that wait for it wait forever"));
    }
}

void keeper::look_for_failed_threads() {
    for (std::size_t i = 0; i < members_.size() && !stopping_; ++i) {
        if (!members_[i].alive || !plan_.processes[i].hosted) {
            continue;
        }
        if (const auto found = judge_running(description_of(i, 0), segment_)) {
            act_on(*found);
        }
    }
}

void keeper::on_deadlines() {
    const auto now = clock::now();
    if (timeout_at_ && now >= *timeout_at_) {
        timeout_at_.reset();
        told_to_end_ = true;
        if (!stopping_ && !request_.quiet) {
            say_status("what the ranks of the job wait for at the end of its time");
        }
        const auto limit = static_cast<long>(request_.timeout->count());
        stop(exit_timeout,
             sentence("the job has not ended within ", limit / 1000,
                      limit % 1000 != 0 ? sentence(".", (limit % 1000 + 99) / 100) : std::string{},
                      " s (--timeout); it is stopped"),
             SIGTERM, grace_after_failure);
    }
    if (!stopping_ && now >= look_at_) {
        look_for_stuck_ranks();
    }
    if (kill_at_ && now >= *kill_at_) {
        deliver(SIGKILL);
        kill_at_ = now + std::chrono::seconds{1}; // until all are gone
    }
}

void keeper::look_for_stuck_ranks() {
    const stuck_watch::finding found = waits_.look_for_stuck();
    look_at_ = clock::now() + found.next;
    if (found.report.empty() || segment_.deadlocked()) { // the rank that has found it reports it
        return;
    }
    // Nothing can be done about an error output that takes nothing.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, found.report.data(), found.report.size());
    stop(deadlock_exit_code,
         sentence(found.ranks.size(), " of the ", segment_.ranks(),
                  " ranks can never go on; the job is stopped"),
         SIGTERM, grace_after_failure);
}

void keeper::say_status(const std::string &why) {
    const auto uses_mpi = [this](int rank) { return segment_.progress(rank) >= rank_progress::initialized; };
    if (std::ranges::none_of(std::views::iota(0, segment_.ranks()), uses_mpi)) {
        say("no rank of the job has called MPI_Init");
        return;
    }
    const std::string report = waits_.report(why);
    // Nothing can be done about an error output that takes nothing.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, report.data(), report.size());
}

void keeper::stop(int exit_code, const std::string &why, int signal, std::chrono::milliseconds grace) {
    if (stopping_) {
        return;
    }
    stopping_ = true;
    exit_code_ = exit_code;
    if (!why.empty()) {
        say(why);
    }
    if (signal != 0 && alive_ > 0) {
        deliver(signal);
        deliver(SIGCONT); // a stopped process ends only when it runs
    }
    kill_at_ = clock::now() + grace;
}

void keeper::deliver(int signal) {
    const auto all = descendants();
    for (const auto pid : all) {
        kill(pid, signal);
    }
    if (all.empty()) { // no /proc: at least those that are known
        for (const auto &one : members_) {
            if (one.alive) {
                kill(one.pid, signal);
            }
        }
    }
}

void keeper::clean_up() {
    // Only what the ranks left running, if anything: the ranks themselves are gone.
    if (!end_descendants(stopping_ ? std::chrono::milliseconds{0} : grace_for_leftovers)) {
        say("some processes of the job do not end: the system is busy on their behalf");
    }
    relay_.finish();
    write_out();
    if (const auto failure = relay_.failure(); !failure.empty()) {
        say(failure);
        exit_code_ = exit_code_.value_or(0) != 0 ? exit_code_ : 1;
    }
    if (request_.display.exit_codes) {
        say_exit_codes();
    }
}

void keeper::say_exit_codes() const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const auto &process = plan_.processes[i];
        const int status = members_[i].status;
        if (WIFSIGNALED(status)) {
            say(sentence(ranks_of(process), ": ", signal_name(WTERMSIG(status))));
            continue;
        }
        for (int rank = process.first_rank; rank < process.first_rank + process.ranks; ++rank) {
            const int code = process.hosted ? segment_.exit_status(rank) & 0xff : WEXITSTATUS(status);
            say(sentence("rank ", rank, ": exit code ", code));
        }
    }
}

void keeper::write_out() {
    auto unread = relay_.unread();
    while (unread > 0) {
        if (told_to_end_ && !reader_until_) {
            reader_until_ = clock::now() + spin_policy_with_reader;
        }
        wait_once();
        if (const auto left = relay_.unread(); left != unread) {
            unread = left;
            reader_until_.reset();
        } else if (reader_until_ && clock::now() >= *reader_until_) {
            say(sentence("nobody reads the job's output: its last ", unread, " bytes are lost"));
            return;
        }
    }
}

} // namespace lisle::launch
