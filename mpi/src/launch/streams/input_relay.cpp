// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/input_relay.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace lisle::launch {

descriptor input_relay::add_reader() {
    auto ends = make_pipe();
    fcntl(ends.write.get(), F_SETFL, O_NONBLOCK); // our end only
    readers_.push_back({std::move(ends.write), 0});
    return std::move(ends.read);
}

void input_relay::prepare(std::vector<pollfd> &polled) const {
    if (readers_.empty()) {
        return;
    }
    const bool room = !ended_ && waiting_.size() < most_waiting;
    polled.push_back({room ? STDIN_FILENO : -1, POLLIN, 0});
    for (const auto &to : readers_) {
        // Without work only the end of the reader is of interest, which poll reports unasked.
        polled.push_back({to.pipe.get(), static_cast<short>(to.taken < waiting_.size() ? POLLOUT : 0), 0});
    }
}

void input_relay::handle(const pollfd *polled, std::size_t count) {
    if (count == 0) {
        return;
    }
    if (polled[0].revents != 0) {
        read_some();
    }
    for (std::size_t i = 1; i < count; ++i) {
        auto &to = readers_[i - 1];
        if ((polled[i].revents & POLLERR) != 0) {
            to.pipe.reset(); // its reader is gone
        } else if (polled[i].revents != 0) {
            write_some(to);
        }
    }
    forget_what_all_have();
    if (readers_.empty()) {
        let_go(STDIN_FILENO); // so that the process that writes to it gets SIGPIPE
    }
}

void input_relay::read_some() {
    std::array<char, std::size_t{64} << 10> piece;
    const auto length = read(STDIN_FILENO, piece.data(), piece.size());
    if (length > 0) {
        waiting_.append(piece.data(), static_cast<std::size_t>(length));
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        ended_ = true;
    }
}

void input_relay::write_some(reader &to) const {
    const auto done = write(to.pipe.get(), waiting_.data() + to.taken, waiting_.size() - to.taken);
    if (done > 0) {
        to.taken += static_cast<std::size_t>(done);
    } else if (done < 0 && errno != EAGAIN && errno != EINTR) {
        to.pipe.reset();
    }
}

void input_relay::forget_what_all_have() {
    auto least = waiting_.size();
    for (const auto &to : readers_) {
        least = to.pipe ? std::min(least, to.taken) : least;
    }
    for (auto &to : readers_) {
        to.taken -= std::min(least, to.taken);
    }
    waiting_.erase(0, least);
    std::erase_if(readers_, [&](const reader &to) {
        return !to.pipe || (ended_ && to.taken == waiting_.size()); // closes it: the reader sees the end
    });
}

} // namespace lisle::launch
