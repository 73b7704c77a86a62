// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/host_share.hpp"

#include "launch/link/wire.hpp"

namespace lisle::launch {

namespace {

channel channel_on(descriptor socket) {
    descriptor other{fcntl(socket.get(), F_DUPFD_CLOEXEC, 3)};
    if (!other) {
        give_up(1, "cannot speak with the keeper of this host: ", std::strerror(errno));
    }
    return {std::move(socket), std::move(other), channel::begins::at_once};
}

} // namespace

std::vector<int> processes_on(const job_plan &plan, int host) {
    std::vector<int> found;
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        if (plan.processes[i].host == host) {
            found.push_back(static_cast<int>(i));
        }
    }
    return found;
}

host_share::host_share(share_of_host mine, job_table &table, const job_plan &plan)
    : host_{mine.host}, link_{channel_on(std::move(mine.link))}, fence_{table,
                                                                        processes_on(plan, mine.host)} {}

void host_share::say_stopping(int exit_code, const std::string &why, bool consequence) {
    link_.send(message::stopping, host_, packed(exit_code, why, consequence));
}

void host_share::say_waits(const std::vector<known_wait> &waits) {
    link_.send(message::waits, host_, told(waits));
}

void host_share::say_ended(int exit_code, bool all_lost) {
    link_.send(message::ended, host_, packed(exit_code, all_lost));
    while (link_.open() && link_.has_unsent()) {
        std::vector<pollfd> polled;
        link_.prepare(polled);
        polled[0].fd = -1; // what the launcher says has no meaning any more
        poll(polled.data(), polled.size(), -1);
        link_.handle(polled.data(), [](message, int, std::string_view) {});
    }
}

void host_share::prepare(std::vector<pollfd> &polled) const {
    link_.prepare(polled);
    polled.push_back({fence_.news(), POLLIN, 0});
}

void host_share::handle(const pollfd *polled, const orders &then) {
    link_.handle(polled, [&](message what, int, std::string_view body) {
        if (what == message::signal && !body.empty()) {
            then.on_signal(signal_note{static_cast<unsigned char>(body.front())});
        } else if (what == message::stop) {
            then.on_stop();
        } else if (what == message::ask_waits) {
            then.on_question();
        } else if (what == message::opened) {
            fence_.open(body);
        }
    });
    if (!link_.open()) {
        then.on_silence();
    }
    if (polled[2].revents != 0) {
        if (fence_.take_news()) {
            link_.send(message::gathered, host_, fence_.take_notices());
        }
        then.on_news();
    }
}

} // namespace lisle::launch
