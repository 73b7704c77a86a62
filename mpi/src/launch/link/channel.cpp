// SPDX-License-Identifier: Apache-2.0
#include "launch/link/channel.hpp"

#include <array>
#include <cstdint>

namespace lisle::launch {

namespace {

struct header {
    static constexpr std::uint32_t lisle = 0x4b73694c;
    std::uint32_t mark = lisle;
    message what{};
    unsigned char unused[3]{};
    std::int32_t host = 0;
    std::uint32_t length = 0;
};

constexpr std::uint32_t longest_message = std::uint32_t{1} << 30;
constexpr std::size_t longest_noise = std::size_t{64} << 10; ///< in front of a greeting
constexpr std::string_view greeting_word = "LISLE-KEEPER ";

void keep_from_blocking(int descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

} // namespace

std::string channel::greeting() {
    return sentence("\n", greeting_word, LISLE_VERSION, "\n");
}

channel::channel(descriptor in, descriptor out, begins how)
    : in_{std::move(in)}, out_{std::move(out)}, met_{how == begins::at_once} {
    keep_from_blocking(in_.get());
    keep_from_blocking(out_.get());
}

void channel::close() noexcept {
    in_.reset();
    out_.reset();
}

void channel::expect_life(std::chrono::seconds silence) noexcept {
    silence_ = silence;
    heard_ = said_ = clock::now();
}

void channel::end(std::string_view why) {
    failure_ = why;
    close();
}

void channel::send(message what, int host, std::string_view body) {
    if (!out_) {
        return;
    }
    header head;
    head.what = what;
    head.host = host;
    head.length = static_cast<std::uint32_t>(body.size());
    unsent_.append(reinterpret_cast<const char *>(&head), sizeof head).append(body);
    said_ = clock::now();
}

void channel::prepare(std::vector<pollfd> &polled) const {
    polled.push_back({in_.get(), POLLIN, 0});
    polled.push_back({has_unsent() ? out_.get() : -1, POLLOUT, 0});
}

channel::clock::time_point channel::next() const {
    if (!open() || !met_ || silence_.count() == 0) {
        return clock::time_point::max();
    }
    return std::min(said_ + longest_pause(), heard_ + silence_);
}

void channel::handle(const pollfd *polled, const taker &take) {
    if (open() && polled[0].revents != 0) {
        receive(take);
    }
    if (out_ && polled[1].revents != 0) {
        transmit();
    }
    if (!open() || !met_ || silence_.count() == 0) {
        return;
    }
    const auto now = clock::now();
    if (now >= heard_ + silence_) {
        end(sentence("it has been silent for ", silence_.count(), " s"));
    } else if (now >= said_ + longest_pause()) {
        send(message::alive, every_host);
    }
}

void channel::receive(const taker &take) {
    std::array<char, std::size_t{64} << 10> piece;
    const auto length = read(in_.get(), piece.data(), piece.size());
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (length <= 0) {
        end(length < 0 ? std::string_view{std::strerror(errno)} : std::string_view{});
        return;
    }
    heard_ = clock::now();
    received_.append(piece.data(), static_cast<std::size_t>(length));
    if (!met_) {
        meet();
    }
    if (met_) {
        take_messages(take);
    }
}

void channel::meet() {
    const auto word = received_.find(greeting_word);
    const auto line_end = word == std::string::npos ? word : received_.find('\n', word);
    if (line_end == std::string::npos) {
        if (received_.size() > longest_noise) {
            end("it says other things than a keeper does");
        }
        return;
    }
    const auto begin = word + greeting_word.size();
    const auto version = received_.substr(begin, line_end - begin);
    if (version != LISLE_VERSION) {
        end(sentence("it has version ", version, " of Lisle, and this is ", LISLE_VERSION));
        return;
    }
    received_.erase(0, line_end + 1);
    met_ = true;
}

void channel::take_messages(const taker &take) {
    std::size_t at = 0;
    while (open() && received_.size() - at >= sizeof(header)) {
        header head;
        std::memcpy(&head, received_.data() + at, sizeof head);
        if (head.mark != header::lisle || head.what > message::ended || head.length > longest_message) {
            end("what it says is no message of Lisle");
            return;
        }
        if (received_.size() - at - sizeof head < head.length) {
            break;
        }
        const std::string_view body{received_.data() + at + sizeof head, head.length};
        at += sizeof head + head.length;
        if (head.what != message::alive) {
            take(head.what, head.host, body);
        }
    }
    received_.erase(0, at);
}

void channel::transmit() {
    const auto some = write(out_.get(), unsent_.data() + sent_, unsent_.size() - sent_);
    if (some > 0) {
        sent_ += static_cast<std::size_t>(some);
    } else if (some < 0 && errno != EAGAIN && errno != EINTR) {
        out_.reset(); // that it reads no more shows at the other descriptor, too, with what it still says
        sent_ = unsent_.size();
    }
    if (sent_ == unsent_.size()) {
        unsent_.clear();
        sent_ = 0;
    } else if (sent_ > (std::size_t{1} << 20)) {
        unsent_.erase(0, sent_);
        sent_ = 0;
    }
}

} // namespace lisle::launch
