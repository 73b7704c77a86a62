// SPDX-License-Identifier: Apache-2.0
#include "library/jobs_watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <thread>

#include "base/error.hpp"
#include "diagnosis/jobs_report.hpp"
#include "fabric/local/node_segment.hpp"

namespace lisle {

namespace {

constexpr std::chrono::milliseconds between_looks{10};
constexpr int most_looks = 30;

/// Asks again and again until it is so. @return false: it took too long
template <class Condition> bool becomes(Condition condition) {
    for (int look = 0; look != most_looks; ++look) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(between_looks);
    }
    return condition();
}

/// What ranks do, as far as their records tell, at one moment.
struct moment {
    std::vector<wait_table::nap> naps; ///< of the ranks that have not ended
    std::uint64_t sent = 0, received = 0;
    bool all_asleep = true;
    bool counted = true; ///< all packets between jobs are
    bool operator==(const moment &) const = default;

    void add(const wait_table &table) {
        for (int rank = 0; rank != table.ranks(); ++rank) {
            const traffic_count &passed = table.traffic_of(rank);
            sent += passed.sent.load(std::memory_order_relaxed);
            received += passed.received.load(std::memory_order_relaxed);
            counted = counted && passed.not_counted.load(std::memory_order_relaxed) == 0;
            if (table.state_at(0, rank) != wait_table::state::gone) {
                naps.push_back(table.nap_of(rank));
                all_asleep = all_asleep && naps.back().sound;
            }
        }
    }
    [[nodiscard]] bool is_still() const noexcept {
        return all_asleep && counted && sent == received && !naps.empty();
    }
};

moment now_in(const std::vector<watched_job *> &jobs) {
    moment found;
    for (watched_job *const each : jobs) {
        found.add(each->waits());
    }
    std::atomic_thread_fence(std::memory_order_acquire); // what was read is read before what follows
    return found;
}

/// True if the rank waits for ranks of these jobs and nothing else.
bool waits_for_them(const rank_wait &rank, const std::vector<waits_of_one> &all) {
    const wait_note &note = rank.note;
    const auto is_one = [&](const wait_note::met_ranks &each) {
        return std::ranges::find(all, each.job, &waits_of_one::id) != all.end();
    };
    return note.only_ranks != 0 && note.met_count <= wait_note::most_met &&
           std::all_of(note.met, note.met + note.met_count, is_one);
}

} // namespace

struct watched_job::view {
    view(job_table mapped, fabric::local::node_segment behind)
        : table{std::move(mapped)}, segment{std::move(behind)}, waits{segment.waits(),
                                                                      segment.bells(0, segment.ranks())} {}
    job_table table;
    fabric::local::node_segment segment;
    wait_table waits;
};

watched_job::watched_job(std::unique_ptr<view> mapped) noexcept : view_{std::move(mapped)} {}
watched_job::~watched_job() = default;

std::unique_ptr<watched_job> watched_job::attach(owned_descriptor table) {
    try {
        owned_descriptor again{fcntl(table.get(), F_DUPFD_CLOEXEC, 0)};
        job_table mapped = job_table::attach(table.release());
        const job_shape shape = mapped.shape();
        const bool one_node = std::ranges::all_of(shape.node_of_process, [](int node) { return node == 0; });
        if (!one_node) {
            return nullptr;
        }
        const std::size_t end = mapped.end();
        auto made = std::make_unique<view>(std::move(mapped),
                                           fabric::local::node_segment::attach(again.release(), end));
        const bool is_whole = made->waits.ranks() == made->table.ranks();
        return is_whole ? std::unique_ptr<watched_job>{new watched_job{std::move(made)}} : nullptr;
    } catch (const mpi_error &) {
        return nullptr; // of another version, or it is being made
    }
}

job_id watched_job::id() const noexcept {
    return view_->table.id();
}
wait_table &watched_job::waits() noexcept {
    return view_->waits;
}
void watched_job::note_deadlock() noexcept {
    view_->table.record_deadlock_among_jobs();
}

std::optional<std::vector<job_id>> jobs_met_by(watched_job &job) {
    if (!job.waits().is_looked_at()) {
        return std::nullopt;
    }
    const std::uint32_t question = job.waits().ask_all();
    if (!becomes([&] { return job.waits().all_answered(question); })) {
        return std::nullopt;
    }
    std::vector<job_id> all;
    for (const rank_wait &rank : read_waits(job.waits(), question)) {
        const wait_note &note = rank.note;
        if (rank.state == wait_table::state::gone) {
            continue;
        }
        if (note.met_count > wait_note::most_met) {
            return std::nullopt;
        }
        for (unsigned at = 0; at != note.met_count; ++at) {
            all.push_back(static_cast<job_id>(note.met[at].job));
        }
    }
    return all;
}

bool all_sleep(const wait_table &table) {
    moment found;
    found.add(table);
    return found.all_asleep && !found.naps.empty();
}

std::string look_for_standstill_of(const std::vector<watched_job *> &jobs) {
    if (!std::ranges::all_of(jobs, [](watched_job *each) { return each->waits().is_looked_at(); })) {
        return {}; // one of them is to wait for a debugger (LISLE_DEADLOCK)
    }
    std::vector<std::uint32_t> questions;
    for (watched_job *const each : jobs) {
        questions.push_back(each->waits().ask_all());
    }
    const auto all_have_answered = [&] {
        for (std::size_t at = 0; at != jobs.size(); ++at) {
            if (!jobs[at]->waits().all_answered(questions[at])) {
                return false;
            }
        }
        return true;
    };
    moment before;
    if (!becomes([&] { return all_have_answered() && (before = now_in(jobs)).is_still(); })) {
        return {};
    }
    std::vector<waits_of_one> all;
    for (std::size_t at = 0; at != jobs.size(); ++at) {
        all.push_back(
            {static_cast<std::int64_t>(jobs[at]->id()), read_waits(jobs[at]->waits(), questions[at])});
    }
    std::atomic_thread_fence(std::memory_order_acquire); // as in now_in()
    if (!all_have_answered() || now_in(jobs) != before) {
        return {};
    }
    for (const waits_of_one &each : all) {
        for (const rank_wait &rank : each.ranks) {
            if (rank.state != wait_table::state::gone && !waits_for_them(rank, all)) {
                return {};
            }
        }
    }
    return deadlock_report_of_jobs(all);
}

} // namespace lisle
