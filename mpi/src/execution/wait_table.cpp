// SPDX-License-Identifier: Apache-2.0
#include "execution/wait_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace lisle {

namespace {

// The two halves of `blocked`: how many ranks sleep, and above that how often any of them has woken up.
constexpr std::uint64_t count_mask = 0xffffffff;
constexpr std::uint64_t one_waking = std::uint64_t{1} << 32;
// Those of a record's `asleep`: how many threads of the rank sleep, and above that how often any fell asleep.
constexpr std::uint64_t one_nap = std::uint64_t{1} << 32;

enum thread_state : std::uint32_t { free_place, writing, told };

// A note is written while others may read it, who find out afterwards: by words, each of which is read or
// written whole.
static_assert(sizeof(wait_note) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<wait_note>);
using note_words = std::array<std::uint64_t, sizeof(wait_note) / sizeof(std::uint64_t)>;

void store_words(wait_note &shared, const wait_note &note) noexcept {
    auto *const to = reinterpret_cast<std::uint64_t *>(&shared);
    const auto words = std::bit_cast<note_words>(note);
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::atomic_ref{to[i]}.store(words[i], std::memory_order_relaxed); // the note's state orders them
    }
}

wait_note load_words(const wait_note &shared) noexcept {
    auto *const from = reinterpret_cast<std::uint64_t *>(const_cast<wait_note *>(&shared));
    note_words words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = std::atomic_ref{from[i]}.load(std::memory_order_relaxed); // likewise
    }
    return std::bit_cast<wait_note>(words);
}

// How long all ranks have to sleep before the last one asks. Longer after questions that led to nothing: the
// ranks may wait for threads of the program.
constexpr std::uint64_t least_patience = 100'000'000;
constexpr std::uint32_t most_doublings = 6;

} // namespace

struct alignas(64) wait_table::head {
    /// Ranks that sleep and wakings. Acquire and release: a thread that sees a rank asleep sees its record,
    /// and all that the rank has written and rung before.
    std::atomic<std::uint64_t> blocked;
    /// The latest question's number, and below that how many answers make a standstill (0: it is none).
    alignas(64) std::atomic<std::uint64_t> question;
    /// The number of a question and how many ranks have answered it with certainty. Acquire and release: the
    /// rank that answers last sees all answers.
    std::atomic<std::uint64_t> answers;
    std::atomic<std::uint32_t> in_vain;   ///< questions about standstills that there were; orders nothing
    std::atomic<std::uint32_t> looked_at; ///< some process looks for standstills; orders nothing
};

struct alignas(64) wait_table::record {
    std::atomic<std::uint64_t> asleep; ///< threads of the rank that sleep, and naps
    /// The latest value of the bell that one of them saw before it fell asleep, and how many of them saw that
    /// one: the others are about to wake up. Written before `asleep`, which releases it.
    std::atomic<std::uint64_t> seen;
    std::atomic<std::uint32_t> sleeping_threads; ///< those of `asleep` that are no fiber
    std::atomic<std::uint32_t> gone;
    std::atomic<std::uint32_t> taken;    ///< the latest question that a thread has taken on
    std::atomic<std::uint32_t> answered; ///< the latest that is answered; release, acquire with `note`
    /// How many waits had ended when a thread of the rank last found that it waits for ranks alone, and above
    /// that 1; 0: it found something else. Orders nothing: an older value says as much.
    std::atomic<std::uint64_t> stood;
    alignas(64) traffic_count traffic; ///< of the process whose first rank this is
};

// Apart from the records: they are long, and touched only when ranks are asked.
struct alignas(64) wait_table::notes {
    /// What one of several threads waits for.
    struct of_thread {
        std::atomic<std::uint32_t> state; ///< thread_state; release and acquire with `note`
        wait_note note;
    };
    static constexpr int most_threads = 6;

    wait_note own;
    of_thread threads[most_threads];
};

std::size_t wait_table::bytes(int ranks) noexcept {
    return sizeof(head) + static_cast<std::size_t>(ranks) * (sizeof(record) + sizeof(notes));
}
wait_table::head &wait_table::top() const noexcept {
    return *reinterpret_cast<head *>(memory_);
}
wait_table::record &wait_table::of(int rank) const noexcept {
    return reinterpret_cast<record *>(memory_ + sizeof(head))[rank];
}
wait_table::notes &wait_table::notes_of(int rank) const noexcept {
    return reinterpret_cast<notes *>(&of(ranks()))[rank];
}
wait_note &wait_table::note_of(int rank) const noexcept {
    return notes_of(rank).own;
}

