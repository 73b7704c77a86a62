// SPDX-License-Identifier: Apache-2.0
// What arrives by our own device over TCP. Where a message is to be expected, one call of the system reads
// the header and as much as there is into the buffer that stands ready for the message: so a single message
// lies where it belongs, and what has come behind it is taken from there. Where a copy is under way, one call
// reads the rest of a part into its memory, and the next header. Nothing of a header is believed before it
// has been checked.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "fabric/network/tcp/socket_device.hpp"

namespace lisle::fabric::network {

namespace {

/// Leaves the lock, and other connections, their turn.
constexpr std::size_t most_received_at_once = std::size_t{2} << 20;

} // namespace

void socket_device::receive_from(socket_link &from) noexcept {
    receive_all(from);
    if (from.is_open() && from.has_to_send()) {
        flush(from);
    }
}

void socket_device::receive_all(socket_link &from) noexcept {
    if (from.paused) {
        if (posted_.empty()) {
            return;
        }
        from.paused = false;
        --paused_;
    }
    from.receiving = true;
    receive_some(from);
    from.receiving = false;
}

void socket_device::receive_some(socket_link &from) noexcept {
    for (std::size_t received = 0; from.is_open() && received < most_received_at_once;) {
        if (!from.leftover.empty()) {
            std::vector<std::byte> bytes = std::exchange(from.leftover, {});
            const std::span<const std::byte> rest = parse(from, bytes);
            from.leftover.assign(rest.begin(), rest.end());
        } else if (from.header_bytes == sizeof from.header) {
            static_cast<void>(begin(from));
        }
        if (from.paused || !from.is_open()) {
            return;
        }
        std::array<iovec, most_runs + 2> runs{};
        std::size_t count = 0, asked = 0;
        const auto add = [&](void *begin, std::size_t bytes) {
            runs[count++] = {begin, bytes};
            asked += bytes;
        };
        std::size_t payload = from.missing; // that this call may bring
        if (payload != 0 && from.what == socket_link::payload::nothing) {
            payload = std::min(payload, nowhere_.size());
            add(nowhere_.data(), payload);
        } else {
            for (std::size_t at = 0; at != from.target.count && payload != 0; ++at) {
                add(from.target.all[at].iov_base, from.target.all[at].iov_len);
            }
        }
        posted_receive spill;
        if (payload == from.missing) {
            add(reinterpret_cast<std::byte *>(&from.header) + from.header_bytes,
                sizeof from.header - from.header_bytes);
            if (from.missing == 0 && !from.expects_bulk() && !posted_.empty()) {
                spill = posted_.back();
                posted_.pop_back();
                add(spill.room.data(), spill.room.size());
            }
        }
        msghdr message{};
        message.msg_iov = runs.data();
        message.msg_iovlen = count;
        const ssize_t got = recvmsg(from.socket, &message, MSG_DONTWAIT);
        if (got <= 0) {
            if (spill.op != nullptr) {
                posted_.push_back(spill);
            }
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got == 0 || errno != EAGAIN) {
                break_link(from);
            }
            return;
        }
        auto rest = static_cast<std::size_t>(got);
        received += rest;
        note_moved();
        const bool drained = rest < asked;
        if (from.missing != 0) {
            const std::size_t here = std::min(rest, payload);
            rest -= here;
            arrived(from, here);
        }
        const std::size_t head = std::min(rest, sizeof from.header - from.header_bytes);
        from.header_bytes += head;
        if (spill.op != nullptr) {
            parse_spilled(from, spill, rest - head);
        } else if (from.header_bytes == sizeof from.header) {
            static_cast<void>(begin(from));
        }
        if (drained) {
            return;
        }
    }
}

void socket_device::parse_spilled(socket_link &from, const posted_receive &spill, std::size_t bytes) {
    std::span<const std::byte> rest = spill.room.first(bytes);
    bool used = false;
    const message_header &header = from.header;
    if (from.header_bytes == sizeof header && header.what == message_header::kind::message &&
        header.bytes <= spill.room.size()) {
        used = true;
        const std::size_t here = std::min<std::size_t>(header.bytes, bytes);
        from.into = spill;
        begin_payload(from, socket_link::payload::message, {spill.room.data(), header.bytes});
        if (here != 0) {
            arrived(from, here);
        }
        rest = rest.subspan(here);
    }
    rest = parse(from, rest);
    from.leftover.assign(rest.begin(), rest.end());
    if (!used) {
        posted_.push_back(spill);
    }
}

std::span<const std::byte> socket_device::parse(socket_link &from, std::span<const std::byte> bytes) {
    while (from.is_open()) {
        if (from.missing != 0) {
            if (bytes.empty()) {
                break;
            }
            const std::size_t here = std::min(bytes.size(), from.missing);
            for (std::size_t at = 0, copied = 0; at != from.target.count && copied != here; ++at) {
                const iovec &run = from.target.all[at];
                const std::size_t fits = std::min(run.iov_len, here - copied);
                std::memcpy(run.iov_base, bytes.data() + copied, fits);
                copied += fits;
            }
            bytes = bytes.subspan(here);
            arrived(from, here);
            continue;
        }
        const std::size_t head = std::min(bytes.size(), sizeof from.header - from.header_bytes);
        if (head != 0) {
            std::memcpy(reinterpret_cast<std::byte *>(&from.header) + from.header_bytes, bytes.data(), head);
            from.header_bytes += head;
            bytes = bytes.subspan(head);
        }
        if (from.header_bytes != sizeof from.header || !begin(from)) {
            break;
        }
    }
    return bytes;
}

