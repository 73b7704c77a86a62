// SPDX-License-Identifier: Apache-2.0
// What leaves by our own device over TCP. The kernel takes bytes in one order for each connection; what has
// been laid on the wire keeps its place, and before each further part of a copy go all messages that wait.
// So parts are short, and only one is on the wire, but where the kernel takes all that it is offered: there a
// long part is soon gone, and a call of the kernel for each 2 MiB instead of 256 KiB saves a seventh of the
// time.
#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/copy_bytes.hpp"
#include "fabric/network/tcp/socket_device.hpp"

namespace lisle::fabric::network {

namespace {

/// Leaves the lock, and other connections, their turn.
constexpr std::size_t most_sent_at_once = std::size_t{1} << 20;

ssize_t send_runs(int socket, std::span<iovec> runs) noexcept {
    msghdr message{};
    message.msg_iov = runs.data();
    message.msg_iovlen = runs.size();
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

} // namespace

attempt socket_device::send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                            operation &op) noexcept {
    attempt answer{};
    socket_link *const link = ready_link(to, op, answer);
    if (link == nullptr) {
        return answer;
    }
    const std::size_t length = bytes.size() + end.size();
    message_header header{message_header::kind::message, static_cast<std::uint32_t>(length), 0, 0, 0};
    std::size_t sent = 0;
    if (!link->has_to_send()) {
        std::array<iovec, 3> runs{iovec{&header, sizeof header}, iovec{bytes.data(), bytes.size()},
                                  iovec{const_cast<std::byte *>(end.data()), end.size()}};
        const ssize_t count = send_runs(link->socket, std::span{runs}.first(end.empty() ? 2 : 3));
        if (count == static_cast<ssize_t>(sizeof header + length)) {
            return attempt::ended;
        }
        sent = count > 0 ? static_cast<std::size_t>(count) : 0; // an error shows again below
    }
    copy_bytes(bytes.data() + bytes.size(), end.data(), end.size());
    link->messages.push_back(
        {header, memory_runs{bytes.data(), length}, sizeof header + length, sent, &op, 0});
    if (link->messages.size() == 1 && link->wire.empty()) {
        flush(*link);
    }
    return attempt::done;
}

socket_link *socket_device::ready_link_for(std::span<const iovec> runs, peer_number peer, operation &op,
                                           attempt &answer) noexcept {
    if (runs.size() > most_runs) {
        answer = attempt::refused;
        return nullptr;
    }
    return ready_link(peer, op, answer);
}

attempt socket_device::read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                            std::uint64_t key, operation &op) noexcept {
    attempt answer{};
    socket_link *const link = ready_link_for(into, from, op, answer);
    if (link == nullptr) {
        return answer;
    }
    const std::uint64_t number = add_request(*link, into, true, op);
    ++link->reads;
    queue(*link, {message_header::kind::read_request,
                  static_cast<std::uint32_t>(find_request(number, *link)->bytes), number, address, key});
    return attempt::done;
}

attempt socket_device::write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                             std::uint64_t key, operation &op) noexcept {
    attempt answer{};
    socket_link *const link = ready_link_for(data, to, op, answer);
    if (link == nullptr) {
        return answer;
    }
    const std::uint64_t number = add_request(*link, data, false, op);
    const request &made = *find_request(number, *link);
    link->bulks.push_back(
        {{message_header::kind::write_data, 0, number, address, key}, made.own, made.bytes, 0});
    flush(*link);
    return attempt::done;
}

void socket_device::queue(socket_link &to, message_header header) {
    to.messages.push_back({header, {}, sizeof header, 0, nullptr, 0});
    if (to.wire.empty() && !to.receiving) {
        flush(to);
    }
}

void socket_device::fill_wire(socket_link &to) {
    const auto lay = [&to](const socket_link::outgoing &next) {
        to.wire_bytes += next.bytes - next.sent;
        to.wire.push_back(next);
    };
    while (to.wire_bytes < to.part && !(to.messages.empty() && to.bulks.empty())) {
        if (!to.messages.empty()) {
            lay(to.messages.front());
            to.messages.pop_front();
            continue;
        }
        socket_link::bulk &whole = to.bulks.front();
        message_header &header = whole.header;
        const std::size_t bytes = std::min(to.part, whole.bytes - whole.sent);
        const bool last = whole.sent + bytes == whole.bytes;
        const bool reads = header.what == message_header::kind::read_data;
        header.bytes = static_cast<std::uint32_t>(bytes);
        header.what = reads  ? header.what
                      : last ? message_header::kind::write_last
                             : message_header::kind::write_data;
        lay({header, whole.payload.part(whole.sent, bytes), sizeof header + bytes, 0, nullptr,
             reads ? header.key : 0});
        whole.sent += bytes;
        header.address += bytes;
        if (last) {
            to.bulks.pop_front();
        }
    }
}

void socket_device::flush(socket_link &to) noexcept {
    for (std::size_t sent = 0; to.is_open() && to.has_to_send() && sent < most_sent_at_once;) {
        fill_wire(to);
        std::array<iovec, 64> runs{};
        std::size_t count = 0, offered = 0;
        for (socket_link::outgoing &each : to.wire) {
            if (count + 1 + most_runs > runs.size()) {
                break;
            }
            if (each.sent < sizeof each.header) {
                auto *const begin = reinterpret_cast<std::byte *>(&each.header);
                runs[count++] = {begin + each.sent, sizeof each.header - each.sent};
            }
            const std::size_t gone = std::max(each.sent, sizeof each.header) - sizeof each.header;
            const memory_runs rest = each.payload.part(gone, each.bytes - sizeof each.header - gone);
            std::copy_n(rest.all.begin(), rest.count, runs.begin() + static_cast<std::ptrdiff_t>(count));
            count += rest.count;
            offered += each.bytes - each.sent;
        }
        const ssize_t taken = send_runs(to.socket, std::span{runs}.first(count));
        if (taken < 0 && errno == EINTR) {
            continue;
        }
        if (taken < 0 && errno != EAGAIN && errno != ENOBUFS) {
            receive_all(to); // what the peer has said before its end
            break_link(to);
            call();
            return;
        }
        if (!kernel_took(to, taken < 0 ? 0 : static_cast<std::size_t>(taken)) ||
            static_cast<std::size_t>(taken) < offered) {
            to.part = socket_link::least_part;
            break; // the kernel is full
        }
        if (offered >= to.part) {
            to.part = std::min(2 * to.part, socket_link::most_part);
        }
        sent += static_cast<std::size_t>(taken);
    }
    // Also for those who sleep while the caller goes away. That nothing is left to send is only seen in time
    // before somebody sleeps.
    if (to.is_open() && to.has_to_send()) {
        watch(to, to.watched | EPOLLOUT);
    }
}

bool socket_device::kernel_took(socket_link &to, std::size_t bytes) noexcept {
    const bool any = bytes != 0;
    if (any) {
        note_moved();
    }
    to.wire_bytes -= bytes;
    while (bytes != 0) {
        socket_link::outgoing &first = to.wire.front();
        const std::size_t here = std::min(bytes, first.bytes - first.sent);
        first.sent += here;
        bytes -= here;
        if (first.sent != first.bytes) {
            break;
        }
        if (first.op != nullptr) {
            ended_.push_back({first.op, 0, false});
            call();
        }
        to.wire.pop_front();
    }
    return any;
}

} // namespace lisle::fabric::network
