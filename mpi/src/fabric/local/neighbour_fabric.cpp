// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/neighbour_fabric.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.hpp"
#include "fabric/local/peer_memory.hpp"
#include "mpi.h"

namespace lisle::fabric::local {

namespace {

// After how many polls in vain an owner that does not sleep asks whether a process has ended.
constexpr unsigned polls_between_looks = 10000;
// For a system that gives no descriptor to sleep on.
constexpr std::uint64_t longest_sleep = 1'000'000;

owned_descriptor open_life(pid_t process) noexcept {
    return owned_descriptor{static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
}

/// One that is good for nothing but to be there.
owned_descriptor keep_descriptor() noexcept {
    return owned_descriptor{epoll_create1(EPOLL_CLOEXEC)};
}

bool is_readable(int descriptor) noexcept {
    pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&asked, 1, 0) == 1;
}

bool watch(int together, int source) noexcept {
    epoll_event event{};
    event.events = EPOLLIN;
    return epoll_ctl(together, EPOLL_CTL_ADD, source, &event) == 0;
}

} // namespace

// ---- how it comes about ----

neighbour_fabric::neighbour_fabric(const introduction &all, read_thresholds reads)
    : secret_{all.secret}, reads_{reads} {
    const std::uint64_t machine = all.processes[all.self].machine;
    int first_rank = 0, first_index = 0;
    for (std::size_t place = 0; place != all.size(); ++place) {
        const introduced_process &each = all.processes[place];
        if (each.machine == machine && all.has_neighbours(place)) {
            self_ = place == all.self ? members_.size() : self_;
            members_.push_back(
                {place, all.are_neighbours(all.self, place), first_rank, first_index, each.rank_count});
            first_index += each.rank_count;
        }
        first_rank += each.rank_count;
    }
    members_[self_].pid = getpid();
    pipes_.resize(static_cast<std::size_t>(members_[self_].rank_count));
    spare_ = keep_descriptor();
    ended_.resize(members_.size());
    has_ended_ = std::make_unique<std::atomic<bool>[]>(members_.size());
    peers_.resize(static_cast<std::size_t>(first_rank));
    if (self_ == 0) {
        memory_ = neighbour_memory::make(sharers());
    }
    if (reads_.any()) {
        open_own_memory();
    }
}

neighbour_memory::sharers neighbour_fabric::sharers() const noexcept {
    const member &last = members_.back();
    return {secret_, static_cast<int>(members_.size()), last.first_index + last.rank_count};
}

endpoint_address neighbour_fabric::offer() const {
    const offered said{members_[self_].pid, memory_ ? memory_->descriptor() : -1, pipes_.front().name()};
    const auto *const bytes = reinterpret_cast<const std::byte *>(&said);
    return {bytes, bytes + sizeof said};
}

bool neighbour_fabric::open(const std::vector<endpoint_address> &offers) {
    for (member &each : members_) {
        if (!take(each, offers[each.place])) {
            return false;
        }
    }
    make_endpoints();
    return true;
}

bool neighbour_fabric::take(member &from, const endpoint_address &offer) {
    offered said{};
    if (offer.size() != sizeof said) {
        return false;
    }
    std::memcpy(&said, offer.data(), sizeof said);
    if (!memory_) { // the first one has made it
        memory_ = neighbour_memory::open(said.process, said.memory, sharers());
    }
    from.pid = said.process;
    if (!from.stranger) {
        return memory_.has_value();
    }
    from.life = open_life(from.pid);
    reads_ = peer_memory_open(from.pid) ? reads_ : read_thresholds{};
    // Who can open one pipe of a process can open the others when they are needed.
    return memory_ && from.life && open_wake_pipe(from.pid, said.pipe);
}

void neighbour_fabric::make_endpoints() {
    const member &own = members_[self_];
    endpoints_.reserve(static_cast<std::size_t>(own.rank_count));
    for (int rank = 0; rank != own.rank_count; ++rank) {
        const int index = own.first_index + rank;
        endpoints_.push_back(endpoint{mailbox_receiver{memory_->mailbox(index), memory_->layout()},
                                      std::move(pipes_[static_cast<std::size_t>(rank)])});
        endpoint &made = endpoints_.back();
        memory_->pipe(index) = made.pipe.name();
        made.sleeps = owned_descriptor{epoll_create1(EPOLL_CLOEXEC)};
        bool all = made.sleeps && watch(made.sleeps.get(), made.pipe.descriptor());
        for (const member &each : members_) {
            all = all && (!each.stranger || watch(made.sleeps.get(), each.life.get()));
        }
        if (!all) {
            made.sleeps.reset();
        }
    }
    present_.store(own.rank_count, std::memory_order_relaxed);
}

void neighbour_fabric::begin() {
    for (std::size_t each = 0; each != members_.size(); ++each) {
        const member &one = members_[each];
        auto next = peers_.begin() + one.first_rank;
        for (int index = one.first_index; one.stranger && index != one.first_index + one.rank_count;
             ++index) {
            const mailbox_sender mailbox{memory_->mailbox(index), memory_->layout()};
            *next++ = std::make_unique<peer>(each, mailbox, memory_->pipe(index));
        }
    }
    memory_->close_descriptor();
}

// ---- packets ----

route_limits neighbour_fabric::limits(int) const noexcept {
    return {.largest_payload = mailbox_sender::largest_payload(memory_->layout()),
            .least_read = reads_.least,
            .surely_read = reads_.surely};
}

claim_result neighbour_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept {
    peer &to = *at(dest);
    if (has_ended_[to.process].load(std::memory_order_relaxed)) {
        return claim_result::failed;
    }
    return to.mailbox.try_claim(signed_by(self), payload_bytes, solicited, slot);
}

void neighbour_fabric::publish(int dest, packet_slot &slot) noexcept {
    peer &to = *at(dest);
    to.mailbox.publish(slot);
    if (mailbox_sender::wakes(slot)) {
        wake(to);
    }
}

int neighbour_fabric::poll(int self, sink &into, int most) {
    endpoint &one = endpoints_[own_index(self)];
    // Before the look into the mailbox: what an ended process has sent comes before the word that it has
    // ended.
    const std::size_t ends = ends_.load(std::memory_order_acquire);
    int news = one.mailbox.poll(into, most);
    if (news == most) {
        return news;
    }
    news += tell_ends(one, ends, into);
    if (news == 0 && ++one.idle == polls_between_looks) {
        one.idle = 0;
        look_for_ends();
    }
    return news;
}

void neighbour_fabric::set_congested(int self, bool congested) noexcept {
    endpoints_[own_index(self)].mailbox.set_congested(congested);
}

// ---- sleeping ----

waking neighbour_fabric::wakes(int self) const noexcept {
    const owned_descriptor &sleeps = endpoints_[own_index(self)].sleeps;
    return sleeps ? waking{.how = waking::by::descriptor, .descriptor = sleeps.get()}
                  : waking{.how = waking::by::polling, .nanoseconds = longest_sleep};
}

bool neighbour_fabric::arm(int self) noexcept {
    endpoint &one = endpoints_[own_index(self)];
    one.pipe.clear(); // first: who sees that the owner sleeps writes to it afterwards
    look_for_ends();
    return one.told == ends_.load(std::memory_order_acquire) && one.mailbox.arm();
}

void neighbour_fabric::wake(peer &sleeping) noexcept {
    int to = sleeping.opened.load(std::memory_order_acquire);
    if (to == peer::none) {
        owned_descriptor opened = open_wake_pipe(process_of(sleeping), sleeping.pipe);
        if (!opened) {
            if (errno == EMFILE) {
                wake_with_spare(sleeping);
            }
            return; // else it has ended, and is found to have
        }
        if (sleeping.opened.compare_exchange_strong(to, opened.get(), std::memory_order_acq_rel)) {
            to = opened.release();
        }
    }
    write_to_wake_pipe(to);
}

void neighbour_fabric::wake_with_spare(const peer &sleeping) noexcept {
    const std::scoped_lock guard{waking_};
    spare_.reset();
    if (const owned_descriptor opened = open_wake_pipe(process_of(sleeping), sleeping.pipe)) {
        write_to_wake_pipe(opened.get());
    }
    spare_ = keep_descriptor();
}

// ---- ends ----

void neighbour_fabric::leave(int) noexcept {
    if (present_.fetch_sub(1, std::memory_order_relaxed) == 1) {
        memory_->left(self_).store(1, std::memory_order_release);
    }
}

void neighbour_fabric::look_for_ends() noexcept {
    const std::scoped_lock guard{looking_};
    for (std::size_t each = 0; each != members_.size(); ++each) {
        member &one = members_[each];
        if (!one.life || !is_readable(one.life.get())) {
            continue;
        }
        for (const endpoint &own : endpoints_) {
            epoll_ctl(own.sleeps.get(), EPOLL_CTL_DEL, one.life.get(), nullptr);
        }
        one.life.reset();
        has_ended_[each].store(true, std::memory_order_relaxed);
        ended_[ends_.load(std::memory_order_relaxed)] = each;
        ends_.fetch_add(1, std::memory_order_release);
    }
}

int neighbour_fabric::tell_ends(endpoint &one, std::size_t ends, sink &into) {
    int told = 0;
    for (; one.told != ends; ++one.told) {
        const member &gone = members_[ended_[one.told]];
        for (int rank = gone.first_rank; rank != gone.first_rank + gone.rank_count; ++rank) {
            // A rank that needs nothing any more has not failed.
            if (at(rank) != nullptr && memory_->left(ended_[one.told]).load(std::memory_order_acquire) == 0) {
                into.peer_failed(rank);
                ++told;
            }
        }
    }
    return told;
}

// ---- remote_memory ----

copy_start neighbour_fabric::start_read(int, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &) noexcept {
    return read_peer_memory(process_of(*at(from.peer)), from.address, to) ? copy_start::done
                                                                          : copy_start::refused;
}

copy_start neighbour_fabric::start_write(int, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &) noexcept {
    return write_peer_memory(process_of(*at(to.peer)), to.address, from) ? copy_start::done
                                                                         : copy_start::refused;
}

} // namespace lisle::fabric::local