void wait_table::look_for_standstills() noexcept {
    looks_ = true;
    top().looked_at.store(1, std::memory_order_relaxed);
}
void wait_table::look_alone() noexcept {
    top().looked_at.store(0, std::memory_order_relaxed);
}
bool wait_table::is_looked_at() const noexcept {
    return top().looked_at.load(std::memory_order_relaxed) != 0;
}

// ---- ranks that sleep ----

void wait_table::fall_asleep(int rank, std::uint32_t seen) noexcept {
    record &own = of(rank);
    std::uint64_t before = own.seen.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
        const auto latest = static_cast<std::uint32_t>(before >> 32);
        const bool newer = (before & count_mask) == 0 || static_cast<std::int32_t>(seen - latest) > 0;
        next = seen == latest ? before + 1 : newer ? std::uint64_t{seen} << 32 | 1 : before;
    } while (!own.seen.compare_exchange_weak(before, next, std::memory_order_relaxed));
    own.asleep.fetch_add(1 + one_nap,
                         std::memory_order_release); // with none_has_rung(): `seen` comes with it
}

void wait_table::wake_up(int rank, std::uint32_t seen) noexcept {
    record &own = of(rank);
    own.asleep.fetch_sub(1, std::memory_order_relaxed);
    std::uint64_t before = own.seen.load(std::memory_order_relaxed);
    while (before >> 32 == seen && (before & count_mask) != 0 &&
           !own.seen.compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) {
        // another thread of the rank has changed it
    }
}

bool wait_table::none_has_rung(int rank) const noexcept {
    const record &each = of(rank);
    const std::uint64_t asleep = each.asleep.load(std::memory_order_acquire) & count_mask;
    const std::uint64_t seen = each.seen.load(std::memory_order_relaxed);
    return asleep != 0 && asleep == (seen & count_mask) && bells_[rank].value() == seen >> 32;
}

template <class Sleep, class Rung>
void wait_table::watch(std::uint64_t count, Sleep sleep, Rung rung) noexcept {
    while (all_blocked(count)) {
        sleep(patience());
        if (rung()) {
            return;
        }
        if (top().blocked.load(std::memory_order_acquire) != count) {
            break; // some rank has woken up since; if it sleeps again, it is the one that watches
        }
        const std::uint64_t latest = top().question.load(std::memory_order_acquire);
        if (certain(count) && ask_about_standstill(latest)) {
            return;
        }
    }
    sleep(0);
}

void wait_table::sleep(int rank, std::uint32_t seen) noexcept {
    fall_asleep(rank, seen);
    // Relaxed: whichever thread counts the rank, `blocked` orders what it says.
    const std::uint64_t added =
        of(rank).sleeping_threads.fetch_add(1, std::memory_order_relaxed) == 0 ? 1 : 0;
    const std::uint64_t count = top().blocked.fetch_add(added, std::memory_order_acq_rel) + added;
    doorbell &bell = bells_[rank];
    watch(
        count, [&](std::uint64_t nanoseconds) { bell.sleep(seen, nanoseconds); },
        [&] { return bell.value() != seen; });
    wake_up(rank, seen);
    const std::uint64_t removed =
        of(rank).sleeping_threads.fetch_sub(1, std::memory_order_relaxed) == 1 ? 1 : 0;
    top().blocked.fetch_add(one_waking - removed, std::memory_order_acq_rel);
}

void wait_table::sleep_at_home(int home, int parked) noexcept {
    const auto added = static_cast<std::uint64_t>(parked);
    const std::uint64_t count = top().blocked.fetch_add(added, std::memory_order_acq_rel) + added;
    doorbell &bell = bells_[home];
    watch(
        count, [&](std::uint64_t nanoseconds) { bell.sleep_at_home(nanoseconds); },
        [&] { return bell.any_rung(); });
    top().blocked.fetch_add(one_waking - added, std::memory_order_acq_rel);
}

