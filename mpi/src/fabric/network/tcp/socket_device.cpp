// SPDX-License-Identifier: Apache-2.0
// The device itself: what it listens to and when, copies that are under way, and the ends of connections.
#include "fabric/network/tcp/socket_device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"
#include "fabric/network/provider.hpp"
#include "mpi.h"

namespace lisle::fabric::network {

namespace {

/// With no more connections than these it is cheaper to try to receive from each than to ask which has
/// something; but for each so-many-th time, when new ones may have come.
constexpr std::size_t few_links = 2;
constexpr unsigned looks_between_events = 64;

} // namespace

socket_device::socket_device(const tcp_interface &on, std::uint64_t secret)
    : device{{.provider = std::string{own_tcp},
              .interface = on.name,
              .pulse_interface = on.address,
              .inject_bytes = 0,
              .most_pieces = most_runs,
              .uses_addresses = true,
              .takes_keys = true,
              .copy_bytes = std::size_t{4} << 20,
              .copies_at_a_time = 3}},
      secret_{secret}, interface_{on.address} {
    listener_ = socket(interface_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    events_ = epoll_create1(EPOLL_CLOEXEC);
    called_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    constexpr int backlog = 4096;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &listener_;
    bool opened = listener_ >= 0 && events_ >= 0 && called_ >= 0 &&
                  bind(listener_, interface_.data(), interface_.size()) == 0 &&
                  listen(listener_, backlog) == 0 &&
                  epoll_ctl(events_, EPOLL_CTL_ADD, listener_, &event) == 0;
    event.data.ptr = &called_;
    opened = opened && epoll_ctl(events_, EPOLL_CTL_ADD, called_, &event) == 0;
    if (!opened) {
        const int why = errno;
        close();
        fail(MPI_ERR_OTHER, "cannot listen for peers on the interface ", on.name, ": ", std::strerror(why));
    }
    own_ = end_of(listener_, getsockname);
}

socket_device::~socket_device() {
    close();
}

void socket_device::close() noexcept {
    for (const auto &each : links_) {
        if (each->socket >= 0) {
            ::close(std::exchange(each->socket, -1));
        }
    }
    links_.clear();
    for (int *each : {&listener_, &events_, &called_}) {
        if (*each >= 0) {
            ::close(std::exchange(*each, -1));
        }
    }
    peers_.clear();
    posted_.clear();
    ended_.clear();
    requests_.clear();
    free_requests_.clear();
    exposed_.clear();
    ready_ = unfinished_ = paused_ = 0;
}

std::vector<std::byte> socket_device::address() const {
    const auto *const begin = reinterpret_cast<const std::byte *>(own_.data());
    return {begin, begin + own_.size()};
}

peer_number socket_device::add_peer(std::span<const std::byte> address) {
    const socket_address listens{address};
    return listens.exists() && listens.family() == own_.family() ? find_peer(listens) : no_peer;
}

void socket_device::give_up(peer_number number) noexcept {
    if (number < peers_.size()) {
        peer &lost = peers_[number];
        lost.lost = true;
        if (lost.link != nullptr) {
            break_link(*lost.link);
            call();
        }
    }
}

// ---- memory ----

std::optional<std::uint64_t> socket_device::expose(const void *memory, std::size_t bytes,
                                                   std::uint64_t wanted) noexcept {
    try {
        auto *const begin = static_cast<std::byte *>(const_cast<void *>(memory));
        exposed_.insert_or_assign(wanted, std::span{begin, bytes});
        return wanted;
    } catch (const std::bad_alloc &) {
        return std::nullopt;
    }
}

// No copy that uses the key is under way, unless its starter has failed: then what there is of it must not
// touch the memory any more.
void socket_device::withdraw(std::uint64_t key) noexcept {
    exposed_.erase(key);
    for (const auto &each : links_) {
        const auto sends = [key](const socket_link::outgoing &one) { return one.from_key == key; };
        const bool writing =
            each->what == socket_link::payload::write && each->missing != 0 && each->current.key == key;
        if (each->is_open() && (writing || std::ranges::any_of(each->wire, sends) ||
                                std::ranges::any_of(each->bulks, [key](const socket_link::bulk &one) {
                                    return one.header.what == message_header::kind::read_data &&
                                           one.header.key == key;
                                }))) {
            break_link(*each);
            call();
        }
    }
}

// ---- copies under way ----

std::uint64_t socket_device::add_request(const socket_link &by, std::span<const iovec> own, bool reads,
                                         operation &op) {
    if (free_requests_.empty()) {
        requests_.emplace_back();
        free_requests_.push_back(static_cast<std::uint32_t>(requests_.size() - 1));
    }
    const std::uint32_t place = free_requests_.back();
    free_requests_.pop_back();
    request &made = requests_[place];
    made.op = &op;
    made.by = &by;
    made.own = memory_runs{own};
    made.bytes = made.own.bytes();
    made.moved = 0;
    made.reads = reads;
    return place | std::uint64_t{++made.generation} << 32U;
}

socket_device::request *socket_device::find_request(std::uint64_t number, const socket_link &by) noexcept {
    const std::size_t place = number & 0xffffffffU;
    if (place >= requests_.size()) {
        return nullptr;
    }
    request &found = requests_[place];
    return found.op != nullptr && found.by == &by && found.generation == number >> 32U ? &found : nullptr;
}

void socket_device::end_request(std::uint64_t number, socket_link &by, bool failed) noexcept {
    request &ended = *find_request(number, by);
    ended_.push_back({std::exchange(ended.op, nullptr), ended.bytes, failed});
    by.reads -= ended.reads ? 1 : 0;
    free_requests_.push_back(static_cast<std::uint32_t>(number & 0xffffffffU));
}

// ---- moving on ----

attempt socket_device::receive(std::span<std::byte> into, operation &op) noexcept {
    posted_.push_back({into, &op});
    longest_ = std::max(longest_, into.size());
    if (paused_ != 0) {
        call();
    }
    return attempt::done;
}

std::size_t socket_device::take_completions(std::span<completion> ended) noexcept {
    progressing_ = true;
    progress();
    progressing_ = false;
    const std::size_t count = std::min(ended.size(), ended_.size());
    std::copy_n(ended_.begin(), count, ended.begin());
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(count));
    if (!ended_.empty()) {
        call(); // somebody else may sleep, and the caller may not come again soon
    }
    return count;
}

void socket_device::progress() noexcept {
    if (is_called_) {
        eventfd_t calls = 0;
        static_cast<void>(eventfd_read(called_, &calls));
        is_called_ = false;
    }
    if (paused_ != 0 && !posted_.empty()) {
        for (const auto &each : links_) {
            if (each->paused) {
                receive_from(*each);
            }
        }
    }
    if (ready_ != 0 && ready_ <= few_links && unfinished_ == 0 && ++looks_ % looks_between_events != 0) {
        for (const auto &each : links_) {
            if (each->is == socket_link::stage::ready) {
                receive_from(*each);
            }
        }
    } else {
        std::array<epoll_event, 32> events{};
        const int count = epoll_wait(events_, events.data(), static_cast<int>(events.size()), 0);
        for (int at = 0; at < count; ++at) {
            const epoll_event &event = events[static_cast<std::size_t>(at)];
            if (event.data.ptr == &listener_) {
                accept_all();
            } else if (event.data.ptr != &called_) {
                happened(*static_cast<socket_link *>(event.data.ptr), event.events);
            }
        }
    }
    reap();
}

void socket_device::happened(socket_link &link, std::uint32_t events) noexcept {
    switch (link.is) {
    case socket_link::stage::connecting:
        connected(link);
        return;
    case socket_link::stage::greeting:
    case socket_link::stage::unnamed:
        hear_greeting(link);
        return;
    case socket_link::stage::ready:
        if ((events & ~std::uint32_t{EPOLLOUT}) != 0) {
            receive_from(link);
        } else {
            flush(link);
        }
        return;
    case socket_link::stage::idle:
    case socket_link::stage::losing:
        break_link(link); // nothing is said on it, so this is its end
        return;
    case socket_link::stage::closed:
        return;
    }
}

void socket_device::watch(socket_link &link, std::uint32_t events) noexcept {
    if (link.watched != events) {
        epoll_event event{};
        event.events = events;
        event.data.ptr = &link;
        if (epoll_ctl(events_, EPOLL_CTL_MOD, link.socket, &event) == 0) {
            link.watched = events;
        }
    }
}

bool socket_device::may_wait() noexcept {
    looks_ = looks_between_events - 1; // what wakes the sleeper may be a new connection
    if (!ended_.empty() || (paused_ != 0 && !posted_.empty())) {
        return false;
    }
    for (const auto &each : links_) {
        if (each->is == socket_link::stage::ready) {
            watch(*each, (each->paused ? 0U : std::uint32_t{EPOLLIN}) |
                             (each->has_to_send() ? std::uint32_t{EPOLLOUT} : 0U));
        }
    }
    return true;
}

void socket_device::call() noexcept {
    if (!progressing_ && !is_called_) {
        is_called_ = eventfd_write(called_, 1) == 0;
    }
}

void socket_device::break_link(socket_link &link) noexcept {
    const socket_link::stage was = std::exchange(link.is, socket_link::stage::closed);
    if (was == socket_link::stage::closed) {
        return;
    }
    ::close(std::exchange(link.socket, -1));
    any_closed_ = true;
    const bool unfinished = was == socket_link::stage::connecting || was == socket_link::stage::greeting ||
                            was == socket_link::stage::unnamed;
    unfinished_ -= unfinished ? 1 : 0;
    ready_ -= was == socket_link::stage::ready ? 1 : 0;
    paused_ -= std::exchange(link.paused, false) ? 1 : 0;
    for (std::deque<socket_link::outgoing> *each : {&link.wire, &link.messages}) {
        for (const socket_link::outgoing &lost : *each) {
            if (lost.op != nullptr) {
                ended_.push_back({lost.op, 0, true});
            }
        }
        each->clear();
    }
    link.bulks.clear();
    if (link.missing != 0 && link.into.op != nullptr) {
        posted_.push_back(std::exchange(link.into, {}));
    }
    for (std::size_t place = 0; place != requests_.size(); ++place) {
        request &each = requests_[place];
        if (each.op != nullptr && each.by == &link) {
            end_request(place | std::uint64_t{each.generation} << 32U, link, true);
        }
    }
    if (link.peer < peers_.size() && peers_[link.peer].link == &link) {
        constexpr std::chrono::milliseconds between_tries{100};
        peer &of = peers_[link.peer];
        of.link = nullptr;
        // What has been connected once stays apart: messages may be missing. Else the peer may be slow;
        // whether it is there at all is for others to find out.
        of.lost = of.lost || was == socket_link::stage::ready;
        of.next_try = clock::now() + between_tries;
    }
}

void socket_device::reap() noexcept {
    if (std::exchange(any_closed_, false)) {
        std::erase_if(links_, [](const auto &each) { return !each->is_open(); });
    }
}

} // namespace lisle::fabric::network
