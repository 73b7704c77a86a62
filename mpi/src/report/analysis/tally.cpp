// SPDX-License-Identifier: Apache-2.0
#include "report/analysis/tally.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace lisle::report {

namespace {

fold fold_of(int ranks) {
    const int per_row = (ranks + run::most_rows - 1) / run::most_rows;
    return {ranks, (ranks + per_row - 1) / per_row, per_row};
}

bool is_longer(const std::shared_ptr<timed_call> &one, const std::shared_ptr<timed_call> &other) {
    return one->end - one->begin > other->end - other->begin;
}

/// Pieces of the critical path: more than that cannot be shown.
constexpr std::size_t most_pieces = 200'000;

std::uint64_t pair_of(int one, int other) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(one)) << 32) |
           static_cast<std::uint32_t>(other);
}

} // namespace

tally::tally(int ranks, std::uint64_t duration) : waits_(static_cast<std::size_t>(ranks)) {
    run_.duration = std::max<std::uint64_t>(duration, 1);
    run_.ranks.resize(static_cast<std::size_t>(ranks));
    run_.rows = fold_of(ranks);
    run_.messages = run_.bytes = run_.waits = square{run_.rows.rows};
    run_.timeline.resize(static_cast<std::size_t>(run_.rows.rows) * run::bins);
    run_.memory.resize(run_.timeline.size());
}

std::uint32_t tally::place(std::string_view text) {
    const auto found = place_numbers_.find(text);
    if (found != place_numbers_.end()) {
        return found->second;
    }
    const auto number = static_cast<std::uint32_t>(run_.places.size());
    run_.places.emplace_back(text);
    return place_numbers_.emplace(text, number).first->second;
}

void tally::message(int from, int to, std::uint64_t bytes) {
    rank_total &by = rank(from);
    ++by.messages;
    by.bytes += bytes;
    auto &[messages, sum] = run_.sizes[static_cast<int>(std::bit_width(bytes)) - 1];
    ++messages;
    sum += bytes;
    if (to >= 0 && to < run_.rows.ranks) {
        run_.messages.at(run_.rows.row(from), run_.rows.row(to)) += 1;
        run_.bytes.at(run_.rows.row(from), run_.rows.row(to)) += bytes;
    }
}

void tally::moved(int from, int to, std::uint64_t bytes) {
    if (to < 0) {
        run_.file_bytes += bytes;
        return;
    }
    run_.window_bytes += bytes;
    if (to < run_.rows.ranks) {
        run_.messages.at(run_.rows.row(from), run_.rows.row(to)) += 1;
        run_.bytes.at(run_.rows.row(from), run_.rows.row(to)) += bytes;
    }
}

void tally::memory(int rank, std::uint64_t time, std::uint64_t resident, std::uint64_t unexpected,
                   std::uint64_t stored) {
    rank_total &of = this->rank(rank);
    of.memory = std::max(of.memory, resident);
    of.unexpected = std::max(of.unexpected, unexpected);
    of.stored = std::max(of.stored, stored);
    const auto bin =
        std::min(static_cast<int>(static_cast<double>(time) / static_cast<double>(run_.duration) * run::bins),
                 run::bins - 1);
    std::uint64_t &most = run_.memory[static_cast<std::size_t>(run_.rows.row(rank) * run::bins + bin)];
    most = std::max(most, resident);
}

// Between two looks a process has what it had.
void tally::fill_memory() {
    for (std::size_t at = 1; at < run_.memory.size(); ++at) {
        const bool begins_row = at % run::bins == 0;
        if (run_.memory[at] == 0 && !begins_row) {
            run_.memory[at] = run_.memory[at - 1];
        }
    }
}

void tally::call(const std::shared_ptr<timed_call> &one) {
    ++run_.calls_recorded;
    rank(one->rank).in_mpi += one->inside;
    call_total &sum = run_.calls[{one->id, one->place}];
    sum.count += one->count;
    sum.time += one->inside;
    sum.longest = std::max(sum.longest, one->end - one->begin);
    sum.bytes += one->bytes;
    add_to_timeline(*one);
    add_to_shown(one);
}

void tally::waited(timed_call &one, wait_state why, std::uint64_t until, int for_rank) {
    const std::uint64_t wait = std::min(until, one.end) - std::min(one.begin, until);
    if (wait <= one.wait || for_rank < 0) {
        return;
    }
    add_wait(one, true);
    one.wait = wait;
    one.why = why;
    one.waits_for = for_rank;
    add_wait(one, false);
    waits_[static_cast<std::size_t>(one.rank)].push_back({one.begin, one.begin + wait, for_rank});
}

void tally::add_wait(const timed_call &one, bool taken_back) {
    if (one.wait == 0) {
        return;
    }
    const std::uint64_t wait =
        taken_back ? std::uint64_t{0} - one.wait : one.wait; // sums are right in the end
    const auto why = static_cast<std::size_t>(one.why);
    call_total &sum = run_.calls[{one.id, one.place}];
    sum.wait += wait;
    sum.states[why] += wait;
    sum.waits_for[one.waits_for] += wait;
    rank(one.rank).waits[why] += wait;
    run_.waits.at(run_.rows.row(one.rank), run_.rows.row(one.waits_for)) += wait;
    waits_between_[pair_of(one.rank, one.waits_for)] += wait;
}

