// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/hosts_check.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "base/settings.hpp"
#include "launch/hosts/branches.hpp"
#include "launch/hosts/check_table.hpp"
#include "launch/hosts/hosts_launch.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/signals.hpp"

namespace lisle::launch {

namespace {

class hosts_check {
  public:
    explicit hosts_check(ways_to_hosts ways)
        : ways_{std::move(ways)},
          branches_{
              {[this](message what, int host, std::string_view body) { on_message(what, host, body); },
               [this](branch &met) { branches_.send(message::check, met.hosts().first, packed(start_)); },
               [this](branch &gone, const std::string &why) { on_lost(gone.hosts().first, why); }}} {
        if (getrandom(&start_.token, sizeof start_.token, 0) != sizeof start_.token) {
            give_up(1, "the system gives no random numbers: ", std::strerror(errno));
        }
        found_.names = ways_.names;
        found_.hosts.resize(ways_.names.size());
        waited_for_.resize(ways_.names.size(), true);
    }

    check_result run(const inherited_state &original) {
        branches_.start(ways_, {0, count()}, original);
        wait_for_all();
        for (int host = 0; host != count(); ++host) {
            if (!found_.hosts[static_cast<std::size_t>(host)].all.empty()) {
                waited_for_[static_cast<std::size_t>(host)] = true;
                branches_.send(message::try_paths, host, packed(found_.hosts));
                wait_for_all();
            }
        }
        branches_.let_go();
        const auto limit = branches::clock::now() + std::chrono::seconds{3};
        while (!branches_.done() && branches::clock::now() < limit) {
            wait_once();
        }
        branches_.kill();
        end_descendants(std::chrono::milliseconds{0});
        return std::move(found_);
    }

  private:
    [[nodiscard]] int count() const noexcept { return static_cast<int>(ways_.names.size()); }

    void wait_for_all() {
        while (std::ranges::find(waited_for_, true) != waited_for_.end()) {
            wait_once();
        }
    }

    void wait_once() {
        constexpr int between_looks = 200; // an agent's end shows no other way
        std::vector<pollfd> polled;
        branches_.prepare(polled);
        poll(polled.data(), polled.size(), between_looks);
        int status = 0;
        for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
            branches_.take_end(pid, status);
        }
        branches_.handle(polled.data(), polled.size());
    }

    void on_message(message what, int host, std::string_view body) {
        if (host < 0 || host >= count()) {
            give_up(1, "a host speaks for host ", host, " of ", count());
        }
        if (what == message::addresses) {
            unpack(body, found_.hosts[static_cast<std::size_t>(host)]);
        } else if (what == message::paths) {
            std::vector<tried_path> tried;
            unpack(body, tried);
            std::ranges::copy_if(tried, std::back_inserter(found_.paths), [this](const tried_path &each) {
                return std::min(each.from, each.to) >= 0 && std::max(each.from, each.to) < count();
            });
        } else {
            return;
        }
        waited_for_[static_cast<std::size_t>(host)] = false;
    }

    void on_lost(int host, const std::string &why) {
        found_.not_reached.push_back(why);
        waited_for_[static_cast<std::size_t>(host)] = false;
    }

    ways_to_hosts ways_;
    check_start start_;
    check_result found_;
    std::vector<bool> waited_for_; ///< by host
    branches branches_;
};

/// All hosts, each once.
std::vector<std::string> names_in(const job_request &request) {
    std::vector<std::string> names;
    for (const program_request &program : request.programs) {
        for (const host_slots &each : program.hosts) {
            if (std::ranges::find(names, each.name) == names.end()) {
                names.push_back(each.name);
            }
        }
    }
    return names;
}

} // namespace

int check_hosts(const job_request &request) {
    ways_to_hosts ways = ways_of(request);
    ways.names = names_in(request);
    ways.flat = true; // the launcher is to reach each of them
    if (ways.names.size() < 2) {
        give_up(exit_usage, "--check-hosts tries the ways between hosts: name at least two with --hosts a,b");
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const check_result found = hosts_check{std::move(ways)}.run(take_over_signals(sigset_t{}));
    std::fputs(table_of(found).c_str(), stdout);
    return std::fflush(stdout) == 0 && can_run(found) ? 0 : 1;
}

} // namespace lisle::launch
