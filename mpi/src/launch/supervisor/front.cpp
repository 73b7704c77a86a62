// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/front.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/signals.hpp"
#include "launch/supervisor/supervisor.hpp"

namespace lisle::launch {

namespace {

using clock = std::chrono::steady_clock;

// timeout(1) and similar tools send the same signal to the launcher and to its group: that is one request.
constexpr std::chrono::milliseconds same_request{200};

int run_safely(const work_behind_front &work, descriptor notes, const inherited_state &original) {
    // Another name than the launcher's: a user who kills lislerun by name leaves this process to clean up.
    prctl(PR_SET_NAME, supervisor_name);
    try {
        return work(std::move(notes), original);
    } catch (const launch_error &error) {
        say(error.what());
        return error.exit_code();
    } catch (const std::exception &error) {
        say(error.what());
        return 1;
    }
}

// Stops this process as the signal would have if it were not blocked; returns when it is continued.
void stop_here() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    sigprocmask(SIG_BLOCK, &set, nullptr);
}

class front {
  public:
    front(pid_t supervisor, descriptor notes, const sigset_t &handled)
        : supervisor_{supervisor}, notes_{std::move(notes)}, signals_{signal_source(handled)} {}

    int run() {
        while (true) {
            pollfd polled{signals_.get(), POLLIN, 0};
            poll(&polled, 1, -1);
            read_signals();
            // After the signals: that the supervisor ends while they are read shows in the next poll.
            if (const auto code = supervisor_ended()) {
                read_signals(); // ranks may end sooner than we read of Ctrl-C
                return *code == 0 && ended_by_ != 0 ? exit_by_signal + ended_by_ : *code;
            }
        }
    }

  private:
    std::optional<int> supervisor_ended() {
        int status = 0;
        pid_t ended = 0;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended != supervisor_) {
                continue;
            }
            if (WIFEXITED(status)) {
                return WEXITSTATUS(status);
            }
            // Its children are ours now: we are the next subreaper.
            end_descendants(std::chrono::milliseconds{0});
            say(sentence("the process that keeps the job (", supervisor_, ") was ended by ",
                         signal_name(WTERMSIG(status)), "; the job is stopped"));
            return exit_by_signal + WTERMSIG(status);
        }
        return std::nullopt;
    }

    void read_signals() {
        signalfd_siginfo seen;
        while (read(signals_.get(), &seen, sizeof seen) == sizeof seen) {
            on_signal(seen);
        }
    }

    void on_signal(const signalfd_siginfo &seen) {
        const int signal = static_cast<int>(seen.ssi_signo);
        if (signal == SIGCHLD || is_ignored(seen)) {
            return;
        }
        const bool asks_for_status = signal == SIGQUIT && seen.ssi_code != SI_KERNEL;
        if (!asks_for_status &&
            std::find(ending_signals.begin(), ending_signals.end(), signal) != ending_signals.end()) {
            const auto now = clock::now();
            if (last_request_ && now - *last_request_ < same_request) {
                return;
            }
            last_request_ = now;
            ended_by_ = ended_by_ != 0 ? ended_by_ : signal;
        }
        // What the terminal sends goes to the whole foreground group, so to the ranks too.
        const signal_note note{signal, seen.ssi_code == SI_KERNEL};
        const auto byte = note.byte();
        [[maybe_unused]] const auto written = write(notes_.get(), &byte, 1);
        if (signal == SIGTSTP) {
            stop_here();
        }
    }

    pid_t supervisor_;
    descriptor notes_;
    descriptor signals_;
    std::optional<clock::time_point> last_request_;
    int ended_by_ = 0; // the first signal that asked for the end
};

} // namespace

int run_behind_front(const std::vector<int> &forwarded_signals, const work_behind_front &work) {
    const auto handled = handled_signals(forwarded_signals);
    const auto original = take_over_signals(handled);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    auto notes = make_pipe();
    const pid_t supervisor = fork();
    if (supervisor < 0) {
        give_up(1, "cannot start another process: ", std::strerror(errno));
    }
    if (supervisor == 0) {
        notes.write.reset(); // the front's end must be the only one, or its death would go unnoticed
        _exit(run_safely(work, std::move(notes.read), original));
    }
    notes.read.reset();
    let_go(STDIN_FILENO);
    let_go(STDOUT_FILENO);
    return front{supervisor, std::move(notes.write), handled}.run();
}

int run_job(const job_request &request, const job_plan &plan) {
    return run_behind_front(request.control.forwarded_signals,
                            [&](descriptor notes, const inherited_state &original) {
                                return supervisor{request, plan, std::move(notes), original}.run();
                            });
}

} // namespace lisle::launch