void tally::add_to_timeline(const timed_call &one) {
    const double width = static_cast<double>(run_.duration) / run::bins;
    const auto begin = static_cast<double>(one.begin), end = static_cast<double>(one.end);
    const double share = end > begin ? static_cast<double>(one.inside) / (end - begin) : 0;
    const auto what = static_cast<std::size_t>(activity_of(one.id));
    const auto row = static_cast<std::size_t>(run_.rows.row(one.rank)) * run::bins;
    const int last = std::min(static_cast<int>(end / width), run::bins - 1);
    for (int bin = std::min(static_cast<int>(begin / width), run::bins - 1); bin <= last; ++bin) {
        const double part = std::min(end, (bin + 1) * width) - std::max(begin, bin * width);
        run_.timeline[row + static_cast<std::size_t>(bin)][what] +=
            static_cast<float>(std::max(part, 0.0) * share / (width * run_.rows.per_row));
    }
}

void tally::add_to_shown(const std::shared_ptr<timed_call> &one) {
    if (longest_.size() == run::most_shown) {
        run_.all_shown = false;
        if (!is_longer(one, longest_.front())) {
            return;
        }
        std::ranges::pop_heap(longest_, is_longer);
        longest_.pop_back();
    }
    longest_.push_back(one);
    std::ranges::push_heap(longest_, is_longer);
}

// What a rank does between its calls.
void tally::add_computing_to_timeline() {
    const double width = static_cast<double>(run_.duration) / run::bins;
    for (int rank = 0; rank != run_.rows.ranks; ++rank) {
        const rank_total &known = this->rank(rank);
        for (int bin = 0; bin != run::bins; ++bin) {
            const double part = std::min(static_cast<double>(known.end), (bin + 1) * width) -
                                std::max(static_cast<double>(known.begin), bin * width);
            const auto at =
                static_cast<std::size_t>(run_.rows.row(rank)) * run::bins + static_cast<std::size_t>(bin);
            run_.timeline[at][0] += static_cast<float>(std::max(part, 0.0) / (width * run_.rows.per_row));
        }
    }
    for (auto &bin : run_.timeline) {
        for (std::size_t what = 1; what != activities; ++what) {
            bin[0] -= bin[what];
        }
    }
}

// ---- the end ----

// From the rank that ends last backwards: what it did since it had waited, then what the one did until then
// that it had waited for. Each step goes back in time, or over a wait that began earlier.
void tally::find_path() {
    for (auto &each : waits_) {
        std::ranges::sort(each, {}, &wait_end::until);
    }
    const auto last = std::ranges::max_element(run_.ranks, {}, &rank_total::end);
    int rank = static_cast<int>(last - run_.ranks.begin());
    for (std::uint64_t time = last->end; run_.path.size() != most_pieces;) {
        const auto &waits = waits_[static_cast<std::size_t>(rank)];
        auto after = std::ranges::upper_bound(waits, time, {}, &wait_end::until);
        // One that ended at this time led here.
        while (after != waits.begin() && std::prev(after)->until == time && !run_.path.empty()) {
            --after;
        }
        const bool is_first = after == waits.begin();
        const std::uint64_t from = is_first ? this->rank(rank).begin : std::prev(after)->until;
        if (time > from) {
            run_.path.push_back({rank, from, time});
            this->rank(rank).on_path += time - from;
        }
        if (is_first) {
            break;
        }
        rank = std::prev(after)->for_rank;
        time = from;
    }
    std::ranges::reverse(run_.path);
}

void tally::find_late() {
    run_.late.assign(run_.ranks.size(), 0);
    for (const auto &[pair, wait] : waits_between_) {
        auto &longest = run_.late[static_cast<std::size_t>(pair & 0xffffffff)];
        longest = std::max(longest, wait);
    }
}

void tally::find_efficiencies(std::uint64_t ideal) {
    double sum = 0, most = 0;
    for (const rank_total &each : run_.ranks) {
        sum += static_cast<double>(each.computing());
        most = std::max(most, static_cast<double>(each.computing()));
    }
    const auto ranks = static_cast<double>(run_.ranks.size()), time = static_cast<double>(run_.duration);
    const double without_transfer = std::clamp(static_cast<double>(ideal), most, time);
    if (most <= 0) {
        return;
    }
    run_.pop.load_balance = sum / ranks / most;
    run_.pop.communication = most / time;
    run_.pop.parallel = run_.pop.load_balance * run_.pop.communication;
    run_.pop.serialisation = most / without_transfer;
    run_.pop.transfer = without_transfer / time;
}

run tally::finish(std::uint64_t ideal) && {
    find_path();
    find_late();
    find_efficiencies(ideal);
    std::ranges::sort(longest_, {}, [](const auto &each) { return each->begin; });
    for (const auto &each : longest_) {
        run_.shown.push_back({each->rank, each->id, each->place, each->begin, each->end, each->wait,
                              each->wait != 0 ? each->waits_for : -1});
    }
    add_computing_to_timeline();
    fill_memory();
    return std::move(run_);
}

} // namespace lisle::report
