// SPDX-License-Identifier: Apache-2.0
// The waiting primitive: look, help, spin, let others run, sleep. A thread that waits offers its core after a
// while and then sleeps on its rank's doorbell; a fiber lets the other fibers of its worker run, and is
// parked until its doorbell calls it (sleeping.hpp). See docs/design/waiting.md.
#include <algorithm>
#include <chrono>
#include <climits>
#include <mutex>
#include <sched.h>

#include "base/settings.hpp"
#include "execution/fiber_worker.hpp"
#include "execution/other_threads.hpp"
#include "execution/shared_task.hpp"
#include "protocol/eager/short_path.hpp"
#include "protocol/engine.hpp"
#include "protocol/progress/sleeping.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

namespace {

// Where threads have cores of their own; other programs use cores, too, so they are offered here as well.
constexpr spin_policy alone{.before_yield = 300, .before_sleep = 1000, .among_fibers = 2};
// Where threads share cores: a rank that is awaited is perhaps not running.
constexpr spin_policy crowded{.before_yield = 50, .before_sleep = 200, .among_fibers = 2};
// Where many do: a rank that is awaited is most likely not running.
constexpr unsigned looks_in_a_throng = 2;
// Where hundreds share a core, each offer of it is a switch to one that waits as well: a sleeper costs less.
constexpr int threads_in_a_crush = 128;
constexpr unsigned looks_in_a_crush = 16;
// A turn of all others is longer the more they are. One that computes takes the core for milliseconds.
constexpr std::chrono::microseconds turn_of_each{8};
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

} // namespace

spin_policy spin_policy_for(int threads, int cores) noexcept {
    spin_policy chosen = threads > cores ? crowded : alone;
    if (threads > 2 * cores) {
        chosen.before_yield = looks_in_a_throng;
        chosen.long_turn += turn_of_each * (threads / cores);
    }
    if (threads / threads_in_a_crush > cores) {
        chosen.before_sleep = looks_in_a_crush;
    }
    const std::int64_t wait = value_of(setting::wait);
    if (wait >= 0) {
        chosen.before_sleep = static_cast<unsigned>(wait);
        return chosen;
    }
    switch (static_cast<wait_manner>(wait)) {
    case wait_manner::adaptive:
        return chosen;
    case wait_manner::spin:
        return {.before_yield = UINT_MAX,
                .before_sleep = UINT_MAX,
                .among_fibers = UINT_MAX,
                .long_turn = chosen.long_turn};
    case wait_manner::yield:
        return {.before_yield = 0,
                .before_sleep = UINT_MAX,
                .among_fibers = UINT_MAX,
                .long_turn = chosen.long_turn};
    case wait_manner::park:
        return {.before_yield = 0, .before_sleep = 0, .among_fibers = 0, .long_turn = chosen.long_turn};
    }
    return chosen;
}

unsigned engine::brief_looks() const noexcept {
    fiber_worker *const worker = fiber_worker::current();
    return worker != nullptr && worker->others_ready() ? 0 : brief_looks_;
}

unsigned engine::brief_turns(const fiber_worker &worker) const noexcept {
    constexpr unsigned least = 2;
    return std::max(least, brief_looks_ / static_cast<unsigned>(worker.fibers()));
}

bool engine::let_others_run(short_receive &wanted) noexcept {
    if (one_worker_) {
        wanted.claimed = mailboxes_[number_]->claimed();
        awaited_ = &wanted;
    }
    fiber_worker::current()->run_next();
    awaited_ = nullptr;
    return wanted.taken;
}

bool engine::receive_short_as_fiber(std::byte *to, MPI_Count room, envelope pattern, MPI_Status *status) {
    short_receive wanted{to, room, pattern, status};
    return spin_policy_.among_fibers != 0 && (let_others_run(wanted) || look_again_as_fiber(wanted));
}

bool engine::look_again_as_fiber(short_receive &wanted) {
    for (unsigned turns = 1;; ++turns) {
        if (progressors_.any() || !lock_.try_lock()) {
            return false;
        }
        const attempt result = checks_types_
                                   ? take_if_idle_locked<true>(wanted.to, wanted.room, wanted.pattern,
                                                               wanted.status, wanted.elements)
                                   : take_if_idle_locked<false>(wanted.to, wanted.room, wanted.pattern,
                                                                wanted.status, basic_type::none);
        lock_.unlock();
        if (result != attempt::too_early || turns == spin_policy_.among_fibers) {
            return result == attempt::taken;
        }
        if (let_others_run(wanted)) {
            return true;
        }
    }
}

