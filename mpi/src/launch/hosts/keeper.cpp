// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/keeper.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "launch/common/say.hpp"
#include "launch/hosts/branches.hpp"
#include "launch/hosts/check_of_host.hpp"
#include "launch/hosts/clock_comparison.hpp"
#include "launch/hosts/output_sender.hpp"
#include "launch/hosts/part_of_host.hpp"
#include "launch/link/host_job.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/signals.hpp"

namespace lisle::launch {

namespace {

// How long what is left may take to end by itself when the launcher has gone.
constexpr std::chrono::seconds longest_end_without_launcher{5};
constexpr std::chrono::seconds longest_wait_for_launcher{60};
constexpr std::string_view input_is_missing =
    "the launcher is not heard: does the agent pass its input on (kubectl exec -i)?";

class keeper {
  public:
    keeper(channel up, const inherited_state &original)
        : up_{std::move(up)}, original_{original}, signals_{signal_source(handled_signals({}))},
          branches_{{[this](message what, int host, std::string_view body) { up_.send(what, host, body); },
                     [this](branch &met) { up_.send(message::ready, met.hosts().first); },
                     [this](branch &gone, const std::string &why) {
                         up_.send(message::lost, gone.hosts().first,
                                  packed(gone.hosts().first, gone.hosts().end, why));
                     }}} {}

    int run() {
        const auto limit = clock::now() + longest_wait_for_launcher;
        while (up_.open()) {
            wait_once();
            if (here_ < 0 && clock::now() >= limit) {
                give_up(1, input_is_missing);
            }
        }
        end_all();
        return 0;
    }

  private:
    using clock = channel::clock;

    void wait_once() {
        std::vector<pollfd> polled{{signals_.get(), POLLIN, 0}};
        up_.prepare(polled);
        const auto of_part = polled.size();
        if (part_) {
            part_->prepare(polled);
        }
        const auto of_branches = polled.size();
        branches_.prepare(polled);
        const auto of_check = polled.size();
        if (check_) {
            check_->prepare(polled);
        }
        const auto next = std::min({up_.next(), branches_.next(), clock::now() + std::chrono::seconds{1}});
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
        if (poll(polled.data(), polled.size(), static_cast<int>(std::max<long>(left, 0))) < 0 &&
            errno != EINTR) {
            give_up(1, "cannot wait for the launcher: ", std::strerror(errno));
        }
        if (polled[0].revents != 0) {
            read_signals();
        }
        if (of_part != of_branches) { // it was there when this was prepared
            part_->handle(polled.data() + of_part, up_);
        }
        branches_.handle(polled.data() + of_branches, of_check - of_branches);
        if (of_check != polled.size()) {
            if (const std::string found = check_->handle(polled[of_check]); !found.empty()) {
                up_.send(message::paths, here_, found);
            }
        }
        up_.handle(polled.data() + 1,
                   [this](message what, int host, std::string_view body) { on_message(what, host, body); });
    }

    void on_message(message what, int host, std::string_view body) {
        if (what == message::tree) {
            settle(body);
            return;
        }
        if (host == every_host || host != here_) {
            branches_.send(what, host, body);
        }
        if (host != every_host && host != here_) {
            return;
        }
        if (what == message::job && !part_) {
            begin(body);
        } else if (what == message::check && !check_) {
            check_start start;
            unpack(body, start);
            check_.emplace(start);
            up_.send(message::addresses, here_, packed(check_->own()));
        } else if (what == message::try_paths && check_) {
            std::vector<host_addresses> hosts;
            unpack(body, hosts);
            check_->try_all(here_, hosts);
        } else if (what == message::ask_time) {
            up_.send(message::time, here_, clock_comparison::answer_to(body));
        } else if (part_) {
            part_->on_message(what, body, up_);
        }
    }

    /// Learns which host this is, and reaches those behind it.
    void settle(std::string_view body) {
        host_range own{};
        unpack(body, ways_, own.first, own.end);
        if (here_ >= 0 || own.first < 0 || own.end > static_cast<int>(ways_.names.size()) ||
            own.count() < 1) {
            give_up(1, "the launcher speaks of hosts that cannot be");
        }
        here_ = own.first;
        up_.expect_life(std::chrono::seconds{ways_.silence});
        say_as("lislerun on " + ways_.names[static_cast<std::size_t>(here_)]);
        branches_.start(ways_, {own.first + 1, own.end}, original_);
    }

    void begin(std::string_view body) {
        try {
            part_ = std::make_unique<part_of_host>(body, here_, original_);
        } catch (const launch_error &error) {
            up_.send(message::stopping, here_, packed(error.exit_code(), std::string{error.what()}, false));
            up_.send(message::ended, here_, packed(error.exit_code(), true));
        }
    }

    void read_signals() {
        signalfd_siginfo seen;
        while (read(signals_.get(), &seen, sizeof seen) == sizeof seen) {
            const int signal = static_cast<int>(seen.ssi_signo);
            if (signal == SIGCHLD) {
                reap();
            } else if (is_ignored(seen)) {
                continue;
            } else if (part_) {
                part_->signal(signal);
            } else if (std::ranges::find(ending_signals, signal) != ending_signals.end()) {
                up_.close();
            }
        }
    }

    void reap() {
        int status = 0;
        pid_t pid = 0;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            if (!branches_.take_end(pid, status) && part_) {
                part_->take_end(pid, status);
            }
        }
    }

    void end_all() {
        branches_.let_go();
        if (part_) {
            part_->let_go(); // its supervisor ends all of its ranks, and then itself
        }
        const auto limit = clock::now() + longest_end_without_launcher;
        while ((!branches_.done() || (part_ && part_->runs())) && clock::now() < limit) {
            pollfd polled{signals_.get(), POLLIN, 0};
            poll(&polled, 1, 100);
            read_signals();
        }
        branches_.kill();
        end_descendants(std::chrono::milliseconds{0});
    }

    channel up_;
    const inherited_state &original_;
    descriptor signals_;
    ways_to_hosts ways_;
    int here_ = -1; ///< this host's number
    branches branches_;
    std::unique_ptr<part_of_host> part_;
    std::optional<check_of_host> check_;
};

/// The standard input and output are the launcher's channel: nothing else is to read or write there.
channel take_over_standard_streams() {
    descriptor in{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
    descriptor out{fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    const auto word = channel::greeting();
    pollfd heard{in.get(), POLLIN, 0};
    char byte = 0;
    if (poll(&heard, 1, 0) == 1 &&
        read(in.get(), &byte, 1) == 0) { // the launcher speaks only when it is greeted
        give_up(1, input_is_missing);
    }
    if (!in || !out || write(out.get(), word.data(), word.size()) != static_cast<ssize_t>(word.size())) {
        give_up(1, "--keeper is for lislerun to call on another host");
    }
    let_go(STDIN_FILENO);
    let_go(STDOUT_FILENO);
    return {std::move(in), std::move(out), channel::begins::at_once};
}

} // namespace

int keep_host() {
    const auto original = take_over_signals(handled_signals({}));
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return keeper{take_over_standard_streams(), original}.run();
}

} // namespace lisle::launch
