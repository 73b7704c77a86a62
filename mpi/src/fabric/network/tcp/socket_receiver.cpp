// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/tcp/socket_receiver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lisle::fabric::network {

namespace {

/// Leaves the lock, and other connections, their turn.
constexpr std::size_t most_received_at_once = std::size_t{2} << 20;

/// Lays bytes into runs of memory that have room for them.
void copy_to_runs(const memory_runs &target, std::span<const std::byte> bytes) noexcept {
    for (std::size_t at = 0; at != target.count && !bytes.empty(); ++at) {
        const iovec &run = target.all[at];
        const std::size_t here = std::min(run.iov_len, bytes.size());
        std::memcpy(run.iov_base, bytes.data(), here);
        bytes = bytes.subspan(here);
    }
}

} // namespace

bool socket_receiver::receive_from(socket_link &from) noexcept {
    if (from.in.paused) {
        if (contents_.posted.empty()) {
            return false;
        }
        from.in.paused = false;
        contents_.posted.end_waiting();
    }
    std::size_t received = 0;
    for (bool more = true; more && from.is_open() && received < most_received_at_once;) {
        resume(from);
        more = !from.in.paused && from.is_open() && receive_some(from, received);
    }
    return received != 0;
}

// What has been read already but not been understood, since there was no buffer for it.
void socket_receiver::resume(socket_link &from) {
    arriving_messages &in = from.in;
    if (!in.leftover.empty()) {
        const std::vector<std::byte> bytes = std::exchange(in.leftover, {});
        const std::span<const std::byte> rest = parse(from, bytes);
        in.leftover.assign(rest.begin(), rest.end());
    } else if (in.header_bytes == sizeof in.header) {
        static_cast<void>(begin(from));
    }
}

/// Where the next bytes of a connection go: to what is missing, the next header and, behind it, a buffer.
class socket_receiver::wanted_bytes {
  public:
    void add(void *begin, std::size_t bytes) noexcept {
        runs_[count_++] = {begin, bytes};
        asked += bytes;
    }
    /// As the system's call does.
    [[nodiscard]] ssize_t receive(tcp::stream &from) noexcept {
        return from.receive(std::span{runs_}.first(count_));
    }

    std::size_t asked = 0;
    std::size_t payload = 0; ///< that comes first
    posted_receive spill;    ///< the buffer, if there is one

  private:
    std::array<iovec, most_runs + 2> runs_; ///< of these, `count_`
    std::size_t count_ = 0;
};

socket_receiver::wanted_bytes socket_receiver::next_bytes(arriving_messages &in) noexcept {
    wanted_bytes wanted;
    wanted.payload = in.missing;
    if (in.missing != 0 && in.what == payload::nothing) {
        wanted.payload = std::min(in.missing, nowhere_.size());
        wanted.add(nowhere_.data(), wanted.payload);
    } else if (in.missing != 0) {
        for (std::size_t at = 0; at != in.target.count; ++at) {
            wanted.add(in.target.all[at].iov_base, in.target.all[at].iov_len);
        }
    }
    if (wanted.payload == in.missing) {
        wanted.add(reinterpret_cast<std::byte *>(&in.header) + in.header_bytes,
                   sizeof in.header - in.header_bytes);
        if (in.missing == 0 && !in.expects_bulk() && !contents_.posted.empty()) {
            wanted.spill = contents_.posted.take();
            wanted.add(wanted.spill.room.data(), wanted.spill.room.size());
        }
    }
    return wanted;
}

// False: there is nothing more now.
bool socket_receiver::receive_some(socket_link &from, std::size_t &received) {
    arriving_messages &in = from.in;
    wanted_bytes wanted = next_bytes(in);
    const ssize_t got = wanted.receive(from.socket);
    if (got <= 0) {
        const int why = errno;
        if (wanted.spill.op != nullptr) {
            contents_.posted.give_back(wanted.spill);
        }
        if (got < 0 && why == EINTR) {
            return true;
        }
        if (got < 0 && why == EBADMSG) {
            links_.drop(from, "with bytes that somebody has changed on their way");
        } else if (got == 0 || why != EAGAIN) {
            links_.end(from);
        }
        return false;
    }
    auto rest = static_cast<std::size_t>(got);
    received += rest;
    const bool drained = rest < wanted.asked;
    if (in.missing != 0) {
        const std::size_t here = std::min(rest, wanted.payload);
        rest -= here;
        arrived(from, here);
    }
    const std::size_t head = std::min(rest, sizeof in.header - in.header_bytes);
    in.header_bytes += head;
    if (wanted.spill.op != nullptr) {
        parse_spilled(from, wanted.spill, rest - head);
    } else if (in.header_bytes == sizeof in.header) {
        static_cast<void>(begin(from));
    }
    return !drained;
}

void socket_receiver::parse_spilled(socket_link &from, const posted_receive &spill, std::size_t bytes) {
    std::span<const std::byte> rest = spill.room.first(bytes);
    bool used = false;
    const message_header &header = from.in.header;
    if (from.in.header_bytes == sizeof header && header.what == message_header::kind::message &&
        header.bytes <= spill.room.size()) {
        used = true;
        const std::size_t here = std::min<std::size_t>(header.bytes, bytes);
        from.in.into = spill;
        begin_payload(from, payload::message, {spill.room.data(), header.bytes});
        if (here != 0) {
            arrived(from, here);
        }
        rest = rest.subspan(here);
    }
    rest = parse(from, rest);
    from.in.leftover.assign(rest.begin(), rest.end());
    if (!used) {
        contents_.posted.give_back(spill);
    }
}

