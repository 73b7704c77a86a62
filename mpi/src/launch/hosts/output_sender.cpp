// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/output_sender.hpp"

#include <array>

namespace lisle::launch {

output_sender::output_sender(message what, descriptor pipe) : what_{what}, pipe_{std::move(pipe)} {
    fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
}

void output_sender::prepare(std::vector<pollfd> &polled) const {
    polled.push_back({on_the_way_ < most_on_the_way ? pipe_.get() : -1, POLLIN, 0});
}

void output_sender::handle(const pollfd &polled, channel &to, int host) {
    if (polled.revents == 0 || !pipe_) {
        return;
    }
    std::array<char, std::size_t{64} << 10> piece;
    const auto length = read(pipe_.get(), piece.data(), piece.size());
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    held_.append(piece.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    // Lines of different hosts do not mix unless they are longer than that.
    const bool more = length == static_cast<ssize_t>(piece.size());
    const auto last_end = more ? held_.rfind('\n') : std::string::npos;
    const auto whole = last_end == std::string::npos ? held_.size() : last_end + 1;
    if (whole != 0) {
        to.send(what_, host, std::string_view{held_}.substr(0, whole));
        on_the_way_ += whole;
        held_.erase(0, whole);
    }
    if (length <= 0) {
        pipe_.reset();
    }
}

bool output_sender::done(bool writers_gone) const {
    if (!pipe_) {
        return true;
    }
    pollfd left{pipe_.get(), POLLIN, 0};
    return writers_gone && held_.empty() && poll(&left, 1, 0) == 0;
}

} // namespace lisle::launch
