// SPDX-License-Identifier: Apache-2.0
#include "fabric/ofi/network_fabric.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <netinet/in.h>

#include "base/error.hpp"

namespace lisle::fabric::ofi {

namespace {

constexpr std::size_t largest_payload = std::size_t{64} << 10;
constexpr std::size_t buffer_bytes = largest_payload + sizeof(frame);
constexpr std::size_t receive_buffers = 64;
/// So many polls pass before a process that never sleeps looks whether peers have ended: it costs a system
/// call.
constexpr unsigned polls_between_pulses = 4096;

/// The address of the provider's interface, where it has one that TCP can use.
sockaddr_in interface_of(const fi_info &info) noexcept {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    if (info.addr_format == FI_SOCKADDR_IN && info.src_addr != nullptr) {
        own = *static_cast<const sockaddr_in *>(info.src_addr);
    }
    return own;
}

} // namespace

network_fabric::network_fabric(provider chosen, job_view job, address_lookup where)
    : job_{std::move(job)}, where_{std::move(where)}, device_{std::move(chosen)},
      sends_{device_, operation::kind::send, most_sends, buffer_bytes}, receives_{device_,
                                                                                    operation::kind::receive,
                                                                                    receive_buffers,
                                                                                    buffer_bytes},
      peers_(static_cast<std::size_t>(job_.processes)),
      inboxes_(static_cast<std::size_t>(job_.rank_count)), pulse_{interface_of(device_.info()), job_.silence},
      congested_{std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(job_.ranks))},
      reach_{std::make_unique<std::atomic<reach>[]>(static_cast<std::size_t>(job_.processes))},
      packets_to_{std::make_unique<std::atomic<std::uint64_t>[]>(static_cast<std::size_t>(job_.ranks))} {
    wakes_.reserve(inboxes_.size());
    for (inbox &each : inboxes_) {
        each.told.resize(peers_.size());
        wakes_.emplace_back(device_.descriptor(), pulse_.descriptor());
    }
    while (receives_.available() != 0) {
        receive_again_locked(receives_.take());
    }
}

network_fabric::~network_fabric() = default;

std::string network_fabric::description() const {
    return sentence(device_.info().fabric_attr->prov_name, " on ", device_.info().domain_attr->name);
}

route_limits network_fabric::limits(int) const noexcept {
    const bool copies = device_.most_pieces() != 0;
    return {.largest_payload = largest_payload,
            .eager = largest_payload,
            .least_read = copies ? largest_payload + 1 : SIZE_MAX,
            .surely_read = largest_payload + 1};
}

// An address is that of the pulse, all zero if there is none, and behind it the provider's own.
endpoint_address network_fabric::address(int) const {
    const sockaddr_in pulse = pulse_.address().value_or(sockaddr_in{});
    const auto *const begin = reinterpret_cast<const std::byte *>(&pulse);
    endpoint_address whole{begin, begin + sizeof pulse};
    const std::vector<std::byte> own = device_.address();
    whole.insert(whole.end(), own.begin(), own.end());
    return whole;
}

void network_fabric::connect(int peer, std::span<const std::byte> address) {
    const std::scoped_lock guard{lock_};
    connect_locked(job_.process_of(peer), address);
}

void network_fabric::connect_locked(int process, std::span<const std::byte> address) {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    sockaddr_in pulse{};
    if (to.at != FI_ADDR_NOTAVAIL || to.failed || address.size() <= sizeof pulse) {
        return;
    }
    std::memcpy(&pulse, address.data(), sizeof pulse);
    to.at = device_.add_peer(address.subspan(sizeof pulse));
    if (to.at == FI_ADDR_NOTAVAIL) {
        failed_locked(process);
        return;
    }
    reach_[static_cast<std::size_t>(process)].store(reach::connected, std::memory_order_relaxed);
    if (pulse.sin_port != 0) {
        pulse_.watch(process, pulse);
    }
}

void network_fabric::set_congested(int self, bool congested) noexcept {
    const std::scoped_lock guard{lock_};
    inbox_of(self).congested = congested;
    tell_congestion_locked();
}

void network_fabric::tell_congestion_locked() noexcept {
    congestion_changed_ = false;
    for (int rank = job_.first_rank; rank != job_.first_rank + job_.rank_count; ++rank) {
        inbox &own = inbox_of(rank);
        for (std::size_t process = 0; process != peers_.size(); ++process) {
            const peer_process &to = peers_[process];
            if (own.told[process] == own.congested || !to.heard || to.failed) {
                continue;
            }
            if (send_frame_locked(static_cast<int>(process),
                                  own.congested ? frame::kind::congested : frame::kind::relieved, rank)) {
                own.told[process] = own.congested;
            } else {
                congestion_changed_ = true; // again at the next poll
            }
        }
    }
}

void network_fabric::notice_ends_locked() {
    polls_ = 0;
    for (const auto &[process, farewell] : pulse_.ended()) {
        if (farewell) {
            peers_[static_cast<std::size_t>(process)].left = true;
        } else {
            failed_locked(process);
        }
    }
}

// ---- arriving ----

