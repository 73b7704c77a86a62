// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/network_fabric.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <mutex>
#include <new>
#include <sched.h>
#include <thread>

#include "base/settings.hpp"

namespace lisle::fabric::network {

namespace {

constexpr std::size_t largest_payload = std::size_t{64} << 10;
constexpr std::size_t buffer_bytes = largest_payload + sizeof(frame);
/// So many polls pass before a process that never sleeps looks whether peers have ended: it costs a system
/// call.
constexpr unsigned polls_between_pulses = 4096;

} // namespace

network_fabric::network_fabric(const std::vector<choice> &chosen, job_view job, address_lookup where)
    : job_{std::move(job)}, traffic_{job_.traffic != nullptr ? *job_.traffic : own_traffic_},
      buffers_{buffer_bytes}, rails_{chosen, job_.secret, buffers_.memory(), buffer_bytes, job_.silence},
      boxes_{job_.first_rank, job_.rank_count, rails_.descriptors(), rails_.size() * receive_buffers,
             job_.processes},
      peers_{job_, std::move(where), rails_, buffers_, boxes_}, sender_{job_, rails_, buffers_, peers_},
      acknowledged_{job_, peers_, sender_}, congestion_{job_, peers_, sender_},
      arrivals_{job_, {rails_, buffers_, boxes_, peers_, acknowledged_, congestion_}},
      copies_{job_, {lock_, rails_, peers_, boxes_, traffic_}},
      packets_to_{std::make_unique<std::atomic<std::uint64_t>[]>(static_cast<std::size_t>(job_.ranks))},
      // What a rank has sent before it fails is to arrive where others go on.
      may_hold_{value_of(setting::recovery) == 0}, hold_{[this] {
          const std::scoped_lock guard{lock_};
          hold_ends_ = false;
          send_held();
      }} {}

route_limits network_fabric::limits(int) const noexcept {
    const bool copies = rails_.traits_of_first().most_pieces != 0;
    return {.largest_payload = largest_payload,
            .eager = largest_payload,
            .least_read = copies ? largest_payload + 1 : SIZE_MAX,
            .surely_read = largest_payload + 1};
}

void network_fabric::connect(int peer, std::span<const std::byte> address) {
    const int process = job_.process_of(peer);
    {
        const std::scoped_lock guard{lock_};
        peers_.connect(process, address);
    }
    if (leads_in_one_direction(process)) {
        await_only_connection(process);
    }
}

void network_fabric::set_congested(int self, bool congested) noexcept {
    const std::scoped_lock guard{lock_};
    congestion_.set(self, congested);
}

// ---- sending ----

claim_result network_fabric::try_claim(int self, int dest, std::size_t, bool solicited,
                                       packet_slot &slot) noexcept {
    const int process = job_.process_of(dest);
    const peer_table::reach known = peers_.known(process);
    if (known == peer_table::reach::failed) {
        return claim_result::failed;
    }
    if (!solicited && congestion_.is_known_of(dest)) {
        return claim_result::congested;
    }
    if (known == peer_table::reach::unknown) {
        const staying here; // the caller holds locks, and the launcher may have to be asked
        try {
            connect(dest, peers_.find(dest)); // the first packet
        } catch (...) {
            return claim_result::full; // no memory for it now
        }
    }
    const std::scoped_lock guard{lock_};
    return sender_.claim(process, self, dest, solicited, slot);
}

void network_fabric::publish(int dest, packet_slot &slot) noexcept {
    packets_to_[static_cast<std::size_t>(dest)].fetch_add(1, std::memory_order_relaxed);
    const std::scoped_lock guard{lock_};
    traffic_.add_sent();
    slot.may_be_held = slot.may_be_held && may_hold_;
    peer_process &to = peers_[sender_.publish(slot)];
    if (slot.may_be_held && !hold_ends_) {
        bound_hold();
    }
    if (!to.reached && !buffers_.has_sender()) [[unlikely]] {
        await_connection(to);
    }
}

void network_fabric::bound_hold() noexcept {
    bool any = false;
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        any = any || (rails_[number].is_open() && rails_[number].endpoint().holds_any());
    }
    if (any) {
        may_hold_ = hold_ends_ = hold_.start();
    }
    if (any && !hold_ends_) {
        send_held();
    }
}