// A whole header has come. False: there is no buffer for its message yet, or the connection was dropped.
bool socket_device::begin(socket_link &from) {
    using kind = message_header::kind;
    const message_header &what = from.header;
    switch (what.what) {
    case kind::message:
        if (what.bytes > longest_) {
            drop(from, "with a message longer than any");
            return false;
        }
        if (posted_.empty()) {
            paused_ += std::exchange(from.paused, true) ? 0 : 1;
            return false;
        }
        from.into = posted_.back();
        posted_.pop_back();
        begin_payload(from, socket_link::payload::message, {from.into.room.data(), what.bytes});
        break;
    case kind::read_request:
        answer_read(from);
        break;
    case kind::read_data: {
        request *const wants = find_request(what.request, from);
        if (wants == nullptr || !wants->reads || what.bytes > wants->bytes - wants->moved) {
            drop(from, "with bytes that nobody has asked for");
            return false;
        }
        begin_payload(from, socket_link::payload::read, wants->own.part(wants->moved, what.bytes));
        break;
    }
    case kind::write_data:
    case kind::write_last:
        begin_write(from);
        break;
    case kind::write_done:
    case kind::refused: {
        request *const asked = find_request(what.request, from);
        const bool refused = what.what == kind::refused;
        // What has not left yet cannot be answered, and its memory may not go.
        const auto leaves = [&what](const auto &each) {
            return (each.header.what == kind::write_data || each.header.what == kind::write_last) &&
                   each.header.request == what.request;
        };
        if (asked == nullptr || (asked->reads && !refused) || std::ranges::any_of(from.wire, leaves) ||
            std::ranges::any_of(from.bulks, leaves)) {
            drop(from, "with an answer to what it was not asked");
            return false;
        }
        end_request(what.request, from, refused);
        break;
    }
    default:
        drop(from, "with a message of no known kind");
        return false;
    }
    from.header_bytes = 0;
    return from.is_open();
}

void socket_device::begin_payload(socket_link &from, socket_link::payload what, memory_runs target) {
    from.what = what;
    from.current = from.header;
    from.target = target;
    from.missing = from.header.bytes;
    from.header_bytes = 0;
    if (from.missing == 0) {
        arrived(from, 0);
    }
}

// The next `bytes` of the payload are in their place.
void socket_device::arrived(socket_link &from, std::size_t bytes) {
    from.missing -= bytes;
    if (from.missing != 0) {
        from.target = from.target.part(bytes, from.missing);
        return;
    }
    const message_header &what = from.current;
    switch (from.what) {
    case socket_link::payload::message:
        ended_.push_back({std::exchange(from.into, {}).op, what.bytes, false});
        break;
    case socket_link::payload::read: {
        request &wants = *find_request(what.request, from);
        wants.moved += what.bytes;
        if (wants.moved == wants.bytes) {
            end_request(what.request, from, false);
        }
        break;
    }
    case socket_link::payload::write:
    case socket_link::payload::nothing:
        if (what.what == message_header::kind::write_last) {
            queue(from, {std::exchange(from.write_refused, false) ? message_header::kind::refused
                                                                  : message_header::kind::write_done,
                         0, what.request, 0, 0});
        }
        break;
    }
}

std::byte *socket_device::exposed_at(const message_header &what) const noexcept {
    const auto found = exposed_.find(what.key);
    if (found == exposed_.end()) {
        return nullptr;
    }
    const std::span<std::byte> memory = found->second;
    const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
    if (what.address < begin || what.address - begin > memory.size() ||
        what.bytes > memory.size() - (what.address - begin)) {
        return nullptr;
    }
    return memory.data() + (what.address - begin);
}

void socket_device::answer_read(socket_link &from) {
    const message_header &what = from.header;
    std::byte *const begin = exposed_at(what);
    if (begin == nullptr || what.bytes == 0) {
        queue(from, {message_header::kind::refused, 0, what.request, 0, 0});
        return;
    }
    from.bulks.push_back({{message_header::kind::read_data, 0, what.request, what.address, what.key},
                          memory_runs{begin, what.bytes},
                          what.bytes,
                          0});
}

void socket_device::begin_write(socket_link &from) {
    const message_header &what = from.header;
    std::byte *const begin = exposed_at(what);
    from.writes = what.what == message_header::kind::write_data;
    // The whole of it is refused then; told when all of it has come.
    from.write_refused = from.write_refused || begin == nullptr;
    if (from.write_refused) {
        begin_payload(from, socket_link::payload::nothing, {});
    } else {
        begin_payload(from, socket_link::payload::write, {begin, what.bytes});
    }
}

} // namespace lisle::fabric::network
