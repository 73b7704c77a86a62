// SPDX-License-Identifier: Apache-2.0
#include "tcp/sealing.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace lisle::tcp {

namespace {

constexpr std::string_view callers_key = "lisle key of the caller";
constexpr std::string_view listeners_key = "lisle key of the listener";

std::size_t bytes_in(std::span<const iovec> runs) noexcept {
    std::size_t sum = 0;
    for (const iovec &each : runs) {
        sum += each.iov_len;
    }
    return sum;
}

/// Calls `take` for each part of so many bytes of runs. False: one call was.
template <class Take> bool for_parts(std::span<const iovec> runs, std::size_t offset, std::size_t bytes,
                                     const Take &take) noexcept {
    for (const iovec &run : runs) {
        if (offset >= run.iov_len) {
            offset -= run.iov_len;
            continue;
        }
        const std::size_t here = std::min(bytes, run.iov_len - offset);
        if (here != 0 && !take(static_cast<std::byte *>(run.iov_base) + offset, here)) {
            return false;
        }
        offset = 0;
        bytes -= here;
    }
    return true;
}

} // namespace

sealing::sealing(greeting::side is, const greeting &greeted, protection what)
    : hides_{what == protection::encrypt}, sealer_{aead::work::seals,
                                                   greeted.key(is == greeting::side::caller ? callers_key
                                                                                            : listeners_key)},
      opener_{aead::work::opens, greeted.key(is == greeting::side::caller ? listeners_key : callers_key)},
      in_(2 * (most_bytes + overhead)) {
    out_.reserve(most_bytes + overhead);
}

// ---- sending ----

ssize_t sealing::send(int socket, std::span<const iovec> runs) noexcept {
    const std::size_t all = bytes_in(runs);
    std::size_t taken = 0;
    while (taken != all && flush(socket)) {
        const std::size_t here = std::min(most_bytes, all - taken);
        if (!seal(runs, taken, here)) {
            errno = EIO;
            return -1;
        }
        taken += here;
    }
    if (taken == 0) {
        return all == 0 ? 0 : -1;
    }
    static_cast<void>(flush(socket)); // what fails now fails again
    return static_cast<ssize_t>(taken);
}

bool sealing::flush(int socket) noexcept {
    while (has_unsent()) {
        const ssize_t count =
            ::send(socket, out_.data() + sent_, out_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        sent_ += static_cast<std::size_t>(count);
    }
    return true;
}

bool sealing::seal(std::span<const iovec> runs, std::size_t offset, std::size_t bytes) noexcept {
    out_.resize(bytes + overhead); // within what was reserved
    sent_ = 0;
    const auto said = static_cast<length>(bytes);
    std::memcpy(out_.data(), &said, sizeof said);
    std::byte *to = out_.data() + sizeof said;
    const bool sealed = sealer_.begin() && sealer_.add_plain(std::span{out_}.first(sizeof said)) &&
                        for_parts(runs, offset, bytes, [&](const std::byte *from, std::size_t count) {
                            if (!hides_) {
                                std::memcpy(to, from, count);
                            }
                            const bool added = hides_ ? sealer_.add_hidden({from, count}, to)
                                                      : sealer_.add_plain({to, count});
                            to += count;
                            return added;
                        });
    aead::tag made{};
    const bool finished = sealed && sealer_.finish(made);
    std::memcpy(to, made.data(), made.size());
    if (!finished) {
        out_.clear();
    }
    return finished;
}

// ---- receiving ----

sealing::length sealing::next_length() const noexcept {
    length said = 0;
    std::memcpy(&said, in_.data() + begin_, sizeof said);
    return said;
}

bool sealing::has_whole_record() const noexcept {
    const std::size_t there = end_ - begin_;
    // One that is too long is found out by open_next().
    return there >= sizeof(length) && (next_length() > most_bytes || there >= next_length() + overhead);
}

// False: it is not what was sealed.
bool sealing::open_next() noexcept {
    const std::size_t bytes = next_length();
    if (bytes > most_bytes) {
        return false;
    }
    std::byte *const begin = in_.data() + begin_;
    const std::span text{begin + sizeof(length), bytes};
    aead::tag said{};
    std::memcpy(said.data(), text.data() + bytes, said.size());
    const bool opened = opener_.begin() && opener_.add_plain({begin, sizeof(length)}) &&
                        (hides_ ? opener_.add_hidden(text, text.data()) : opener_.add_plain(text)) &&
                        opener_.check(said);
    plain_ = opened ? text : std::span<std::byte>{};
    begin_ += bytes + overhead;
    return opened;
}

// As recv does, behind what is there. @pre all records that are whole have been opened and given out
ssize_t sealing::fill(int socket) noexcept {
    std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const ssize_t count = recv(socket, in_.data() + end_, in_.size() - end_, MSG_DONTWAIT);
    end_ += count > 0 ? static_cast<std::size_t>(count) : 0;
    return count;
}

ssize_t sealing::receive(int socket, std::span<const iovec> runs) noexcept {
    const std::size_t room = bytes_in(runs);
    std::size_t given = 0;
    for (;;) {
        const std::size_t here = std::min(plain_.size(), room - given);
        static_cast<void>(for_parts(runs, given, here, [this](std::byte *to, std::size_t count) {
            std::memcpy(to, plain_.data(), count);
            plain_ = plain_.subspan(count);
            return true;
        }));
        given += here;
        if (given == room) {
            return static_cast<ssize_t>(given);
        }
        if (has_whole_record()) {
            if (!open_next()) {
                errno = EBADMSG;
                return -1;
            }
            continue;
        }
        const ssize_t count = fill(socket);
        if (count <= 0) {
            return given != 0 ? static_cast<ssize_t>(given) : count;
        }
    }
}

} // namespace lisle::tcp
