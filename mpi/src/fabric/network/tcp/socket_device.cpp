// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/tcp/socket_device.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <sys/epoll.h>
#include <utility>

#include "base/copy_bytes.hpp"
#include "fabric/network/device/choice.hpp"

namespace lisle::fabric::network {

namespace {

/// Each so-many-th time epoll is asked in any case: new connections may have come.
constexpr unsigned looks_between_events = 64;
/// Leaves the lock, and other connections, their turn.
constexpr std::size_t most_sent_at_once = std::size_t{1} << 20;

} // namespace

socket_device::socket_device(const tcp::tcp_interface &on, bool everywhere, const shared_secret &secret)
    : device{{.provider = std::string{own_tcp},
              .interface = on.name,
              .pulse_interface = everywhere ? tcp::any_address() : on.address,
              .own_address = on.address,
              .inject_bytes = 0,
              .most_pieces = most_runs,
              .uses_addresses = true,
              .takes_keys = true,
              .copy_bytes = std::size_t{4} << 20,
              .copies_at_a_time = 3}},
      links_{on, traits().pulse_interface, secret, drops(), {ended_, posted_, requests_, device::lost()}},
      receiver_{links_, {ended_, posted_, requests_, device::lost()}, exposed_} {}

void socket_device::close() noexcept {
    links_.close();
    posted_.close();
    requests_.close();
    exposed_.close();
    ended_.close();
}

std::vector<std::byte> socket_device::address() const {
    const auto *const begin = reinterpret_cast<const std::byte *>(links_.own_address().data());
    return {begin, begin + links_.own_address().size()};
}

peer_number socket_device::add_peer(std::span<const std::byte> address) {
    const tcp::socket_address listens{address};
    return listens.exists() ? links_.find_peer(listens) : no_peer;
}

std::optional<std::uint64_t> socket_device::expose(const void *memory, std::size_t bytes,
                                                   std::uint64_t wanted) noexcept {
    try {
        exposed_.add(wanted, {static_cast<std::byte *>(const_cast<void *>(memory)), bytes});
        return wanted;
    } catch (const std::bad_alloc &) {
        return std::nullopt;
    }
}

// No copy that uses the key is under way, unless its starter has failed: then what there is of it must not
// touch the memory any more.
void socket_device::withdraw(std::uint64_t key) noexcept {
    exposed_.remove(key);
    for (const auto &each : links_.all()) {
        if (each->is_open() && (each->in.is_writing_to(key) || each->out.sends_from(key))) {
            links_.end(*each);
            ended_.call();
        }
    }
}

// ---- sending ----

attempt socket_device::send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                            operation &op) noexcept {
    attempt answer{};
    socket_link *const link = links_.ready(to, op, answer);
    if (link == nullptr) {
        return answer;
    }
    const std::size_t length = bytes.size() + end.size();
    message_header header{message_header::kind::message, static_cast<std::uint32_t>(length), 0, 0, 0};
    // The first one goes at once. A program that sends another one before it looks for an answer sends many.
    const bool follows = std::exchange(link->sent_since, look_) == look_;
    if (follows && op.may_be_held && length <= held_messages::longest && link->out.empty() &&
        link->held.add(header, bytes, end)) {
        holds_any_ = true;
        return attempt::ended;
    }
    std::size_t sent = 0;
    const bool is_first = link->out.empty();
    lay_held(*link);
    if (link->out.empty()) {
        std::array<iovec, 3> runs{iovec{&header, sizeof header}, iovec{bytes.data(), bytes.size()},
                                  iovec{const_cast<std::byte *>(end.data()), end.size()}};
        const ssize_t count = link->socket.send(std::span{runs}.first(end.empty() ? 2 : 3));
        if (count == static_cast<ssize_t>(sizeof header + length)) {
            if (link->socket.has_unsent()) {
                links_.watch(*link, link->watched | EPOLLOUT);
            }
            return attempt::ended;
        }
        sent = count > 0 ? static_cast<std::size_t>(count) : 0; // an error shows again below
    }
    copy_bytes(bytes.data() + bytes.size(), end.data(), end.size());
    link->out.add_message(header, memory_runs{bytes.data(), length}, sent, &op);
    if (is_first) {
        flush(*link);
    }
    return attempt::done;
}

void socket_device::send_held() noexcept {
    if (std::exchange(holds_any_, false)) {
        for (const auto &each : links_.all()) {
            if (!each->held.empty()) {
                flush(*each);
            }
        }
    }
}

void socket_device::lay_held(socket_link &to) noexcept {
    if (!to.held.empty()) {
        const held_messages::batch all = to.held.take();
        to.out.add_batch(all.header, all.rest);
    }
}

socket_link *socket_device::ready_for(std::span<const iovec> runs, peer_number peer, operation &op,
                                      attempt &answer) noexcept {
    answer = attempt::refused;
    socket_link *const link = runs.size() > most_runs ? nullptr : links_.ready(peer, op, answer);
    if (link != nullptr) {
        lay_held(*link); // what was sent before the copy keeps its place
    }
    return link;
}

