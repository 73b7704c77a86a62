// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/branch.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <sys/wait.h>

#include "launch/common/machine.hpp"
#include "launch/hosts/agent.hpp"
#include "launch/plan/plan.hpp"

namespace lisle::launch {

namespace {

// ssh itself gives up after 8 seconds; other agents may be slow, and machines busy.
constexpr std::chrono::seconds longest_start{60};
// An agent whose channel has ended says why when it ends.
constexpr std::chrono::seconds longest_last_words{2};
constexpr std::size_t longest_said = 4096;

descriptor kept_from_blocking(descriptor end) {
    fcntl(end.get(), F_SETFL, O_NONBLOCK);
    return end;
}

} // namespace

std::vector<host_range> branches_of(host_range all, bool flat) {
    std::vector<host_range> parts;
    const int count = flat ? all.count() : std::min(all.count(), most_branches);
    for (int i = 0; i < count; ++i) {
        const auto begin_of = [&](int part) {
            return all.first + static_cast<int>(static_cast<long>(all.count()) * part / count);
        };
        parts.push_back({begin_of(i), begin_of(i + 1)});
    }
    return parts;
}

struct agent_start {
    pid_t pid;
    descriptor from;
    descriptor to;
    descriptor errors;
};

namespace {

agent_start start_agent(const ways_to_hosts &ways, const std::string &host, const inherited_state &original) {
    auto input = make_pipe();
    auto output = make_pipe();
    auto errors = make_pipe();
    process_start start;
    // What runs on this machine needs no agent, nor a password.
    start.arguments = is_this_machine(host) ? std::vector<std::string>{ways.lislerun, "--keeper"}
                                            : words_to_reach(ways.agent, host, ways.lislerun);
    start.path = is_this_machine(host) ? ways.lislerun : find_program(ways.agent.front(), {});
    for (char **each = environ; *each != nullptr; ++each) {
        start.environment.emplace_back(*each);
    }
    start.input = input.read.get();
    start.output = output.write.get();
    start.errors = errors.write.get();
    start.own_session = true; // Ctrl-C is for the launcher, which tells the hosts of it
    const pid_t pid = spawn(start, original);
    return {pid, std::move(output.read), std::move(input.write), std::move(errors.read)};
}

} // namespace

branch::branch(const ways_to_hosts &ways, host_range hosts, const inherited_state &original)
    : branch{ways, hosts, start_agent(ways, ways.names[static_cast<std::size_t>(hosts.first)], original)} {}

branch::branch(const ways_to_hosts &ways, host_range hosts, agent_start started)
    : ways_{ways}, hosts_{hosts}, pid_{started.pid}, link_{std::move(started.from), std::move(started.to),
                                                           channel::begins::with_greeting},
      errors_{kept_from_blocking(std::move(started.errors))}, limit_{clock::now() + longest_start} {}

void branch::prepare(std::vector<pollfd> &polled) const {
    link_.prepare(polled);
    polled.push_back({errors_.get(), POLLIN, 0});
}

void branch::handle(const pollfd *polled, const events &then) {
    if (polled[2].revents != 0) {
        hear_agent();
    }
    if (over_) {
        return;
    }
    link_.handle(polled, then.on_message);
    if (!ready_ && link_.met()) {
        ready_ = true;
        link_.expect_life(std::chrono::seconds{ways_.silence});
        link_.send(message::tree, hosts_.first, packed(ways_, hosts_.first, hosts_.end));
        then.on_ready(*this);
    }
    if (link_.open()) {
        if (!ready_ && clock::now() >= limit_) {
            end(sentence(ways_.agent.front(), " has not begun Lisle there within ", longest_start.count(),
                         " s"),
                then);
        }
        return;
    }
    if (!closing_) {
        closing_ = true;
        limit_ = clock::now() + longest_last_words;
    }
    if (pid_ == 0 || !link_.failure().empty() || clock::now() >= limit_) {
        hear_agent();
        end(why_it_ended(), then);
    }
}

void branch::end(const std::string &why, const events &then) {
    link_.close();
    over_ = true;
    const auto &name = ways_.names[static_cast<std::size_t>(hosts_.first)];
    then.on_end(*this, sentence("host ", name, ready_ ? " is lost: " : " cannot be reached: ", why));
}

std::string branch::why_it_ended() const {
    if (!link_.failure().empty()) {
        return link_.failure();
    }
    if (!ready_) {
        return reason_of(ways_.agent, ways_.lislerun, said_ + link_.unread(), status_);
    }
    return said_.empty()
               ? "its keeper has ended"
               : sentence("its keeper has ended (", ways_.agent.front(), ": ", last_line(said_), ")");
}

void branch::hear_agent() {
    std::array<char, 4096> piece;
    ssize_t length = 0;
    while (errors_ && (length = read(errors_.get(), piece.data(), piece.size())) > 0) {
        said_.append(piece.data(), static_cast<std::size_t>(length));
        said_.erase(0, said_.size() - std::min(said_.size(), longest_said));
    }
    if (length == 0) {
        errors_.reset();
    }
}

branch::clock::time_point branch::next() const {
    if (over_) {
        return clock::time_point::max();
    }
    return ready_ && !closing_ ? link_.next() : limit_;
}

void branch::let_go() {
    over_ = true;
    link_.close(); // the keeper ends with it, if it has not
}

void branch::kill() const {
    if (pid_ != 0 && waitpid(pid_, nullptr, WNOHANG) == 0) { // it is still a child, and its number its own
        ::kill(-pid_, SIGKILL);                              // its session: an agent may be a script
        ::kill(pid_, SIGKILL);
    }
}

bool branch::take_end(pid_t pid, int status) {
    if (pid != pid_) {
        return false;
    }
    pid_ = 0;
    status_ = status;
    return true;
}

} // namespace lisle::launch
