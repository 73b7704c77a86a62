// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/part_of_host.hpp"

#include <cstdlib>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "launch/common/say.hpp"
#include "launch/link/host_job.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/signals.hpp"
#include "launch/supervisor/supervisor.hpp"

namespace lisle::launch {

namespace {

void enter(const host_job &job) {
    for (const std::string &setting : job.environment) {
        const auto equals = setting.find('=');
        setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    }
    if (chdir(job.directory.c_str()) != 0) {
        give_up(exit_not_found, "cannot enter the directory ", job.directory, ": ", std::strerror(errno),
                " (--wdir names another)");
    }
}

bool reads_input(const host_job &job, int host) {
    return job.request.input.all ||
           (job.request.input.rank && job.plan.process_of(*job.request.input.rank).host == host);
}

/// Throws launch_error if it cannot be.
host_job job_in(std::string_view body, int host) {
    host_job job;
    unpack(body, job);
    const auto runs_here = [host](const process_plan &each) { return each.host == host; };
    if (std::ranges::none_of(job.plan.processes, runs_here)) {
        give_up(1, "the launcher gives this host nothing to run");
    }
    return job;
}

int supervise(const host_job &job, share_of_host mine, const inherited_state &original) {
    prctl(PR_SET_NAME, supervisor_name);
    try {
        enter(job);
        return supervisor{job.request, job.plan, std::move(mine), original}.run();
    } catch (const launch_error &error) {
        say(error.what());
        return error.exit_code();
    } catch (const std::exception &error) {
        say(error.what());
        return 1;
    }
}

} // namespace

struct part_of_host::ends {
    pid_t pid;
    descriptor link_in, link_out, output, errors, input;
    std::unique_ptr<record_sender> records;
};

namespace {

template <class Ends> Ends start(std::string_view body, int host, const inherited_state &original) {
    auto job = job_in(body, host);
    auto records = job.request.report.folder.empty() ? nullptr : std::make_unique<record_sender>();
    job.request.report.folder = records == nullptr ? std::string{} : records->folder();
    auto output = make_pipe();
    auto errors = make_pipe();
    auto input = make_pipe();
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        give_up(1, "cannot make a pair of sockets: ", std::strerror(errno));
    }
    descriptor ours{sockets[0]};
    descriptor theirs{sockets[1]};
    const pid_t pid = fork();
    if (pid < 0) {
        give_up(1, "cannot start another process: ", std::strerror(errno));
    }
    if (pid == 0) {
        if (reads_input(job, host)) {
            dup2(input.read.get(), STDIN_FILENO);
        }
        dup2(output.write.get(), STDOUT_FILENO);
        dup2(errors.write.get(), STDERR_FILENO);
        // The keeper's ends must be the only ones, or its death would go unnoticed.
        constexpr unsigned first_free = STDERR_FILENO + 1;
        dup2(theirs.release(), first_free);
        close_range(first_free + 1, ~0U, 0);
        fcntl(first_free, F_SETFD, FD_CLOEXEC);
        _exit(supervise(job, {descriptor{first_free}, host, job.id}, original));
    }
    if (!reads_input(job, host)) {
        input.write.reset();
    }
    descriptor other{fcntl(ours.get(), F_DUPFD_CLOEXEC, 3)};
    return {pid,
            std::move(ours),
            std::move(other),
            std::move(output.read),
            std::move(errors.read),
            std::move(input.write),
            std::move(records)};
}

} // namespace

part_of_host::part_of_host(std::string_view job, int host, const inherited_state &original)
    : part_of_host{host, start<ends>(job, host, original)} {}

part_of_host::part_of_host(int host, ends made)
    : host_{host}, pid_{made.pid}, link_{std::move(made.link_in), std::move(made.link_out),
                                         channel::begins::at_once},
      output_{message::output, std::move(made.output)}, errors_{message::errors, std::move(made.errors)},
      input_{std::move(made.input)}, records_{std::move(made.records)} {
    if (input_) {
        fcntl(input_.get(), F_SETFL, O_NONBLOCK);
    }
}

