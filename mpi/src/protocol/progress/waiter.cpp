// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/waiter.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <mutex>
#include <new>
#include <optional>
#include <sched.h>

#include "execution/other_threads.hpp"
#include "execution/shared_task.hpp"
#include "execution/usable_cores.hpp"

namespace lisle::protocol {

namespace {

// Looks at the own mailbox alone, each a few instructions, before the general way to wait begins: about two
// microseconds, the time of an answer from a rank that runs. Only where a rank may keep its core.
constexpr unsigned brief_looks_alone = 1000;
// A rank that tests in a loop of its own offers its core once in so many looks if cores are few.
constexpr unsigned looks_for_offer = 8;
// And where each rank of this node has a processor, for those that nobody here knows of: of other containers
// and jobs.
constexpr unsigned looks_for_rare_offer = 1024;
// Threads that look at each other's engines meet there, which is what several engines are to avoid.
constexpr unsigned looks_for_elsewhere = 16;
// A rank that finds no room to send does so more often than not because the receiver is not running.
constexpr unsigned tries_for_offer = 16;
// Lets others run on this core. False if they took it for long: then a thread that looks again and again
// pays a whole turn of theirs for each look, while a sleeper is run as soon as it is woken.
bool offer_core(std::chrono::nanoseconds long_turn) {
    const std::int64_t before = real_clock::now(); // of the machine, whatever time the job lives by
    sched_yield();
    return real_clock::now() - before < long_turn.count();
}

/// How many ranks take turns on the calling thread.
unsigned fibers_of_caller() noexcept {
    const fiber_worker *const worker = fiber_worker::current();
    return worker != nullptr ? static_cast<unsigned>(worker->fibers()) : 1;
}

/// What the calling thread tells of its wait where several threads of a rank may call MPI: each is asked,
/// since one answers for the rank.
class thread_place {
  public:
    thread_place(wait_table &waits, int rank) noexcept : waits_{waits}, rank_{rank} {}
    thread_place(const thread_place &) = delete;
    thread_place &operator=(const thread_place &) = delete;
    ~thread_place() {
        if (place_) {
            waits_.give_thread_place(rank_, *place_);
        }
    }
    /// Tells it if there has been a question since it last did.
    [[gnu::cold, gnu::noinline]] void tell(rank &self, const awaited *what) {
        const std::uint32_t question = waits_.latest_question();
        if (question == told_) {
            return;
        }
        told_ = question;
        place_ = place_ ? place_ : waits_.take_thread_place(rank_);
        if (!place_) {
            return;
        }
        wait_note note{};
        if (what != nullptr) {
            what->describe(note);
        }
        complete_note(self, note);
        waits_.tell_of_thread(rank_, *place_, note);
    }