attempt socket_device::read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                            std::uint64_t key, operation &op) noexcept {
    attempt answer{};
    socket_link *const link = ready_for(into, from, op, answer);
    if (link == nullptr) {
        return answer;
    }
    std::uint64_t number = 0;
    try {
        link->out.make_room();
        number = requests_.add(*link, into, true, op);
    } catch (const std::bad_alloc &) {
        return attempt::full;
    }
    const std::size_t bytes = requests_.find(number, *link)->bytes;
    link->out.add(
        {message_header::kind::read_request, static_cast<std::uint32_t>(bytes), number, address, key});
    if (!link->out.has_wire()) {
        flush(*link);
    }
    return attempt::done;
}

attempt socket_device::write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                             std::uint64_t key, operation &op) noexcept {
    attempt answer{};
    socket_link *const link = ready_for(data, to, op, answer);
    if (link == nullptr) {
        return answer;
    }
    std::uint64_t number = 0;
    try {
        link->out.make_room();
        number = requests_.add(*link, data, false, op);
    } catch (const std::bad_alloc &) {
        return attempt::full;
    }
    const copy_requests::request &made = *requests_.find(number, *link);
    link->out.add_copy({message_header::kind::write_data, 0, number, address, key}, made.own, made.bytes);
    flush(*link);
    return attempt::done;
}

void socket_device::flush(socket_link &to) noexcept {
    lay_held(to);
    for (std::size_t sent = 0; to.is_open() && to.has_to_send() && sent < most_sent_at_once;) {
        std::array<iovec, 64> runs{};
        const send_queue::offer offered = to.out.next(runs);
        const bool has_room = to.socket.flush();
        const ssize_t count = has_room && offered.runs != 0
                                  ? to.socket.send(std::span{runs}.first(offered.runs))
                              : has_room ? 0
                                         : -1;
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno != EAGAIN && errno != ENOBUFS) {
            lost(to);
            return;
        }
        const std::size_t taken = count < 0 ? 0 : static_cast<std::size_t>(count);
        if (to.out.took(offered, taken, ended_)) {
            ended_.call();
        }
        if (taken != 0) {
            note_moved();
        }
        if (!has_room || taken < offered.bytes) {
            break; // the kernel is full
        }
        sent += taken;
    }
    // Also for those who sleep while the caller goes away. That nothing is left to send is only seen in time
    // before somebody sleeps.
    if (to.is_open() && to.has_to_send()) {
        links_.watch(to, to.watched | EPOLLOUT);
    }
}

// The connection takes nothing any more.
void socket_device::lost(socket_link &to) noexcept {
    if (receiver_.receive_from(to)) { // what the peer has said before its end
        note_moved();
    }
    links_.end(to);
    ended_.call();
}

// ---- moving on ----

attempt socket_device::receive(std::span<std::byte> into, operation &op) noexcept {
    posted_.add({into, &op});
    if (posted_.any_waits()) {
        ended_.call();
    }
    return attempt::done;
}

std::size_t socket_device::take_completions(std::span<completion> ended) noexcept {
    ended_.begin_asking();
    progress();
    return ended_.take(ended);
}

void socket_device::receive_from(socket_link &from) noexcept {
    if (receiver_.receive_from(from)) {
        note_moved();
    }
    if (from.is_open() && from.has_to_send()) {
        flush(from);
    }
}

// What has been opened and not taken yet: no event tells of it.
void socket_device::receive_rests() noexcept {
    if (links_.are_sealed()) {
        for (const auto &each : links_.all()) {
            if (each->is_ready() && each->socket.has_rest() && !each->in.paused) {
                receive_from(*each);
            }
        }
    }
}

void socket_device::progress() noexcept {
    ++look_;
    send_held();
    if (posted_.any_waits() && !posted_.empty()) {
        for (const auto &each : links_.all()) {
            if (each->in.paused) {
                receive_from(*each);
            }
        }
    }
    if (links_.are_few() && ++looks_ % looks_between_events != 0) {
        for (const auto &each : links_.all()) {
            if (each->is_ready()) {
                receive_from(*each);
            }
        }
    } else {
        receive_rests();
        std::array<epoll_event, 32> events{};
        const int count = epoll_wait(links_.descriptor(), events.data(), static_cast<int>(events.size()), 0);
        for (int at = 0; at < count; ++at) {
            const epoll_event &event = events[static_cast<std::size_t>(at)];
            socket_link *const ready = links_.happened(event);
            if (ready != nullptr && (event.events & ~std::uint32_t{EPOLLOUT}) != 0) {
                receive_from(*ready);
            } else if (ready != nullptr) {
                flush(*ready);
            }
        }
    }
    links_.reap();
}

bool socket_device::may_wait() noexcept {
    send_held();
    looks_ = looks_between_events - 1; // what wakes the sleeper may be a new connection
    if (!ended_.empty() || (posted_.any_waits() && !posted_.empty())) {
        return false;
    }
    for (const auto &each : links_.all()) {
        if (each->is_ready() && each->socket.has_rest() && !each->in.paused) {
            return false;
        }
        if (each->is_ready()) {
            links_.watch(*each, (each->in.paused ? 0U : std::uint32_t{EPOLLIN}) |
                                    (each->has_to_send() ? std::uint32_t{EPOLLOUT} : 0U));
        }
    }
    return true;
}

} // namespace lisle::fabric::network
