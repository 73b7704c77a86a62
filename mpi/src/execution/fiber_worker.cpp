// SPDX-License-Identifier: Apache-2.0
#include "execution/fiber_worker.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <utility>

namespace lisle {

namespace detail {
constinit thread_local fiber_worker *current_worker [[gnu::tls_model("initial-exec")]] = nullptr;
constinit std::atomic<void (*)()> after_turns{nullptr};
} // namespace detail

class fiber_worker::turn {
  public:
    explicit turn(fiber_worker &of) noexcept : of_{of} {
        of.between_.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~turn() { of_.end_turn(); }
    turn(const turn &) = delete;
    turn &operator=(const turn &) = delete;

  private:
    fiber_worker &of_;
};

[[gnu::always_inline]] inline void fiber_worker::end_turn() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    between_.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (auto *const called = detail::after_turns.load(std::memory_order_relaxed)) [[unlikely]] {
        called();
    }
}

fiber_worker::fiber_worker(const doorbell_row &bells, int first_index, const fiber_stacks &stacks,
                           const fiber_body &body)
    : home_{bells[0]}, units_between_bells_{bells.units_between()}, stacks_{stacks}, body_{body},
      first_index_{first_index}, count_{bells.size()}, alive_{count_},
      fibers_{std::make_unique<fiber[]>(static_cast<std::size_t>(count_))} {
    for (int i = 0; i < count_; ++i) {
        fiber &made = fibers_[static_cast<std::size_t>(i)];
        made.worker = this;
        made.index = first_index_ + i;
        append(made);
    }
}

fiber_worker::~fiber_worker() = default;

void fiber_worker::run() {
    places_ = {&errno, abi::__cxa_get_globals(),
               body_.place_of_extra != nullptr ? body_.place_of_extra() : nullptr};
    detail::current_worker = this;
    running_ = &root_;
    root_.begun = true;
    root_.now = state::parked; // until the last fiber has ended
    if (alive_ != 0) {
        switch_to(wait_for_ready());
    }
    detail::current_worker = nullptr;
}

void fiber_worker::begin(void *which) {
    fiber &self = *static_cast<fiber *>(which);
    self.worker->restore(self.kept);
    self.worker->end_turn();
    self.worker->body_.run(self.worker->body_.argument, self.index);
    self.worker->end_fiber();
}

fiber_worker::monopoly fiber_worker::find_monopoly(std::span<int> held_up) const noexcept {
    const fiber *const self = running_;
    if (self == nullptr || self->index < 0 || self->now != state::running) {
        return {-1, 0};
    }
    if (first_ == nullptr && !home_.any_rung() && resting_.empty()) {
        return {self->index, 0};
    }
    int count = 0;
    for (int i = 0; i < count_; ++i) {
        const fiber &each = fibers_[static_cast<std::size_t>(i)];
        if (&each != self && each.now != state::ended) {
            if (static_cast<std::size_t>(count) < held_up.size()) {
                held_up[static_cast<std::size_t>(count)] = each.index;
            }
            ++count;
        }
    }
    return {self->index, count};
}

bool fiber_worker::yield() noexcept {
    const turn given{*this};
    end_rests_now_and_then();
    if (!others_ready()) {
        return false;
    }
    run_first();
    return true;
}

void fiber_worker::run_next() noexcept {
    const turn given{*this};
    end_rests_now_and_then();
    run_first();
}

void fiber_worker::run_first() noexcept {
    fiber &next = *take_first();
    running_->now = state::ready;
    append(*running_);
    switch_to(next);
}

void fiber_worker::park(const doorbell &bell, std::uint32_t seen) noexcept {
    if (bell.value() == seen) {
        const turn given{*this};
        wait_for_turn();
    }
}

void fiber_worker::park_for(const doorbell &bell, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    if (bell.value() != seen) {
        return;
    }
    const std::int64_t now = body_.clock->nanoseconds();
    const auto most = static_cast<std::uint64_t>(job_clock::never - 1 - now);
    const resting entry{now + static_cast<std::int64_t>(std::min(nanoseconds, most)), ++rests_, running_};
    try {
        resting_.insert(entry);
    } catch (const std::bad_alloc &) { // the caller looks again the sooner
        yield();
        return;
    }
    const turn given{*this};
    wait_for_turn();
    resting_.erase(entry); // if the bell was first
}

void fiber_worker::wait_for_turn() noexcept {
    // Rings from here on put the bell on the home's list, which is looked at below or by the next fiber.
    fiber &self = *running_;
    self.now = state::parked;
    fiber &next = wait_for_ready();
    if (&next == &self) {
        self.now = state::running;
    } else {
        switch_to(next);
    }
}

std::int64_t fiber_worker::end_rests() noexcept {
    const std::int64_t now = resting_.empty() ? 0 : body_.clock->nanoseconds();
    while (!resting_.empty()) {
        const auto [end, number, rested] = *resting_.begin();
        if (end > now) {
            return end;
        }
        resting_.erase(resting_.begin());
        if (rested->now == state::parked) { // else its bell has rung already
            rested->now = state::ready;
            append(*rested);
        }
    }
    return job_clock::never;
}

bool fiber_worker::let_time_pass() noexcept {
    const bool passed = body_.clock->all_blocked(end_rests());
    end_rests();
    return passed;
}

void fiber_worker::end_rests_now_and_then() noexcept {
    constexpr unsigned turns = 16; // the clock takes as long as a switch
    if (!resting_.empty() && ++turns_ % turns == 0) {
        end_rests();
    }
}

void fiber_worker::end_fiber() noexcept {
    between_.store(true, std::memory_order_relaxed); // the fiber has no turn any more
    fiber &self = *running_;
    self.now = state::ended;
    fiber &next = --alive_ == 0 ? root_ : wait_for_ready();
    hand_over_to(next);
    self.way.leave_for(next.way);
}

void fiber_worker::append(fiber &ready) noexcept {
    ready.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &ready;
    last_ = &ready;
}

fiber_worker::fiber *fiber_worker::take_first() noexcept {
    return std::exchange(first_, first_->next);
}

void fiber_worker::collect_rung() noexcept {
    // The list has the newest first; those that rang first are to run first.
    fiber *oldest = nullptr;
    for (std::uint32_t entry = home_.take_rung(); entry != 0;) {
        const std::uint32_t units = entry - 1;
        const std::uint32_t index = units / units_between_bells_;
        if (units % units_between_bells_ != 0 || index >= static_cast<std::uint32_t>(count_)) {
            std::fprintf(stderr,
                         "lisle: the list of a worker's bells names entry %u of %d: a process of the "
                         "job has overwritten the shared memory\n",
                         index, count_);
            std::abort();
        }
        auto *const place = reinterpret_cast<char *>(&home_) + std::size_t{units} * doorbell::unit;
        entry = reinterpret_cast<doorbell *>(place)->leave_list();
        fiber &called = fibers_[index];
        if (called.now == state::parked) {
            called.now = state::ready;
            called.next = oldest;
            oldest = &called;
        }
    }
    while (oldest != nullptr) {
        append(*std::exchange(oldest, oldest->next));
    }
}

fiber_worker::fiber &fiber_worker::wait_for_ready() noexcept {
    for (std::int64_t next_end = end_rests(); !others_ready(); next_end = end_rests()) {
        if (!body_.clock->all_blocked(next_end)) {
            const std::int64_t now = next_end == job_clock::never ? 0 : body_.clock->nanoseconds();
            sleep_at_home(next_end == job_clock::never
                              ? 0
                              : static_cast<std::uint64_t>(std::max<std::int64_t>(next_end - now, 1)));
        }
    }
    return *take_first();
}

void fiber_worker::sleep_at_home(std::uint64_t at_most) noexcept {
    if (at_most != 0 || body_.waits == nullptr) {
        home_.sleep_at_home(at_most);
    } else {
        body_.waits->sleep_at_home(body_.first_on_node + first_index_, parked_for_others_);
    }
}

void fiber_worker::switch_to(fiber &next) noexcept {
    fiber &self = *running_;
    save(self.kept);
    hand_over_to(next);
    self.way.switch_to(next.way);
    restore(self.kept);
}

void fiber_worker::hand_over_to(fiber &next) noexcept {
    switches_.store(switches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    running_ = &next;
    next.now = state::running;
    if (!next.begun) [[unlikely]] {
        next.begun = true;
        next.way.prepare(stacks_.top(static_cast<std::size_t>(next.index)), stacks_.bytes(), &begin, &next);
    }
}

void fiber_worker::save(thread_state &into) const noexcept {
    into.of_rank = detail::current_rank;
    into.error_number = *places_.error_number;
    std::memcpy(into.exceptions, places_.exceptions, sizeof into.exceptions);
    if (places_.extra != nullptr) {
        into.extra = *places_.extra;
    }
}

void fiber_worker::restore(const thread_state &from) const noexcept {
    detail::current_rank = from.of_rank;
    *places_.error_number = from.error_number;
    std::memcpy(places_.exceptions, from.exceptions, sizeof from.exceptions);
    if (places_.extra != nullptr) {
        *places_.extra = from.extra;
    }
}

} // namespace lisle