  private:
    wait_table &waits_;
    int rank_;
    std::uint32_t told_ = 0;
    std::optional<int> place_;
};

spin_policy policy_of(const job &all) noexcept {
    return all.clock().simulated() ? spin_policy{.before_yield = 0, .before_sleep = 0, .among_fibers = 0}
                                   : spin_policy_for(all.threads_on_machine(), usable_cores());
}

} // namespace

waiter::waiter(engine_core &core, message_mover &mover, const rank_waiters &all)
    : core_{core}, mover_{mover}, all_{all}, policy_{policy_of(core.self.job)},
      brief_looks_{core.self.job.oversubscribed() || policy_.before_yield == 0 ? 0 : brief_looks_alone} {}

unsigned waiter::brief_turns(const fiber_worker &worker) const noexcept {
    constexpr unsigned least = 2;
    return std::max(least, brief_looks_ / static_cast<unsigned>(worker.fibers()));
}

bool waiter::progress() {
    const bool advanced = progressors_.any() && advance_progressors();
    return mover_.move() || advanced;
}

bool waiter::progress_elsewhere() {
    bool any = false;
    if (all_.several()) {
        all_.each([&](std::size_t, waiter &other) { any = (&other != this && other.progress()) || any; });
    }
    return any;
}

bool waiter::advance_progressors() {
    progressor *work = progressors_.take();
    if (work == nullptr) {
        return false;
    }
    const auto before = news();
    bool finished_any = false;
    try {
        finished_any = progressors::advance(work);
    } catch (...) {
        if (work != nullptr) {
            progressors_.put_back(*work);
        }
        throw;
    }
    if (work == nullptr) {
        return finished_any;
    }
    progressors_.put_back(*work);
    if (news() != before) {
        // What came meanwhile may be for work that had been visited already, and another thread may have
        // looked for work, found none, and gone to sleep: let it look again.
        const std::scoped_lock guard{core_};
        core_.note_news_locked();
    }
    return finished_any;
}

waiter::all_news waiter::news() const {
    all_news now{};
    all_.each([&now](std::size_t track, waiter &each) {
        const std::scoped_lock guard{each.core_.bare_lock()};
        now[track] = each.core_.news_locked();
    });
    return now;
}

void waiter::sleep_on_bell(std::uint32_t seen, std::uint64_t at_most) {
    fiber_worker *const worker = fiber_worker::current();
    doorbell &bell = core_.self.owner.bell();
    wait_table &waits = core_.self.job.waits();
    // Not counted among the ranks that only the own job can wake, but its record tells that it sleeps.
    const bool is_for_jobs =
        at_most == message_mover::longest_for_other_jobs && core_.self.owner.calls_alone();
    if (is_for_jobs) {
        waits.park(core_.self.on_node, seen);
    }
    if (worker != nullptr && at_most != 0) {
        worker->park_for(bell, seen, at_most);
    } else if (worker != nullptr) {
        waits.park(core_.self.on_node, seen);
        worker->park_for_others(bell, seen);
        waits.unpark(core_.self.on_node, seen);
    } else if (at_most != 0) {
        bell.sleep(seen, at_most);
    } else {
        waits.sleep(core_.self.on_node, seen);
    }
    if (is_for_jobs) {
        waits.unpark(core_.self.on_node, seen);
    }
}

void waiter::sleep_unless_news(all_news &seen, std::uint64_t at_most) {
    // The order matters: the bell's value first, then the last look for news, then sleep. News ring the
    // bell if they find sleepers under the lock; packets do if they find the fabric armed.
    const std::uint32_t bell_seen = core_.self.owner.bell().value();
    if (help_wanted()) [[unlikely]] {
        return;
    }
    std::uint64_t longest = at_most;
    std::array<waiter *, fabric::most_tracks> asleep{};
    bool may_sleep = true;
    all_.each([&](std::size_t track, waiter &each) {
        may_sleep = may_sleep && each.mover_.begin_sleep(seen[track], longest);
        asleep[track] = may_sleep ? &each : nullptr;
    });
    if (may_sleep) {
        core_.counts.add(counted::sleeps);
        sleep_on_bell(bell_seen, longest);
        core_.self.job.clock().program_pauses();
    }
    for (waiter *const each : asleep) {
        if (each != nullptr) {
            each->mover_.end_sleep();
        }
    }
}

void waiter::wait_until(bool (*done)(void *), void *argument, const awaited *what) {
    fiber_worker *const worker = fiber_worker::current();
    unsigned idle = 0;
    all_news news_seen{};
    counted_wait counted;
    bool has_answered = false;
    const auto should_look_elsewhere = [&] {
        return all_.several() &&
               (idle % looks_for_elsewhere == looks_for_elsewhere - 1 || idle > policy_.before_yield);
    };
    thread_place own_place{core_.self.job.waits(), core_.self.on_node};
    const auto sleep = [&] {
        counted.count(worker != nullptr);
        if (!core_.self.owner.calls_alone()) [[unlikely]] {
            own_place.tell(core_.self.owner, what);
        }
        sleep_unless_news(news_seen);
    };
    while (!done(argument)) {
        if (core_.self.job.waits().asked(core_.self.on_node)) [[unlikely]] {
            counted.count(worker != nullptr);
            answer_question(what);
            has_answered = true;
        }
        if (progress() || (should_look_elsewhere() && progress_elsewhere())) {
            idle = 0;
            continue;
        }
        if (help_wanted() && help_once(core_.self.owner)) [[unlikely]] {
            idle = 0;
            continue;
        }
        idle += idle != UINT_MAX ? 1 : 0;
        if (worker != nullptr && worker->others_ready()) {
            if (idle <= policy_.among_fibers) {
                worker->yield();
            } else {
                sleep();
            }
        } else if (idle > policy_.before_sleep) {
            sleep();
        } else if (idle <= policy_.before_yield) {
            relax();
        } else if (!offer_core(policy_.long_turn) && policy_.before_sleep != UINT_MAX) {
            idle = policy_.before_sleep;
        }
    }
    if (has_answered) [[unlikely]] {
        core_.self.job.waits().withdraw(core_.self.on_node);
    }
}

void waiter::found_nothing() noexcept {
    // Not fetch_add: an increment that is lost between two threads of the rank does not matter.
    const unsigned looks = fruitless_.load(std::memory_order_relaxed) + 1;
    fruitless_.store(looks, std::memory_order_relaxed);
    if (core_.self.job.waits().asked(core_.self.on_node)) [[unlikely]] {
        answer_question(nullptr, looks);
    }
    if (looks % looks_for_elsewhere == 0 && progress_elsewhere()) {
        return;
    }
    let_core_catch_up();
    if (core_.self.job.clock().leaves_open()) [[unlikely]] {
        core_.self.job.clock().found_nothing(core_.self.number);
        return;
    }
    if (fiber_worker *const worker = fiber_worker::current(); worker != nullptr && worker->yield()) {
        core_.self.job.clock().program_goes_on();
    }
    // Fibers that test in turn keep their worker from sleeping as one rank would: they offer the core as
    // often as it.
    if (looks % (looks_between_offers() * fibers_of_caller()) == 0) {
        sched_yield();
    }
}

unsigned waiter::looks_between_offers() const noexcept {
    return core_.self.job.oversubscribed() ? looks_for_offer : looks_for_rare_offer;
}

void waiter::let_core_catch_up() {
    fiber_worker *const worker = fiber_worker::current();
    while (core_.self.job.clock().computing(core_.self.number)) {
        core_.self.job.clock().program_pauses();
        if (!progress() && worker != nullptr) {
            worker->yield();
        }
    }
    core_.self.job.clock().program_goes_on();
}

void waiter::found_no_room(unsigned &tries) {
    if (!core_.polled.empty()) [[unlikely]] { // one of them may have to be asked before it sends on
        const std::scoped_lock guard{core_.bare_lock()};
        core_.polled.ask_all_once();
    }
    if (progress() || progress_elsewhere()) {
        return;
    }
    ++tries;
    if (fiber_worker *const worker = fiber_worker::current(); worker != nullptr && worker->yield()) {
        if (tries % (tries_for_offer * fibers_of_caller()) == 0) {
            sched_yield(); // all fibers of the worker may be at this
        }
    } else if (tries > policy_.before_sleep) {
        // The receiver does not run, or not here: no news of it will come, so not for long.
        auto seen = news();
        if (!progress()) {
            sleep_unless_news(seen, message_mover::retry_nanoseconds);
        }
    } else if (tries % tries_for_offer == 0) {
        sched_yield();
    } else {
        relax();
    }
}

void waiter::answer_question(const awaited *what, unsigned looks) {
    wait_table &waits = core_.self.job.waits();
    const std::uint32_t question = waits.take_question(core_.self.on_node);
    if (question == 0) {
        return;
    }
    const std::uint32_t ended = waits_ended(); // before anything is looked at
    wait_note &note = waits.note_of(core_.self.on_node);
    note = {};
    if (what != nullptr) {
        what->describe(note);
    }
    try {
        complete_note(core_.self.owner, note);
    } catch (const std::bad_alloc &) {
        return; // a rank that lacks memory leaves the question open: that is no reason for its call to fail
    }
    const auto one_waits_for = [&](wait_note::sort sort) {
        return note.waits_for(sort) ||
               std::ranges::any_of(waits.notes_of_threads(core_.self.on_node),
                                   [sort](const wait_note &each) { return each.waits_for(sort); });
    };
    // Other threads of the rank may do what it waits for, if they may call MPI. They may complete its
    // generalized requests whatever the level of thread support, and so may handlers of signals.
    const bool one_calls = core_.self.owner.calls_alone();
    const bool own = one_waits_for(wait_note::sort::uncompleted);
    const bool alone = (one_calls && !own) || !is_anybody_else_at_work(core_.self.job.workers());
    const bool for_ranks =
        what != nullptr && !one_waits_for(wait_note::sort::outside) && !(own && may_a_handler_run());
    note.only_ranks = one_calls && alone && for_ranks ? 1 : 0;
    note.looks = looks;
    if (waits.answer(core_.self.on_node, question,
                     {.only_ranks = alone && for_ranks, .waits_ended = ended})) {
        end_in_deadlock(core_.self.owner, question);
    }
}

} // namespace lisle::protocol