void wait_table::leave(int rank) noexcept {
    if (of(rank).gone.exchange(1, std::memory_order_release) == 0) {
        const std::uint64_t count = top().blocked.fetch_add(1 + one_waking, std::memory_order_acq_rel) + 1;
        // The ranks that sleep are all that are left: one of them has to watch. As long as some other is
        // awake, that one will be the last.
        for (int other = 0; all_blocked(count) && other < ranks(); ++other) {
            if ((of(other).asleep.load(std::memory_order_relaxed) & count_mask) != 0) {
                bells_[other].ring();
                break;
            }
        }
    }
}

bool wait_table::all_blocked(std::uint64_t count) const noexcept {
    return looks_ && (count & count_mask) >= static_cast<std::uint64_t>(ranks());
}

bool wait_table::certain(std::uint64_t count) const noexcept {
    bool any = false;
    for (int rank = 0; rank < ranks(); ++rank) {
        const record &each = of(rank);
        if (each.gone.load(std::memory_order_acquire) != 0) {
            continue;
        }
        any = true;
        if (!none_has_rung(rank)) {
            return false;
        }
    }
    return any && top().blocked.load(std::memory_order_acquire) == count;
}

std::uint64_t wait_table::patience() const noexcept {
    const std::uint32_t asked = top().in_vain.load(std::memory_order_relaxed);
    return least_patience << std::min(asked != 0 ? asked - 1 : 0, most_doublings); // one is never enough
}

// ---- questions ----

std::uint32_t wait_table::ask_all() noexcept {
    std::uint64_t latest = top().question.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
        next = ((latest >> 32) + 1) << 32;
    } while (!top().question.compare_exchange_weak(latest, next, std::memory_order_release,
                                                   std::memory_order_relaxed));
    wake_sleepers();
    return static_cast<std::uint32_t>(next >> 32);
}

bool wait_table::ask_about_standstill(std::uint64_t latest) noexcept {
    // A question decides only if all ranks had answered an earlier one; otherwise it prepares for the next.
    std::uint32_t waiting = 0;
    bool all_have = true;
    for (int rank = 0; rank < ranks(); ++rank) {
        if (of(rank).gone.load(std::memory_order_relaxed) == 0) {
            ++waiting;
            all_have = all_have && of(rank).taken.load(std::memory_order_relaxed) ==
                                       static_cast<std::uint32_t>(latest >> 32);
        }
    }
    const std::uint64_t next = ((latest >> 32) + 1) << 32 | (all_have ? waiting : 0);
    if (!top().question.compare_exchange_strong(latest, next, std::memory_order_release,
                                                std::memory_order_relaxed)) {
        return false;
    }
    top().in_vain.fetch_add(1, std::memory_order_relaxed);
    wake_sleepers();
    return true;
}

void wait_table::wake_sleepers() noexcept {
    for (int rank = 0; rank < ranks(); ++rank) {
        if ((of(rank).asleep.load(std::memory_order_relaxed) & count_mask) != 0) {
            bells_[rank].ring();
        }
    }
}

bool wait_table::asked(int rank) const noexcept {
    // Relaxed: the bell that woke the rank has ordered it.
    return static_cast<std::uint32_t>(top().question.load(std::memory_order_relaxed) >> 32) !=
           of(rank).taken.load(std::memory_order_relaxed);
}

std::uint32_t wait_table::take_question(int rank) noexcept {
    const auto latest = static_cast<std::uint32_t>(top().question.load(std::memory_order_acquire) >> 32);
    std::uint32_t before = of(rank).taken.load(std::memory_order_relaxed);
    const bool mine =
        before != latest && of(rank).taken.compare_exchange_strong(before, latest, std::memory_order_relaxed);
    // A reader that sees a part of the new answer sees that the rank is awake.
    std::atomic_thread_fence(std::memory_order_release);
    return mine ? latest : 0;
}

