// SPDX-License-Identifier: Apache-2.0
#include "library/stuck_watch.hpp"

#include <algorithm>

#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

constexpr stuck_watch::milliseconds interval{500};
constexpr stuck_watch::milliseconds for_answers{20};
constexpr int most_looks_for_answers = 25;
// Questions that lead to nothing come more and more seldom: up to so many intervals apart.
constexpr int most_pause = 16;
// An answer takes a rank some ten microseconds: of many ranks, all together are not to answer most of the
// time.
constexpr int answers_in_an_interval = 500;

} // namespace

stuck_watch::stuck_watch(wait_table &table)
    : table_{table}, latest_(table.ranks()), asked_(table.ranks()), pause_{least_pause()} {}

int stuck_watch::least_pause() const noexcept {
    return table_.ranks() / answers_in_an_interval;
}

stuck_watch::all_naps stuck_watch::naps() const {
    all_naps all{table_.ranks()};
    for (int rank = 0; rank < table_.ranks(); ++rank) {
        all[static_cast<std::size_t>(rank)] = table_.nap_of(rank);
    }
    return all;
}

std::vector<int> stuck_watch::asleep_since(const all_naps &before, const all_naps &now) const {
    std::vector<int> same;
    for (int rank = 0; rank < table_.ranks(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        if (now[index].sound && now[index] == before[index]) {
            same.push_back(rank);
        }
    }
    return same;
}

int stuck_watch::gone() const noexcept {
    int count = 0;
    for (int rank = 0; rank < table_.ranks(); ++rank) {
        count += table_.state_at(0, rank) == wait_table::state::gone ? 1 : 0;
    }
    return count;
}

stuck_watch::finding stuck_watch::look() {
    if (!table_.is_looked_at()) {
        return {.next = interval};
    }
    return awaited_.empty() ? ask_if_new(naps()) : hear();
}

stuck_watch::finding stuck_watch::ask_if_new(const all_naps &now) {
    const std::vector<int> asleep = asleep_since(latest_, now);
    latest_ = now;
    const bool all = static_cast<int>(asleep.size()) + gone() == table_.ranks(); // they find that themselves
    const bool news = asleep_since(asked_, now) != asleep || gone() != gone_when_asked_;
    pause_ -= pause_ > 0 ? 1 : 0;
    if (asleep.empty() || all || !news || pause_ > 0) {
        return {.next = interval};
    }
    awaited_ = asleep;
    gone_when_asked_ = gone();
    looks_for_answers_ = 0;
    question_ = table_.ask_all();
    return {.next = for_answers};
}

stuck_watch::finding stuck_watch::hear() {
    // Naps, answers, naps: between equal naps the ranks have slept, and what they said before still holds.
    const all_naps before = naps();
    std::vector<int> heard;
    all_naps of_heard{table_.ranks()};
    for (int rank = 0; rank < table_.ranks(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        if (before[index].sound && table_.state_at(question_, rank) == wait_table::state::waiting) {
            heard.push_back(rank);
            of_heard[index] = before[index];
        }
    }
    if (!std::ranges::includes(heard, awaited_) && ++looks_for_answers_ < most_looks_for_answers) {
        return {.next = for_answers};
    }
    const job_waits job = read_waits(table_, question_);
    std::vector<int> stuck = stuck_ranks(job, heard);
    std::atomic_thread_fence(std::memory_order_acquire); // what was read is read before this
    const std::vector<int> quiet = asleep_since(before, naps());
    awaited_.clear();
    latest_ = before;
    asked_ = std::move(of_heard);
    if (!stuck.empty() && std::ranges::includes(quiet, stuck)) {
        std::string report = stuck_report(job, stuck);
        return {std::move(report), std::move(stuck), interval};
    }
    in_vain_ += in_vain_ < 8 ? 1 : 0;
    pause_ = std::max(least_pause(), std::min(1 << in_vain_, most_pause));
    return {.next = interval};
}

} // namespace lisle