void part_of_host::prepare(std::vector<pollfd> &polled) const {
    output_.prepare(polled);
    errors_.prepare(polled);
    // Without work only the end of the reader is of interest, which poll reports unasked.
    polled.push_back({input_.get(), static_cast<short>(input_waiting_.empty() ? 0 : POLLOUT), 0});
    link_.prepare(polled);
}

void part_of_host::handle(const pollfd *polled, channel &up) {
    output_.handle(polled[0], up, host_);
    errors_.handle(polled[1], up, host_);
    pass_input_on(polled[2], up);
    link_.handle(polled + 3, [&](message what, int, std::string_view body) {
        if (what == message::ended) {
            last_word_ = body;
        } else {
            up.send(what, host_, body);
        }
    });
    say_end_if_over(up);
}

void part_of_host::say_end_if_over(channel &up) {
    if (pid_ == 0 && !link_.open() && !said_end_ && output_.done(true) && errors_.done(true) &&
        has_given_records(up)) {
        say_end(up);
    }
}

// The launcher compares clocks once more before it wants them.
bool part_of_host::has_given_records(channel &up) {
    if (records_ != nullptr && !std::exchange(said_recorded_, true)) {
        up.send(message::recorded, host_);
    }
    return records_ == nullptr || records_->done();
}

void part_of_host::say_end(channel &up) {
    said_end_ = true;
    if (!last_word_.empty()) {
        up.send(message::ended, host_, last_word_);
        return;
    }
    const bool killed = WIFSIGNALED(status_);
    const int code = killed ? exit_by_signal + WTERMSIG(status_) : WEXITSTATUS(status_);
    up.send(message::stopping, host_,
            packed(code,
                   killed ? sentence("the process that keeps its part of the job was ended by ",
                                     signal_name(WTERMSIG(status_)), "; the job is stopped")
                          : std::string{},
                   false));
    up.send(message::ended, host_, packed(code, true));
}

void part_of_host::pass_input_on(const pollfd &polled, channel &up) {
    if (!input_ || polled.revents == 0) {
        return;
    }
    const auto done = input_waiting_.empty()
                          ? ssize_t{-1}
                          : write(input_.get(), input_waiting_.data(), input_waiting_.size());
    if (done < 0 && !input_waiting_.empty() && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (done < 0) { // its reader is gone
        input_.reset();
        input_waiting_.clear();
        up.send(message::taken, host_, packed(std::uint64_t{0}));
        return;
    }
    input_taken_ += static_cast<std::uint64_t>(done);
    input_waiting_.erase(0, static_cast<std::size_t>(done));
    if (input_waiting_.empty()) {
        up.send(message::taken, host_, packed(std::exchange(input_taken_, 0)));
    }
    if (input_waiting_.empty() && input_ends_) {
        input_.reset();
    }
}

void part_of_host::on_message(message what, std::string_view body, channel &up) {
    if (what == message::give_records && records_ != nullptr) {
        records_->begin();
        records_->send_some(up, host_);
        say_end_if_over(up);
    } else if (what == message::record_taken && records_ != nullptr) {
        std::uint64_t bytes = 0;
        unpack(body, bytes);
        records_->note_taken(bytes);
        records_->send_some(up, host_);
        say_end_if_over(up);
    } else if (what == message::input) {
        input_waiting_ += input_ ? body : std::string_view{};
    } else if (what == message::input_ended) {
        input_ends_ = true;
        if (input_waiting_.empty()) {
            input_.reset();
        }
    } else if (what == message::written) {
        std::uint64_t output = 0;
        std::uint64_t errors = 0;
        unpack(body, output, errors);
        output_.note_written(output);
        errors_.note_written(errors);
    } else if (what == message::reader_gone) {
        message which{};
        unpack(body, which);
        (which == message::output ? output_ : errors_).close();
    } else {
        link_.send(what, host_, body);
    }
}

void part_of_host::signal(int number) {
    const char note = static_cast<char>(signal_note{number, false}.byte());
    link_.send(message::signal, host_, {&note, 1});
}

void part_of_host::take_end(pid_t pid, int status) {
    if (pid == pid_) {
        pid_ = 0;
        status_ = status;
        if (WIFSIGNALED(status)) {
            end_descendants(std::chrono::milliseconds{0}); // its children are ours now
        }
    }
}

} // namespace lisle::launch