bool wait_table::answer(int rank, std::uint32_t question, finding found) noexcept {
    record &own = of(rank);
    const std::uint64_t stands = found.only_ranks ? std::uint64_t{1} << 32 | found.waits_ended : 0;
    // No wait has ended since it answered before: so it waits for the same, and did when all slept.
    const bool certain = stands != 0 && own.stood.load(std::memory_order_relaxed) == stands;
    own.stood.store(stands, std::memory_order_relaxed);
    own.answered.store(question, std::memory_order_release);
    const std::uint64_t latest = top().question.load(std::memory_order_relaxed);
    const auto awaited = static_cast<std::uint32_t>(latest);
    if (!certain || awaited == 0 || static_cast<std::uint32_t>(latest >> 32) != question) {
        return false;
    }
    std::uint64_t before = top().answers.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
        next = static_cast<std::uint32_t>(before >> 32) == question ? before + 1
                                                                    : std::uint64_t{question} << 32 | 1;
    } while (!top().answers.compare_exchange_weak(before, next, std::memory_order_acq_rel,
                                                  std::memory_order_relaxed));
    return static_cast<std::uint32_t>(next) == awaited;
}

void wait_table::withdraw(int rank) noexcept {
    of(rank).answered.store(0, std::memory_order_relaxed); // before the rank sleeps again, which releases it
}

std::uint32_t wait_table::latest_question() const noexcept {
    return static_cast<std::uint32_t>(top().question.load(std::memory_order_relaxed) >> 32);
}

std::optional<int> wait_table::take_thread_place(int rank) noexcept {
    for (int place = 0; place < notes::most_threads; ++place) {
        std::uint32_t state = free_place;
        if (notes_of(rank).threads[place].state.compare_exchange_strong(
                state, writing, std::memory_order_acquire, std::memory_order_relaxed)) {
            return place;
        }
    }
    return std::nullopt;
}

void wait_table::tell_of_thread(int rank, int place, const wait_note &note) noexcept {
    notes::of_thread &own = notes_of(rank).threads[place];
    own.state.store(writing, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release); // a reader of a part of it sees the state
    store_words(own.note, note);
    own.state.store(told, std::memory_order_release);
}

void wait_table::give_thread_place(int rank, int place) noexcept {
    notes_of(rank).threads[place].state.store(free_place, std::memory_order_release);
}

std::vector<wait_note> wait_table::notes_of_threads(int rank) const {
    std::vector<wait_note> found;
    for (const notes::of_thread &each : notes_of(rank).threads) {
        if (each.state.load(std::memory_order_acquire) == told) {
            found.push_back(load_words(each.note));
            std::atomic_thread_fence(std::memory_order_acquire); // what was read is read before this
            if (each.state.load(std::memory_order_relaxed) != told) {
                found.pop_back();
            }
        }
    }
    return found;
}

wait_table::nap wait_table::nap_of(int rank) const noexcept {
    const record &each = of(rank);
    nap found;
    found.number = each.asleep.load(std::memory_order_acquire);
    found.seen = static_cast<std::uint32_t>(each.seen.load(std::memory_order_relaxed) >> 32);
    found.sound = (found.number & count_mask) == 1 && each.gone.load(std::memory_order_acquire) == 0 &&
                  none_has_rung(rank);
    return found;
}

std::optional<wait_table::stillness> wait_table::current_stillness() const noexcept {
    const std::uint64_t count = top().blocked.load(std::memory_order_acquire);
    if ((count & count_mask) < static_cast<std::uint64_t>(ranks()) || !certain(count)) {
        return std::nullopt;
    }
    stillness found{.wakings = count >> 32};
    for (int rank = 0; rank < ranks(); ++rank) {
        const traffic_count &each = traffic_of(rank);
        found.sent += each.sent.load(std::memory_order_relaxed);
        found.received += each.received.load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire); // what was read is read before this
    return top().blocked.load(std::memory_order_relaxed) == count ? std::optional{found} : std::nullopt;
}

traffic_count &wait_table::traffic_of(int rank) const noexcept {
    return of(rank).traffic;
}

bool wait_table::all_answered(std::uint32_t question) const noexcept {
    for (int rank = 0; rank < ranks(); ++rank) {
        if (state_at(question, rank) == state::awake) {
            return false;
        }
    }
    return true;
}

wait_table::state wait_table::state_at(std::uint32_t question, int rank) const noexcept {
    const record &each = of(rank);
    if (each.gone.load(std::memory_order_acquire) != 0) {
        return state::gone;
    }
    return each.answered.load(std::memory_order_acquire) == question ? state::waiting : state::awake;
}

} // namespace lisle