int network_fabric::poll(int self, sink &into, int most) {
    std::array<completion, 16> ended{};
    std::array<inbox::packet, 16> packets{};
    std::vector<inbox::ended_copy> copies;
    std::vector<int> failed;
    std::size_t taken = 0;
    {
        const std::scoped_lock guard{lock_};
        inbox &own = inbox_of(self);
        if (own.armed) {
            own.armed = false;
            wakes_[static_cast<std::size_t>(self - job_.first_rank)].clear();
            polls_ = polls_between_pulses;
        }
        if (++polls_ > polls_between_pulses) {
            notice_ends_locked();
        }
        const std::size_t count = device_.take_completions(ended);
        for (std::size_t at = 0; at != count; ++at) {
            ended_locked(ended[at]);
        }
        if (!clogged_.empty() && !call_sender_) {
            send_waiting_locked();
        }
        if (congestion_changed_) {
            tell_congestion_locked();
        }
        const std::size_t room = std::min(packets.size(), static_cast<std::size_t>(most));
        for (; taken != room && !own.packets.empty(); ++taken) {
            packets[taken] = own.packets.front();
            own.packets.pop_front();
        }
        copies.swap(own.copies);
        if (own.packets.empty()) { // what a peer has sent before it failed comes first
            failed.swap(own.failed);
        }
    }
    for (std::size_t at = 0; at != taken; ++at) {
        into.arrived(packets[at].what.what.source, packets[at].what.what.header, packets[at].what.payload);
    }
    for (const inbox::ended_copy &copy : copies) {
        copy.hears->copied(copy.moved);
    }
    for (const int peer : failed) {
        into.peer_failed(peer);
    }
    if (taken != 0) {
        const std::scoped_lock guard{lock_};
        for (std::size_t at = 0; at != taken; ++at) {
            receive_again_locked(*packets[at].in);
        }
    }
    return static_cast<int>(taken + copies.size() + failed.size());
}

void network_fabric::arrived_locked(buffer &in, std::size_t bytes) {
    arrived_frame found{};
    const refusal why = check_frame(in.room.first(std::min(bytes, in.room.size())), job_.secret, job_.ranks,
                                    job_.first_rank, job_.rank_count, found);
    if (why != refusal::none) {
        if (dropped_.fetch_add(1, std::memory_order_relaxed) == 0) {
            std::fprintf(stderr,
                         "lisle: dropped %zu bytes from the network: %s (further ones are not reported)\n",
                         bytes, reason(why));
        }
        receive_again_locked(in);
        return;
    }
    const auto process = static_cast<std::size_t>(job_.process_of(found.what.source));
    if (peers_[process].failed) {
        receive_again_locked(in); // everybody has been told that it is gone
        return;
    }
    if (!peers_[process].heard) {
        peers_[process].heard = true;
        congestion_changed_ = true; // it has not been told yet
        // Its end is to be noticed, too, where this process only waits for it.
        connect_locked(static_cast<int>(process), where_(found.what.source));
    }
    if (found.what.what == frame::kind::packet) {
        inbox_of(found.what.dest).packets.push_back({&in, found});
        wake_if_armed(found.what.dest);
        return;
    }
    if (found.what.what != frame::kind::last) {
        congested_[static_cast<std::size_t>(found.what.source)].store(
            found.what.what == frame::kind::congested, std::memory_order_relaxed);
    }
    receive_again_locked(in);
}

void network_fabric::receive_again_locked(buffer &in) noexcept {
    // The provider has room for as many receives as there are buffers; one that it does not take is lost to
    // us, not to the job.
    static_cast<void>(device_.receive(in.room, receives_.descriptor(), in));
}

void network_fabric::failed_locked(int process) {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (std::exchange(to.failed, true)) {
        return;
    }
    reach_[static_cast<std::size_t>(process)].store(reach::failed, std::memory_order_relaxed);
    while (!to.waiting.empty()) {
        finish_send_locked(to.waiting.next());
        to.waiting.remove_next();
    }
    for (int rank = 0; rank != job_.ranks; ++rank) {
        if (job_.process_of(rank) == process) {
            for (inbox &each : inboxes_) {
                each.failed.push_back(rank);
            }
        }
    }
    for (int rank = job_.first_rank; rank != job_.first_rank + job_.rank_count; ++rank) {
        wake_if_armed(rank);
    }
}

void network_fabric::wake_if_armed(int rank) noexcept {
    if (inbox_of(rank).armed) {
        wakes_[static_cast<std::size_t>(rank - job_.first_rank)].call();
    }
}

// ---- sleeping ----

waking network_fabric::wakes(int self) const noexcept {
    const int descriptor = wakes_[static_cast<std::size_t>(self - job_.first_rank)].descriptor();
    if (descriptor < 0) {
        constexpr std::uint64_t between_polls = 200'000;
        return {waking::by::polling, -1, between_polls};
    }
    return {waking::by::descriptor, descriptor, 0};
}

bool network_fabric::arm(int self) noexcept {
    const std::scoped_lock guard{lock_};
    inbox &own = inbox_of(self);
    // No end of a send will tell that there is room for a process of which the provider has nothing.
    const bool must_try = std::ranges::any_of(clogged_, [this](int process) {
        return peers_[static_cast<std::size_t>(process)].started == 0;
    });
    if (!own.empty() || (must_try && !call_sender_) || congestion_changed_) {
        return false;
    }
    own.armed = true;
    return device_.descriptor() < 0 || device_.may_wait();
}

} // namespace lisle::fabric::ofi
