// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/network_fabric.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/error.hpp"

namespace lisle::fabric::network {

namespace {

constexpr std::size_t largest_payload = std::size_t{64} << 10;
constexpr std::size_t buffer_bytes = largest_payload + sizeof(frame);
/// So many polls pass before a process that never sleeps looks whether peers have ended: it costs a system
/// call.
constexpr unsigned polls_between_pulses = 4096;

} // namespace

network_fabric::network_fabric(std::vector<choice> chosen, job_view job, address_lookup where)
    : job_{std::move(job)}, traffic_{job_.traffic != nullptr ? *job_.traffic : own_traffic_},
      where_{std::move(where)}, sends_{operation::kind::send, most_sends, buffer_bytes},
      peers_(static_cast<std::size_t>(job_.processes)),
      inboxes_(static_cast<std::size_t>(job_.rank_count)), congested_{std::make_unique<std::atomic<bool>[]>(
                                                               static_cast<std::size_t>(job_.ranks))},
      reach_{std::make_unique<std::atomic<reach>[]>(static_cast<std::size_t>(job_.processes))},
      packets_to_{std::make_unique<std::atomic<std::uint64_t>[]>(static_cast<std::size_t>(job_.ranks))} {
    std::vector<int> descriptors;
    for (choice &each : chosen) {
        rails_.push_back(std::make_unique<rail>(each.open(job_.secret), rails_.size(), sends_,
                                                receive_buffers, buffer_bytes, job_.silence));
        descriptors.push_back(rails_.back()->endpoint().descriptor());
        descriptors.push_back(rails_.back()->watched().descriptor());
    }
    wakes_.reserve(inboxes_.size());
    for (inbox &each : inboxes_) {
        each.told.resize(peers_.size());
        wakes_.emplace_back(descriptors);
    }
}

network_fabric::~network_fabric() {
    for (const auto &each : rails_) {
        each->close(); // before the buffers go
    }
}

std::string network_fabric::description() const {
    std::string names;
    for (const auto &each : rails_) {
        const device_traits &is = each->endpoint().traits();
        names += sentence(names.empty() ? "" : ", ", is.provider, " on ", is.interface);
    }
    return names;
}

std::uint64_t network_fabric::dropped() const noexcept {
    std::uint64_t all = dropped_.load(std::memory_order_relaxed);
    for (const auto &each : rails_) {
        all += each->endpoint().dropped();
    }
    return all;
}

route_limits network_fabric::limits(int) const noexcept {
    const bool copies = rails_.front()->endpoint().traits().most_pieces != 0;
    return {.largest_payload = largest_payload,
            .eager = largest_payload,
            .least_read = copies ? largest_payload + 1 : SIZE_MAX,
            .surely_read = largest_payload + 1};
}

void network_fabric::connect(int peer, std::span<const std::byte> address) {
    const std::scoped_lock guard{lock_};
    connect_locked(job_.process_of(peer), address);
}

void network_fabric::connect_locked(int process, std::span<const std::byte> address) {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (!to.at.empty() || to.failed || address.empty()) {
        return;
    }
    to.at = find_rails_locked(process, address);
    if (to.at.empty()) {
        failed_locked(process);
        return;
    }
    to.numbers = to.keeps() || !rails_.front()->endpoint().traits().delivers_in_order;
    reach_[static_cast<std::size_t>(process)].store(reach::connected, std::memory_order_relaxed);
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
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        for (const auto &[process, why] : rails_[number]->watched().ended()) {
            switch (why) {
            case pulse::cause::farewell:
                peers_[static_cast<std::size_t>(process)].left = true;
                break;
            case pulse::cause::death:
                failed_locked(process);
                break;
            case pulse::cause::retired:
            case pulse::cause::silence:
                lost_rail_locked(process, number);
                break;
            }
        }
    }
}

void network_fabric::progress_rails_locked() {
    std::array<completion, 16> ended{};
    for (const auto &each : rails_) {
        const std::size_t count = each->is_open() ? each->endpoint().take_completions(ended) : 0;
        // What a rail has ended before it was closed counts as lost, too.
        for (std::size_t at = 0; at != count && each->is_open(); ++at) {
            ended_locked(ended[at]);
        }
    }
    if (!copies_.empty()) {
        advance_copies_locked();
    }
    if (to_acknowledge_) {
        acknowledge_all_locked();
    }
}

// ---- arriving ----

int network_fabric::poll(int self, sink &into, int most) {
    std::array<inbox::packet, 16> packets{};
    std::vector<inbox::ended_copy> copies;
    std::vector<int> failed;
    std::size_t taken = 0;
    bool moved = false;
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
        progress_rails_locked();
        for (const auto &each : rails_) {
            moved = each->endpoint().has_moved() || moved;
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
        traffic_.add_received(taken + copies.size());
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
    const std::size_t told = taken + copies.size() + failed.size();
    // Who waits while its data move does best to look again at once: it is not idle.
    return told == 0 && moved ? 1 : static_cast<int>(told);
}

void network_fabric::failed_locked(int process) {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (std::exchange(to.failed, true)) {
        return;
    }
    reach_[static_cast<std::size_t>(process)].store(reach::failed, std::memory_order_relaxed);
    while (!to.waiting.empty()) {
        buffer &lost = to.waiting.next();
        to.waiting.remove_next();
        if (!lost.kept) {
            finish_send_locked(lost);
        }
    }
    while (const auto early = to.arriving.take_any()) {
        receive_again_locked(*early->in); // what was to come before it never will
    }
    for (buffer *const each : std::exchange(to.unacknowledged, {})) {
        each->kept = false;
        if (!each->at_provider) {
            finish_send_locked(*each);
        }
    }
    for (int rank = 0; rank != job_.ranks && !to.left; ++rank) {
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
    const bool must_try = std::ranges::any_of(
        clogged_, [this](int process) { return peers_[static_cast<std::size_t>(process)].started == 0; });
    if (!own.empty() || (must_try && !call_sender_) || congestion_changed_ || to_acknowledge_) {
        return false;
    }
    own.armed = true;
    return std::ranges::all_of(rails_, [](const auto &each) {
        return !each->is_open() || each->endpoint().descriptor() < 0 || each->endpoint().may_wait();
    });
}

} // namespace lisle::fabric::network
