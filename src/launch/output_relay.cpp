// SPDX-License-Identifier: Apache-2.0
#include "launch/output_relay.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace lisle::launch {

output_relay::output_relay() : output_{STDOUT_FILENO}, errors_{STDERR_FILENO} {}

descriptor output_relay::add_source(bool errors, const std::string &prefix) {
    auto ends = make_pipe();
    fcntl(ends.read.get(), F_SETFL, O_NONBLOCK); // our end only: the process's stays as it expects it
    sources_.push_back(
        std::make_unique<source>(std::move(ends.read), errors ? &errors_ : &output_, line_splicer{prefix}));
    return std::move(ends.write);
}

void output_relay::prepare(std::vector<pollfd> &polled) const {
    for (const auto *to : {&output_, &errors_}) {
        polled.push_back({to->has_work() ? to->descriptor() : -1, POLLOUT, 0});
    }
    for (const auto &from : sources_) {
        // A slow reader of ours slows the processes: their pipes fill.
        polled.push_back({from->pipe && !from->to->is_full() ? from->pipe.get() : -1, POLLIN, 0});
    }
}

void output_relay::handle(const pollfd *polled, std::size_t count) {
    std::size_t at = 0;
    for (auto *to : {&output_, &errors_}) {
        if (polled[at++].revents != 0) {
            to->write_some();
        }
    }
    for (const auto &from : sources_) {
        if (at == count) {
            break; // added since
        }
        if (from->to->broken()) {
            from->pipe.reset(); // so that the process gets the SIGPIPE that it would get without us
        } else if (polled[at].revents != 0) {
            read_some(*from);
        }
        ++at;
    }
    std::erase_if(sources_, [](const auto &from) { return !from->pipe; });
}

void output_relay::read_some(source &from) {
    std::array<char, std::size_t{64} * 1024> piece;
    const auto length = read(from.pipe.get(), piece.data(), piece.size());
    if (length > 0) {
        from.lines.feed({piece.data(), static_cast<std::size_t>(length)}, from.to->waiting());
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        end(from);
    }
}

void output_relay::end(source &from) {
    from.lines.finish(from.to->waiting());
    from.pipe.reset();
}

std::size_t output_relay::unread() const {
    return output_.unread() + errors_.unread();
}

void output_relay::finish() {
    for (const auto &from : sources_) {
        std::array<char, std::size_t{64} * 1024> piece;
        ssize_t length = 0;
        // Bounded by what a pipe can hold, since nobody writes any more.
        while ((length = read(from->pipe.get(), piece.data(), piece.size())) > 0) {
            from->lines.feed({piece.data(), static_cast<std::size_t>(length)}, from->to->waiting());
        }
        end(*from);
    }
    sources_.clear();
}

} // namespace lisle::launch