void network_fabric::send_held() noexcept {
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        if (rails_[number].is_open()) {
            rails_[number].endpoint().send_held();
        }
    }
}

// Who has sent something may compute for long before it calls again, and the receiver would wait for the
// connection all that time.
void network_fabric::await_connection(peer_process &to) noexcept {
    if (std::exchange(to.awaited, true)) {
        return;
    }
    const auto end = std::chrono::steady_clock::now() + job_.connecting;
    while (!to.reached && !to.failed && std::chrono::steady_clock::now() < end) {
        try {
            progress();
        } catch (...) {
            return; // no memory for what has come: the next poll tries again
        }
        sender_.send_waiting();
        sched_yield();
    }
}

// One side makes the connection, and both are to know of it before either ends: what comes to nothing within
// the job's time of silence has failed.
void network_fabric::await_only_connection(int process) {
    const auto end = std::chrono::steady_clock::now() + job_.silence;
    for (bool late = false; !late;) {
        {
            const std::scoped_lock guard{lock_};
            progress();
            notice_ends();
            const peer_process &to = peers_[process];
            if (to.failed || !to.is_joined() || rails_[0].endpoint().is_connected(to.rails().front())) {
                return;
            }
            late = std::chrono::steady_clock::now() >= end;
            if (late) {
                lost_rail(process, 0);
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
}

void network_fabric::leave_sending_to(const std::function<void()> &call) {
    const std::scoped_lock guard{lock_};
    buffers_.leave_to_sender(call);
}

send_step network_fabric::send_some() noexcept {
    const std::scoped_lock guard{lock_};
    return sender_.send_some();
}

// ---- arriving ----

struct network_fabric::found {
    std::array<inbox::packet, 16> packets{};
    std::size_t count = 0; ///< of these
    std::array<inbox::ended_copy, 16> copies{};
    std::size_t copy_count = 0; ///< of these
    bool has_failures = false;  ///< of which the rank has not been told
    bool moved = false;         ///< bytes have come or gone

    [[nodiscard]] std::size_t told() const noexcept { return count + copy_count; }
};

namespace {

/// @return how many the sink has taken: the next one there is no memory for
std::size_t hand_on(std::span<const inbox::packet> packets, sink &into) {
    std::size_t taken = 0;
    try {
        for (const inbox::packet &each : packets) {
            into.arrived(each.what.what.source, each.what.what.header, each.what.payload);
            ++taken;
        }
    } catch (const std::bad_alloc &) {
    }
    return taken;
}

} // namespace

int network_fabric::poll(int self, sink &into, int most) {
    found now;
    {
        const std::scoped_lock guard{lock_};
        if (boxes_.take_armed(self)) {
            polls_ = polls_between_pulses;
        }
        if (++polls_ > polls_between_pulses) {
            notice_ends();
        }
        progress();
        for (std::size_t number = 0; number != rails_.size(); ++number) {
            now.moved = rails_[number].endpoint().has_moved() || now.moved;
        }
        if (sender_.any_waiting() && !buffers_.has_sender()) {
            sender_.send_waiting();
        }
        if (congestion_.has_to_tell()) {
            congestion_.tell();
        }
        take_from_inbox(self, static_cast<std::size_t>(most), now);
    }
    const std::span packets = std::span{now.packets}.first(now.count);
    const std::size_t taken = hand_on(packets, into);
    for (const inbox::ended_copy &copy : std::span{now.copies}.first(now.copy_count)) {
        copy.hears->copied(copy.moved);
    }
    if (taken != 0) {
        const std::scoped_lock guard{lock_};
        boxes_.of(self).packets.drop_front(taken);
        for (const inbox::packet &each : packets.first(taken)) {
            rails_.receive_again(*each.in);
        }
        traffic_.add_received(taken);
    }
    if (taken != packets.size()) {
        throw std::bad_alloc{}; // the others stay where they are until there is memory for them
    }
    const int told = static_cast<int>(now.told()) + (now.has_failures ? tell_failures(self, into) : 0);
    // Who waits while its data move does best to look again at once: it is not idle.
    return told == 0 && now.moved ? 1 : told;
}

int network_fabric::tell_failures(int self, sink &into) {
    int told = 0;
    for (;;) {
        int process = 0;
        {
            const std::scoped_lock guard{lock_};
            const inbox &own = boxes_.of(self);
            if (own.failed.empty() ||
                !own.packets.empty()) { // what a peer has sent before it failed comes first
                return told;
            }
            process = own.failed.front();
        }
        for (int rank = 0; rank != job_.ranks; ++rank) {
            if (job_.process_of(rank) == process) {
                into.peer_failed(rank);
                ++told;
            }
        }
        const std::scoped_lock guard{lock_};
        boxes_.of(self).failed.erase(boxes_.of(self).failed.begin()); // only now: it may have thrown
    }
}

void network_fabric::take_from_inbox(int self, std::size_t most, found &into) {
    inbox &own = boxes_.of(self);
    const std::size_t room = std::min(into.packets.size(), most);
    into.count = std::min(room, own.packets.size());
    for (std::size_t place = 0; place != into.count; ++place) {
        into.packets[place] = own.packets[place];
    }
    into.copy_count = std::min(into.copies.size(), own.copies.size());
    for (std::size_t place = 0; place != into.copy_count; ++place) {
        into.copies[place] = own.copies[place];
    }
    own.copies.drop_front(into.copy_count);
    traffic_.add_received(into.copy_count);
    into.has_failures = !own.failed.empty();
}

void network_fabric::progress() {
    work_off();
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        rail &each = rails_[number];
        unhandled_.rail = number;
        unhandled_.count = each.is_open() ? each.endpoint().take_completions(unhandled_.all) : 0;
        unhandled_.next = 0;
        work_off();
        if (each.endpoint().any_lost()) {
            notice_lost_callers(number);
        }
    }
    if (copies_.any_under_way()) {
        copies_.advance();
    }
    if (acknowledged_.are_due()) {
        acknowledged_.tell();
    }
}

// What there is no memory for stays, and is treated before all that ends later.
void network_fabric::work_off() {
    // What a rail has ended before it was closed counts as lost, too.
    while (unhandled_.next != unhandled_.count && rails_[unhandled_.rail].is_open()) {
        ended(unhandled_.all[unhandled_.next]);
        ++unhandled_.next;
    }
    unhandled_.next = unhandled_.count;
}

void network_fabric::ended(const completion &end) {
    switch (end.of->what) {
    case operation::kind::receive: {
        auto &in = static_cast<buffer &>(*end.of);
        if (end.failed) {
            rails_.receive_again(in); // a peer ended in the middle of a frame; its failure shows elsewhere
        } else {
            arrivals_.arrived(in, end.bytes);
        }
        return;
    }
    case operation::kind::send: {
        auto &sent = static_cast<buffer &>(*end.of);
        const int process = sent.process;
        const std::size_t by = sent.rail;
        sender_.ended(sent);
        if (end.failed) {
            lost_rail(process, by);
        }
        return;
    }
    case operation::kind::copy: {
        const auto [process, by] = copies_.ended(static_cast<copied_piece &>(*end.of), !end.failed);
        if (end.failed) {
            lost_rail(process, by);
        }
        return;
    }
    }
}

// ---- sleeping ----

waking network_fabric::wakes(int self) const noexcept {
    const int descriptor = boxes_.descriptor(self);
    if (descriptor < 0) {
        constexpr std::uint64_t between_polls = 200'000;
        return {waking::by::polling, -1, between_polls};
    }
    return {waking::by::descriptor, descriptor, 0};
}

bool network_fabric::arm(int self) noexcept {
    const std::scoped_lock guard{lock_};
    inbox &own = boxes_.of(self);
    if (!own.empty() || (!buffers_.has_sender() && sender_.must_try()) || congestion_.has_to_tell() ||
        acknowledged_.are_due()) {
        return false;
    }
    own.armed = true;
    return rails_.may_wait();
}

} // namespace lisle::fabric::network
