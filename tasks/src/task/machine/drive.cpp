// SPDX-License-Identifier: Apache-2.0
// The work of the rank's own thread: parcels, tasks if it is the tile, and, when it is idle, the search for
// work and for the end.
#include <algorithm>
#include <ranges>

#include "task/machine/scheduler.hpp"

namespace lisle::tasks {

void scheduler::drive(const std::function<bool()> &until) {
    const auto receive = [this](int from, std::span<const std::byte> bytes) {
        receiver_.receive(from, bytes);
    };
    const bool is_tile = own_.tiles.size() == 1;
    constexpr int most_tasks = 32; // then parcels have their turn
    while (!until()) {
        bool has_run = false;
        for (int i = 0; i < most_tasks && is_tile && own_.tiles[0].run_one(); ++i) {
            has_run = true;
        }
        if (has_run && own_.ranks() == 1) {
            continue;
        }
        if (make_progress() || has_run || until()) {
            continue;
        }
        if (is_idle()) {
            when_idle();
            own_.out.flush();
            if (until() || !is_idle()) {
                continue;
            }
        }
        if (own_.end.left() > 1 || !is_tile) {
            own_.between.wait(receive);
            losses_.look();
        }
    }
    own_.out.flush();
}

bool scheduler::make_progress() {
    is_woken_for_work_.store(false, std::memory_order_relaxed);
    own_.out.flush();
    const bool has_received = own_.between.poll(
        [this](int from, std::span<const std::byte> bytes) { receiver_.receive(from, bytes); });
    const bool has_lost = losses_.look();
    const bool has_fed = sender_.feed_hungry();
    own_.out.flush();
    last_poll_ = std::chrono::steady_clock::now();
    return has_received || has_lost || has_fed;
}

void scheduler::before_kernel() {
    if (own_.tiles.size() > 1 || own_.ranks() == 1) {
        return;
    }
    if (std::chrono::steady_clock::now() - last_poll_ > std::chrono::microseconds{20}) {
        make_progress();
    } else if (own_.requests.any() && sender_.feed_hungry()) {
        own_.out.flush();
    }
}

bool scheduler::is_idle() const {
    const std::uint64_t before = own_.tiles.wake_ups();
    return own_.tiles.all_asleep() && !own_.tiles.has_tasks(own_.credits.is_throttled()) &&
           own_.out.is_empty() && own_.tiles.wake_ups() == before;
}

// Nothing to do: ask others for work, and let the token go on.
void scheduler::when_idle() {
    if (!own_.credits.is_throttled()) {
        // Along the edges of a cube, so all are connected.
        for (int bit = 1; bit < 2 * own_.ranks(); bit *= 2) {
            sender_.ask_for_work(own_.rank() ^ bit);
        }
        if (!own_.lost.all().empty()) { // the cube may have fallen apart, the ring has not
            sender_.ask_for_work(own_.end.next());
        }
    }
    if (!own_.end.holds_token()) {
        return;
    }
    if (own_.end.leads()) {
        judge_token();
    }
    if (own_.end.left() > 1 && !own_.state.has_ended) {
        pass_token();
    }
}

void scheduler::judge_token() {
    const auto verdict = own_.end.judge(own_.state.is_finishing, own_.credits.is_throttled());
    if (verdict == termination::verdict::unknown) {
        return;
    }
    const parcel_finish told = verdict == termination::verdict::all_finished ? parcel_finish::end
                               : verdict == termination::verdict::full       ? parcel_finish::full
                                                                             : parcel_finish::stuck;
    sender_.tell_others({parcel_type::finish, static_cast<std::uint8_t>(told)});
    receiver_.obey(told);
}

void scheduler::pass_token() {
    const token on = own_.end.pass(own_.state.is_finishing, own_.credits.is_throttled());
    encoder out;
    out.number(on.under_way);
    out.number<std::uint8_t>(on.is_black ? 1 : 0);
    out.number<std::uint8_t>(on.all_finish ? 1 : 0);
    out.number<std::uint8_t>(on.is_full ? 1 : 0);
    codec<std::vector<std::int32_t>>::write(own_.lost.all(), out);
    own_.out.send(own_.end.next(), {parcel_type::finish, static_cast<std::uint8_t>(parcel_finish::token)},
                  out.take());
}

void scheduler::finish() {
    for (const std::uint64_t number :
         own_.programs.started_by(own_.rank())) { // no thread has waited for these, or they are cancelled
        if (!own_.programs.contains(number)) {
            continue; // the last of it has ended meanwhile
        }
        std::string file;
        wait(number, file);
        drive([this, number] { return !own_.programs.contains(number); });
    }
    own_.state.is_finishing = true;
    drive([this] { return own_.state.has_ended; });
    gather_trace();
    const auto nobody = [](int, std::span<const std::byte>) {};
    while (!own_.between.has_sent_all()) {
        own_.between.poll(nobody);
    }
}

// After the end, when no tile runs any more: rank 0 gets the events of all ranks.
void scheduler::gather_trace() {
    trace_log &log = own_.trace;
    for (const auto &each : own_.tiles) {
        std::ranges::move(each->evaluation().events(), std::back_inserter(log.events));
    }
    if (!own_.options.traces || own_.ranks() == 1) {
        return;
    }
    if (own_.rank() != 0) {
        encoder out;
        codec<std::vector<trace_event>>::write(log.events, out);
        own_.out.send(0, {parcel_type::data, static_cast<std::uint8_t>(parcel_data::trace)}, out.take());
        return own_.out.flush();
    }
    const auto is_awaited = [&](int rank) {
        return rank != 0 && !own_.lost.has(rank) && !log.arrived.contains(rank);
    };
    while (std::ranges::any_of(std::views::iota(0, own_.ranks()), is_awaited)) {
        own_.between.wait(
            [this](int from, std::span<const std::byte> bytes) { receiver_.receive(from, bytes); });
        losses_.look();
    }
}

machine_counts scheduler::counts() const {
    machine_counts all;
    all.parcels_sent = own_.out.parcels_sent();
    all.parcels_received = own_.parcels_received;
    all.tasks_given = own_.tasks_given;
    all.tasks_repeated = own_.tasks_repeated;
    for (const auto &each : own_.tiles) {
        all.kernels_run += each->evaluation().kernels_run();
        all.tasks_stolen += each->stolen();
    }
    all.objects_kept = own_.objects->objects_kept();
    all.results_awaited = own_.owed.size();
    all.most_waiting = own_.credits.most_waiting();
    return all;
}

} // namespace lisle::tasks