std::span<const std::byte> socket_receiver::parse(socket_link &from, std::span<const std::byte> bytes) {
    arriving_messages &in = from.in;
    while (from.is_open()) {
        if (in.missing != 0) {
            if (bytes.empty()) {
                break;
            }
            const std::size_t here = std::min(bytes.size(), in.missing);
            copy_to_runs(in.target, bytes.first(here));
            bytes = bytes.subspan(here);
            arrived(from, here);
            continue;
        }
        const std::size_t head = std::min(bytes.size(), sizeof in.header - in.header_bytes);
        if (head != 0) {
            std::memcpy(reinterpret_cast<std::byte *>(&in.header) + in.header_bytes, bytes.data(), head);
            in.header_bytes += head;
            bytes = bytes.subspan(head);
        }
        if (in.header_bytes != sizeof in.header || !begin(from)) {
            break;
        }
    }
    return bytes;
}

// A whole header has come. False: there is no buffer for its message yet, or the connection was dropped.
bool socket_receiver::begin(socket_link &from) {
    using kind = message_header::kind;
    switch (from.in.header.what) {
    case kind::message:
        return begin_message(from);
    case kind::read_request:
        answer_read(from);
        from.in.header_bytes = 0;
        return true;
    case kind::read_data:
        return begin_answer(from);
    case kind::write_data:
    case kind::write_last:
        begin_write(from);
        return true;
    case kind::write_done:
    case kind::refused:
        return end_request(from);
    }
    links_.drop(from, "with a message of no known kind");
    return false;
}

bool socket_receiver::begin_message(socket_link &from) {
    arriving_messages &in = from.in;
    if (in.header.bytes > contents_.posted.longest()) {
        links_.drop(from, "with a message longer than any");
        return false;
    }
    if (contents_.posted.empty()) {
        if (!std::exchange(in.paused, true)) {
            contents_.posted.begin_waiting();
        }
        return false;
    }
    in.into = contents_.posted.take();
    begin_payload(from, payload::message, {in.into.room.data(), in.header.bytes});
    return true;
}

bool socket_receiver::begin_answer(socket_link &from) {
    const message_header &what = from.in.header;
    const copy_requests::request *const wants = contents_.requests.find(what.request, from);
    if (wants == nullptr || !wants->reads || what.bytes > wants->bytes - wants->moved) {
        links_.drop(from, "with bytes that nobody has asked for");
        return false;
    }
    begin_payload(from, payload::read, wants->own.part(wants->moved, what.bytes));
    return true;
}

bool socket_receiver::end_request(socket_link &from) {
    const message_header &what = from.in.header;
    const copy_requests::request *const asked = contents_.requests.find(what.request, from);
    const bool refused = what.what == message_header::kind::refused;
    // What has not left yet cannot be answered, and its memory may not go.
    if (asked == nullptr || (asked->reads && !refused) || from.out.sends_of(what.request)) {
        links_.drop(from, "with an answer to what it was not asked");
        return false;
    }
    contents_.requests.end(what.request, from, refused);
    from.in.header_bytes = 0;
    return true;
}

void socket_receiver::begin_payload(socket_link &from, payload what, memory_runs target) {
    arriving_messages &in = from.in;
    in.what = what;
    in.current = in.header;
    in.target = target;
    in.missing = in.header.bytes;
    in.header_bytes = 0;
    if (in.missing == 0) {
        arrived(from, 0);
    }
}

// The next `bytes` of the payload are in their place.
void socket_receiver::arrived(socket_link &from, std::size_t bytes) {
    arriving_messages &in = from.in;
    in.missing -= bytes;
    if (in.missing != 0) {
        in.target = in.target.part(bytes, in.missing);
        return;
    }
    const message_header &what = in.current;
    switch (in.what) {
    case payload::message:
        contents_.ended.add(std::exchange(in.into, {}).op, what.bytes, false);
        break;
    case payload::read: {
        copy_requests::request &wants = *contents_.requests.find(what.request, from);
        wants.moved += what.bytes;
        if (wants.moved == wants.bytes) {
            contents_.requests.end(what.request, from, false);
        }
        break;
    }
    case payload::write:
    case payload::nothing:
        if (what.what == message_header::kind::write_last) {
            from.out.add({std::exchange(in.write_refused, false) ? message_header::kind::refused
                                                                 : message_header::kind::write_done,
                          0, what.request, 0, 0});
        }
        break;
    }
}

void socket_receiver::answer_read(socket_link &from) {
    const message_header &what = from.in.header;
    std::byte *const begin = memory_.find(what);
    if (begin == nullptr || what.bytes == 0) {
        from.out.add({message_header::kind::refused, 0, what.request, 0, 0});
        return;
    }
    from.out.add_copy({message_header::kind::read_data, 0, what.request, what.address, what.key},
                      memory_runs{begin, what.bytes}, what.bytes);
}

void socket_receiver::begin_write(socket_link &from) {
    arriving_messages &in = from.in;
    std::byte *const begin = memory_.find(in.header);
    in.writes = in.header.what == message_header::kind::write_data;
    // The whole of it is refused then; told when all of it has come.
    in.write_refused = in.write_refused || begin == nullptr;
    if (in.write_refused) {
        begin_payload(from, payload::nothing, {});
    } else {
        begin_payload(from, payload::write, {begin, in.header.bytes});
    }
}

} // namespace lisle::fabric::network