void engine::wait_until(bool (*done)(void *), void *argument, const awaited *what) {
    fiber_worker *const worker = fiber_worker::current();
    unsigned idle = 0;
    sleeping::all_news news_seen{};
    counted_wait counted;
    bool has_answered = false;
    const auto should_look_elsewhere = [&] {
        return owner_.tracks().several() &&
               (idle % looks_for_elsewhere == looks_for_elsewhere - 1 || idle > spin_policy_.before_yield);
    };
    const auto sleep = [&] {
        counted.count();
        sleeping::unless_news(*this, news_seen);
    };
    while (!done(argument)) {
        if (job_.waits().asked(on_node_)) [[unlikely]] {
            counted.count();
            answer_question(what);
            has_answered = true;
        }
        if (progress() || (should_look_elsewhere() && progress_elsewhere())) {
            idle = 0;
            continue;
        }
        if (help_wanted() && help_once(owner_)) [[unlikely]] {
            idle = 0;
            continue;
        }
        idle += idle != UINT_MAX ? 1 : 0;
        if (worker != nullptr && worker->others_ready()) {
            if (idle <= spin_policy_.among_fibers) {
                worker->yield();
            } else {
                sleep();
            }
        } else if (idle > spin_policy_.before_sleep) {
            sleep();
        } else if (idle <= spin_policy_.before_yield) {
            relax();
        } else if (!offer_core(spin_policy_.long_turn) && spin_policy_.before_sleep != UINT_MAX) {
            idle = spin_policy_.before_sleep;
        }
    }
    if (has_answered) [[unlikely]] {
        job_.waits().withdraw(on_node_);
    }
}

void engine::found_nothing() noexcept {
    // Not fetch_add: an increment that is lost between two threads of the rank does not matter.
    const unsigned looks = fruitless_.load(std::memory_order_relaxed) + 1;
    fruitless_.store(looks, std::memory_order_relaxed);
    if (job_.waits().asked(on_node_)) [[unlikely]] {
        answer_question(nullptr, looks);
    }
    if (looks % looks_for_elsewhere == 0 && progress_elsewhere()) {
        return;
    }
    let_core_catch_up();
    if (fiber_worker *const worker = fiber_worker::current(); worker != nullptr && worker->yield()) {
        clock_.program_goes_on();
        return;
    }
    if (looks % (job_.oversubscribed() ? looks_for_offer : looks_for_rare_offer) == 0) {
        sched_yield();
    }
}

void engine::let_core_catch_up() {
    fiber_worker *const worker = fiber_worker::current();
    while (clock_.computing(number_)) {
        clock_.program_pauses();
        if (!progress() && worker != nullptr) {
            worker->yield();
        }
    }
    clock_.program_goes_on();
}

void engine::found_no_room(unsigned &tries) {
    if (!others_.empty()) [[unlikely]] { // one of them may have to be asked before it sends on
        const std::scoped_lock guard{lock_};
        others_.ask_all_once();
    }
    if (progress() || progress_elsewhere()) {
        return;
    }
    if (fiber_worker *const worker = fiber_worker::current(); worker != nullptr && worker->yield()) {
        return;
    }
    if (++tries > spin_policy_.before_sleep) {
        // The receiver does not run, or not here: no news of it will come, so not for long.
        auto seen = sleeping::news_of(*this);
        if (!progress()) {
            sleeping::unless_news(*this, seen, sleeping::retry_nanoseconds);
        }
    } else if (tries % tries_for_offer == 0) {
        sched_yield();
    } else {
        relax();
    }
}

void engine::answer_question(const awaited *what, unsigned looks) {
    wait_table &waits = job_.waits();
    const std::uint32_t question = waits.take_question(on_node_);
    if (question == 0) {
        return;
    }
    const std::uint32_t ended = waits_ended(); // before anything is looked at
    wait_note &note = waits.note_of(on_node_);
    note = {};
    if (what != nullptr) {
        what->describe(note);
    }
    complete_note(owner_, note);
    // Other threads of the rank may do what it waits for, if they may call MPI.
    const bool one_calls = owner_.calls_alone();
    const bool alone = one_calls || !is_anybody_else_at_work(job_.workers());
    const bool for_ranks = what != nullptr && !note.waits_outside();
    note.only_ranks = one_calls && for_ranks ? 1 : 0;
    note.looks = looks;
    if (waits.answer(on_node_, question, {.only_ranks = alone && for_ranks, .waits_ended = ended})) {
        end_in_deadlock(owner_, question);
    }
}

} // namespace lisle::protocol
