// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/conductor.hpp"

#include <algorithm>
#include <csignal>
#include <numeric>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "launch/common/say.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/verdict.hpp"

namespace lisle::launch {

namespace {

// How long hosts may take to end their parts, which they do themselves within three seconds.
constexpr std::chrono::seconds longest_end{15};
// How long agents may take to end when nothing is left on their hosts.
constexpr std::chrono::seconds longest_farewell{3};
// Other hosts that are not reached either are said in the same go.
constexpr std::chrono::milliseconds for_more_failures{500};
// A rank may notice that another has failed before that one's host has said so.
constexpr std::chrono::milliseconds for_causes{1000};
// How long a reader that takes nothing may hold up a job that was told to end.
constexpr std::chrono::milliseconds longest_wait_for_reader{1000};

std::vector<int> readers_of(const host_job &job, int hosts) {
    const auto &input = job.request.input;
    if (input.all) {
        std::vector<int> all(static_cast<std::size_t>(hosts));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    return input.rank ? std::vector{job.plan.process_of(*input.rank).host} : std::vector<int>{};
}

} // namespace

conductor::conductor(const job_request &request, const ways_to_hosts &ways, const host_job &job,
                     descriptor notes, const inherited_state &original)
    : request_{request}, ways_{ways}, job_{job}, notes_{std::move(notes)}, ends_{signal_source(sigset_t{})},
      branches_{{[this](message what, int host, std::string_view body) { on_message(what, host, body); },
                 [this](branch &met) { on_ready(met.hosts().first); },
                 [this](branch &gone, const std::string &why) { on_lost(gone.hosts(), why); }}},
      hosts_(ways.names.size()), input_{readers_of(job, static_cast<int>(ways.names.size()))},
      waits_{ways.names.size(), job.plan.ranks()}, records_{
                                                       request.report.folder, ways.names.size(),
                                                       [this](message what, int host, std::string_view body) {
                                                           branches_.send(what, host, body);
                                                       }} {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fcntl(notes_.get(), F_SETFL, O_NONBLOCK);
    if (request.control.timeout) {
        timeout_at_ = clock::now() + *request.control.timeout;
    }
    branches_.start(ways, {0, static_cast<int>(ways.names.size())}, original);
}

int conductor::run() {
    while (!all_ended()) {
        wait_once();
    }
    say_held();
    write_out();
    branches_.let_go();
    for (const auto limit = clock::now() + longest_farewell; !branches_.done() && clock::now() < limit;) {
        wait_once(limit);
    }
    branches_.kill();
    end_descendants(std::chrono::milliseconds{0});
    return exit_code();
}

bool conductor::all_ended() const {
    return std::ranges::all_of(hosts_, &host_state::ended);
}

std::string_view conductor::name_of(int host) const {
    return ways_.names[static_cast<std::size_t>(host)];
}

int conductor::exit_code() const {
    const auto survived = [](const host_state &each) { return !each.all_lost; };
    const bool recovered =
        request_.control.recovery && !end_.begun() && std::ranges::any_of(hosts_, survived);
    return recovered ? survivors_code_ : end_.exit_code();
}

void conductor::wait_once(clock::time_point until) {
    std::vector<pollfd> polled{{notes_.get(), POLLIN, 0},
                               {ends_.get(), POLLIN, 0},
                               {output_.has_work() ? STDOUT_FILENO : -1, POLLOUT, 0},
                               {errors_.has_work() ? STDERR_FILENO : -1, POLLOUT, 0}};
    input_.prepare(polled);
    const auto own = polled.size();
    branches_.prepare(polled);
    auto next = std::min({until, branches_.next(), clock::now() + std::chrono::seconds{1}});
    for (const auto &each :
         {timeout_at_, end_.kill_at(), waits_.until(), held_ ? std::optional{held_until_} : std::nullopt}) {
        next = each ? std::min(next, *each) : next;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    if (poll(polled.data(), polled.size(), static_cast<int>(std::max<long>(left, 0))) < 0 && errno != EINTR) {
        give_up(1, "cannot wait for the hosts: ", std::strerror(errno));
    }
    if (polled[0].revents != 0) {
        read_notes();
    }
    if (polled[1].revents != 0) {
        reap();
    }
    if (polled[2].revents != 0) {
        output_.write_some();
    }
    if (polled[3].revents != 0) {
        errors_.write_some();
    }
    if (begun_) {
        input_.handle(polled[4], branches_);
    }
    branches_.handle(polled.data() + own, polled.size() - own);
    tell_what_is_written();
    on_deadlines();
}

void conductor::read_notes() {
    unsigned char byte = 0;
    ssize_t length = 0;
    while ((length = read(notes_.get(), &byte, 1)) == 1) {
        on_signal(signal_note{byte});
    }
    if (length == 0) {
        // The front has been killed: the agents end, and with them the hosts' parts.
        branches_.let_go();
        branches_.kill();
        _exit(exit_by_signal + SIGKILL);
    }
}

void conductor::reap() {
    signalfd_siginfo seen;
    while (read(ends_.get(), &seen, sizeof seen) > 0) {
        // one signal may stand for many ends
    }
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        branches_.take_end(pid, status);
    }
}

void conductor::on_signal(signal_note note) {
    const int signal = note.signal();
    if (signal == SIGQUIT && !note.ranks_have_it()) {
        ask_waits("what the ranks of the job wait for");
        return;
    }
    const bool ends = std::ranges::find(ending_signals, signal) != ending_signals.end();
    if (ends) {
        end_.note_told();
        begin_end(exit_by_signal + signal, request_.messages.quiet
                                               ? std::string{}
                                               : sentence(signal_name(signal), ": the job is stopped"));
    }
    // A terminal's signals do not reach other hosts by themselves. SIGQUIT would ask for their waits.
    const signal_note passed{ends && signal == SIGQUIT ? SIGTERM : signal, false};
    const char byte = static_cast<char>(passed.byte());
    branches_.send(message::signal, every_host, {&byte, 1});
}

void conductor::on_deadlines() {
    const auto now = clock::now();
    if (timeout_at_ && now >= *timeout_at_) {
        on_timeout();
    }
    waits_.finish_if_due(now, [this](int host) { return name_of(host); });
    if (time_is_over_ && !waits_.under_way()) {
        time_is_over_ = false;
        stop(exit_timeout, sentence(time_is_over(*request_.control.timeout), "; it is stopped"));
    }
    if (held_ && now >= held_until_) {
        say_held();
    }
    if (end_.kills_now(now)) {
        for (int host = 0; host < static_cast<int>(hosts_.size()); ++host) {
            auto &state = hosts_[static_cast<std::size_t>(host)];
            if (!state.ended && begun_) {
                say(sentence("host ", name_of(host), " does not end its part of the job"));
            }
            state.ended = true;
        }
    }
}

void conductor::on_timeout() {
    timeout_at_.reset();
    end_.note_told();
    time_is_over_ = true;
    if (!end_.begun() && !request_.messages.quiet) {
        ask_waits("what the ranks of the job wait for at the end of its time");
    }
}

void conductor::ask_waits(const std::string &why) {
    if (!begun_ || waits_.under_way()) {
        return;
    }
    waits_.begin(why);
    for (int host = 0; host < static_cast<int>(hosts_.size()); ++host) {
        if (hosts_[static_cast<std::size_t>(host)].ended) {
            waits_.on_lost(host);
        }
    }
    branches_.send(message::ask_waits, every_host);
}

void conductor::stop(int exit_code, const std::string &why) {
    if (begin_end(exit_code, why)) {
        branches_.send(message::stop, every_host);
    }
}

bool conductor::begin_end(int exit_code, const std::string &why) {
    if (end_.begun()) {
        return false;
    }
    if (!why.empty()) {
        say(why);
    }
    end_.begin(exit_code, longest_end);
    if (!begun_) {
        end_.hurry(); // nothing runs anywhere
    }
    return begun_;
}

void conductor::on_message(message what, int host, std::string_view body) {
    if (host < 0 || host >= static_cast<int>(hosts_.size())) {
        give_up(1, "a host speaks for host ", host, " of ", hosts_.size());
    }
    if (what == message::ready) {
        on_ready(host);
    } else if (what == message::output || what == message::errors) {
        on_output(what, host, body);
    } else if (what == message::gathered) {
        on_gathered(host, body);
    } else if (what == message::taken) {
        std::uint64_t bytes = 0;
        unpack(body, bytes);
        input_.on_taken(host, bytes != 0);
    } else if (what == message::time) {
        records_.on_time(host, body);
        give_parts_if_all_are_ready();
    } else if (what == message::recorded) {
        records_.on_recorded(host);
    } else if (what == message::record) {
        records_.on_record(host, body);
    } else if (what == message::waits) {
        waits_.on_answer(host, body);
    } else if (what == message::stopping) {
        on_stopping(host, body);
    } else if (what == message::ended) {
        on_ended(host, body);
    } else if (what == message::lost) {
        host_range hosts{};
        std::string why;
        unpack(body, hosts.first, hosts.end, why);
        on_lost(hosts, why);
    }
}

void conductor::on_stopping(int host, std::string_view body) {
    verdict_of_host found;
    unpack(body, found.exit_code, found.why, found.consequence);
    found.why = found.why.empty() ? found.why : sentence("host ", name_of(host), ": ", found.why);
    hosts_[static_cast<std::size_t>(host)].consequence = found.consequence;
    if (!held_ && found.consequence) {
        held_ = std::move(found);
        held_until_ = clock::now() + for_causes;
        branches_.send(message::stop, every_host);
    } else if (!found.consequence) {
        held_.reset();
        end_.offer_exit_code(found.exit_code);
        stop(end_.exit_code(), found.why);
    }
}

void conductor::say_held() {
    if (held_) {
        const auto found = *std::exchange(held_, std::nullopt);
        stop(found.exit_code, found.why);
    }
}

void conductor::on_ready(int host) {
    hosts_[static_cast<std::size_t>(host)].ready = true;
    if (records_.wanted()) {
        records_.on_ready(host);
    }
    give_parts_if_all_are_ready();
}

void conductor::give_parts_if_all_are_ready() {
    if (!begun_ && !end_.begun() && std::ranges::all_of(hosts_, &host_state::ready) &&
        (!records_.wanted() || records_.knows_clocks())) {
        begun_ = true;
        branches_.send(message::job, every_host, packed(job_));
    }
}

void conductor::on_output(message what, int host, std::string_view body) {
    auto &state = hosts_[static_cast<std::size_t>(host)];
    (what == message::output ? output_ : errors_).waiting() += body;
    (what == message::output ? state.output : state.errors) += body.size();
}

void conductor::tell_what_is_written() {
    for (auto *const each : {&output_, &errors_}) {
        auto &told = each == &output_ ? told_of_output_ : told_of_errors_;
        if (each->broken() && !std::exchange(told, true)) {
            branches_.send(message::reader_gone, every_host,
                           packed(each == &output_ ? message::output : message::errors));
        }
    }
    for (int host = 0; host < static_cast<int>(hosts_.size()); ++host) {
        auto &state = hosts_[static_cast<std::size_t>(host)];
        const auto output = output_.is_full() ? 0 : std::exchange(state.output, 0);
        const auto errors = errors_.is_full() ? 0 : std::exchange(state.errors, 0);
        if (output + errors != 0) {
            branches_.send(message::written, host, packed(output, errors));
        }
    }
}

void conductor::on_gathered(int host, std::string_view body) {
    hosts_[static_cast<std::size_t>(host)].gathered = true;
    notices_ += body;
    open_fence_if_all_came();
}

void conductor::open_fence_if_all_came() {
    const auto waits = [](const host_state &each) { return each.gathered; };
    const auto has_gone = [](const host_state &each) { return each.ended; };
    if (std::ranges::all_of(hosts_, waits)) {
        branches_.send(message::opened, every_host, notices_);
        notices_.clear();
        std::ranges::for_each(hosts_, [](host_state &each) { each.gathered = false; });
    } else if (std::ranges::any_of(hosts_, waits) && std::ranges::any_of(hosts_, has_gone)) {
        const auto gone = std::ranges::find_if(hosts_, has_gone);
        stop(1,
             sentence("the ranks of host ", name_of(static_cast<int>(gone - hosts_.begin())),
                      " have ended before all ranks had begun MPI, and the others wait for them; the job is "
                      "stopped"));
    }
}

void conductor::on_ended(int host, std::string_view body) {
    auto &state = hosts_[static_cast<std::size_t>(host)];
    int code = 0;
    unpack(body, code, state.all_lost);
    state.ended = true;
    input_.on_lost(host);
    waits_.on_lost(host);
    if (!state.all_lost && survivors_code_ == 0) {
        survivors_code_ = code;
    }
    if (!state.consequence) { // else the exit code is the cause's, or that of what is held
        end_.offer_exit_code(code);
    }
    open_fence_if_all_came();
}

void conductor::on_lost(host_range hosts, const std::string &why) {
    bool news = false;
    for (int host = hosts.first; host < hosts.end; ++host) {
        auto &state = hosts_[static_cast<std::size_t>(host)];
        news = news || !state.ended;
        state.all_lost = state.all_lost || !state.ended;
        state.ended = true;
        input_.on_lost(host);
        waits_.on_lost(host);
    }
    if (!news) {
        return; // its part has ended
    }
    if (!begun_) {
        if (!end_.begun()) {
            end_.begin(1, for_more_failures);
        }
        say(why);
    } else if (request_.control.recovery && !end_.begun()) {
        end_.offer_exit_code(1);
        say(why + "; the others go on");
        open_fence_if_all_came();
    } else {
        stop(1, why + "; the job is stopped");
    }
}

void conductor::write_out() {
    constexpr auto no_limit = clock::time_point::max();
    auto until = no_limit;
    for (auto unread = output_.unread() + errors_.unread(); unread > 0;) {
        if (end_.told() && until == no_limit) {
            until = clock::now() + longest_wait_for_reader;
        }
        wait_once(until);
        if (const auto left = output_.unread() + errors_.unread(); left != unread) {
            unread = left;
            until = no_limit;
        } else if (clock::now() >= until) {
            say(sentence("nobody reads the job's output: its last ", unread, " bytes are lost"));
            return;
        }
    }
    for (const auto *const each : {&output_, &errors_}) {
        if (const auto failure = each->failure(); !failure.empty()) {
            say(failure);
            end_.offer_exit_code(1);
        }
    }
}

} // namespace lisle::launch
