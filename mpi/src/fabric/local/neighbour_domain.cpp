// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/neighbour_domain.hpp"

#include <cstring>
#include <sys/epoll.h>
#include <unistd.h>

namespace lisle::fabric::local {

namespace {

// After how many polls an owner that does not sleep asks whether a process has ended.
constexpr unsigned polls_between_looks = 10000;
// For a system that gives no descriptor to sleep on.
constexpr std::uint64_t longest_sleep = 1'000'000;

locality places_of(const introduction &all) {
    const std::uint64_t machine = all.processes[all.self].machine;
    job_shape shape;
    for (std::size_t place = 0; place != all.size(); ++place) {
        const introduced_process &each = all.processes[place];
        shape.ranks_of_process.push_back(each.rank_count);
        shape.node_of_process.push_back(each.machine == machine && all.has_neighbours(place) ? 0 : 1);
    }
    return locality{shape};
}

owned_descriptor epoll_of(int one, int other) noexcept {
    owned_descriptor both{epoll_create1(EPOLL_CLOEXEC)};
    for (const int each : {one, other}) {
        epoll_event event{.events = EPOLLIN, .data = {}};
        if (epoll_ctl(both.get(), EPOLL_CTL_ADD, each, &event) != 0) {
            return {};
        }
    }
    return both;
}

} // namespace

neighbour_domain::neighbour_domain(const introduction &all, read_thresholds reads)
    : memory_domain{places_, static_cast<int>(all.self), reads, nullptr, nullptr}, secret_{all.secret},
      places_{places_of(all)}, node_{places_.node_of_process(process())}, met_{places_.shape_of_node(node_)},
      ends_{all.size()},
      endpoints_(static_cast<std::size_t>(places_.rank_count(process()))), present_{places_.rank_count(
                                                                               process())} {
    for (std::size_t place = 0; place != all.size(); ++place) {
        members_.push_back({all.are_neighbours(all.self, place)});
    }
    if (places_.process_index_on_node(process()) == 0) {
        segment_ = node_segment::create_for_introduction(met_, secret_);
    }
    if (reads_.any()) {
        open_own_memory();
    }
}

endpoint_address neighbour_domain::offer() const {
    const offered said{getpid(), segment_ ? segment_->descriptor() : -1, endpoints_.front().pipe.name()};
    const auto *const bytes = reinterpret_cast<const std::byte *>(&said);
    return {bytes, bytes + sizeof said};
}

bool neighbour_domain::open(const std::vector<endpoint_address> &offers) {
    for (int index = 0; index != met_.processes(); ++index) {
        const int process = places_.process_on(node_, index);
        if (!take(process, offers[static_cast<std::size_t>(process)])) {
            return false;
        }
    }
    int index = places_.index_on_node(places_.first_rank(process()));
    for (endpoint &own : endpoints_) {
        segment_->pipe(index++) = own.pipe.name();
        own.sleeps = epoll_of(own.pipe.descriptor(), ends_.descriptor());
    }
    return true;
}

bool neighbour_domain::take(int process, const endpoint_address &offer) {
    offered said{};
    if (offer.size() != sizeof said) {
        return false;
    }
    std::memcpy(&said, offer.data(), sizeof said);
    if (!segment_) { // the first one has made it
        segment_ = node_segment::attach_to_that_of(said.process, said.memory);
        if (!segment_ || !segment_->is_of_introduction(met_, secret_)) {
            return false;
        }
        segment_->close_descriptor();
    }
    const auto place = static_cast<std::size_t>(process);
    members_[place].pid = said.process;
    if (!members_[place].stranger) {
        return true;
    }
    reads_ = peer_memory_open(said.process) ? reads_ : read_thresholds{};
    // Who can open one pipe of a process can open the others when they are needed.
    return ends_.watch(place, said.process) && open_wake_pipe(said.process, said.pipe);
}

bell neighbour_domain::bell_of(int index) noexcept {
    const int process = places_.process_of(places_.rank_on(node_, index));
    return bells_.emplace_back(pid_of(process), segment_->pipe(index),
                               ends_.has(static_cast<std::size_t>(process)), spare_);
}

waking neighbour_domain::wakes(std::size_t own) const noexcept {
    const owned_descriptor &sleeps = endpoints_[own].sleeps;
    return sleeps ? waking{.how = waking::by::descriptor, .descriptor = sleeps.get()}
                  : waking{.how = waking::by::polling, .nanoseconds = longest_sleep};
}

bool neighbour_domain::arm(std::size_t own) noexcept {
    endpoints_[own].pipe.clear(); // first: who sees that the owner sleeps writes to it afterwards
    look_for_ends();
    return endpoints_[own].told == ends_.count();
}

std::size_t neighbour_domain::ends(std::size_t own) noexcept {
    if (++endpoints_[own].polls == polls_between_looks) {
        endpoints_[own].polls = 0;
        look_for_ends();
    }
    return ends_.count();
}

void neighbour_domain::look_for_ends() noexcept {
    if (ends_.look()) {
        for (const endpoint &each : endpoints_) {
            each.pipe.ring(); // the end that was found wakes nobody any more
        }
    }
}

int neighbour_domain::tell_ends(std::size_t own, std::size_t ends, sink &into) {
    int told = 0;
    for (std::size_t &known = endpoints_[own].told; known != ends; ++known) {
        const auto gone = static_cast<int>(ends_.after(known));
        // A rank that needs nothing any more has not failed.
        if (segment_->left(places_.process_index_on_node(gone)).load(std::memory_order_acquire) == 0) {
            const int first = places_.first_rank(gone);
            for (int rank = first; rank != first + places_.rank_count(gone); ++rank, ++told) {
                into.peer_failed(rank);
            }
        }
    }
    return told;
}

void neighbour_domain::leave() noexcept {
    if (present_.fetch_sub(1, std::memory_order_relaxed) == 1) {
        segment_->left(places_.process_index_on_node(process())).store(1, std::memory_order_release);
    }
}

} // namespace lisle::fabric::local
