// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/input_feed.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace lisle::launch {

input_feed::input_feed(std::vector<int> readers) : readers_{std::move(readers)} {
    if (readers_.empty()) {
        let_go(STDIN_FILENO);
    }
}

bool input_feed::may_read() const {
    // A terminal would stop a launcher in the background that reads from it.
    const bool in_background = isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) != getpgrp();
    return !ended_ && !readers_.empty() && awaited_.empty() && !in_background;
}

void input_feed::prepare(std::vector<pollfd> &polled) const {
    polled.push_back({may_read() ? STDIN_FILENO : -1, POLLIN, 0});
}

void input_feed::handle(const pollfd &polled, branches &to) {
    if (polled.revents == 0) {
        return;
    }
    std::array<char, std::size_t{64} << 10> piece;
    const auto length = read(STDIN_FILENO, piece.data(), piece.size());
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    ended_ = length <= 0;
    for (const int host : readers_) {
        if (ended_) {
            to.send(message::input_ended, host);
        } else {
            to.send(message::input, host, {piece.data(), static_cast<std::size_t>(length)});
        }
    }
    awaited_ = ended_ ? std::vector<int>{} : readers_;
}

void input_feed::on_taken(int host, bool still_reads) {
    std::erase(awaited_, host);
    if (!still_reads && std::erase(readers_, host) != 0 && readers_.empty()) {
        let_go(STDIN_FILENO); // so that the process that writes to it gets SIGPIPE
    }
}

} // namespace lisle::launch
