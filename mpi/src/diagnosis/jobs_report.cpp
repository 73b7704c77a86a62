// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/jobs_report.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

/// Numbers of all ranks, the first job's first.
class common_numbers {
  public:
    explicit common_numbers(const std::vector<waits_of_one> &jobs) : jobs_{jobs} {
        for (const waits_of_one &each : jobs) {
            firsts_.push_back(total_);
            total_ += static_cast<int>(each.ranks.size());
        }
    }
    [[nodiscard]] int total() const noexcept { return total_; }
    [[nodiscard]] int first_of(std::size_t job) const noexcept { return firsts_[job]; }

    /// What a rank of this job calls `number`; wait_note::nobody if it is not known.
    [[nodiscard]] int of(std::size_t job, const wait_note &said, int number) const {
        if (number < 0) {
            return number;
        }
        if (number < static_cast<int>(jobs_[job].ranks.size())) {
            return firsts_[job] + number;
        }
        for (unsigned at = 0; at != std::min(said.met_count, wait_note::most_met); ++at) {
            const wait_note::met_ranks &met = said.met[at];
            if (number >= met.first_number && number - met.first_number < met.count) {
                return of_name(met.job, met.first_rank + number - met.first_number);
            }
        }
        return wait_note::nobody;
    }

  private:
    [[nodiscard]] int of_name(std::int64_t job, int rank) const {
        const auto found = std::ranges::find(jobs_, job, &waits_of_one::id);
        const bool is_known =
            found != jobs_.end() && rank >= 0 && rank < static_cast<int>(found->ranks.size());
        return is_known ? firsts_[static_cast<std::size_t>(found - jobs_.begin())] + rank : wait_note::nobody;
    }

    const std::vector<waits_of_one> &jobs_;
    std::vector<int> firsts_;
    int total_ = 0;
};

/// A communicator's members in common numbers, as far as there is room for them.
template <class Translate> void translate(wait_note::comm &comm, int most, Translate translate_one) {
    const std::vector<int> before = members_of(comm, most);
    std::fill(std::begin(comm.members), std::end(comm.members), wait_note::nobody);
    comm.stride = before.size() > 1 ? translate_one(before[1]) - translate_one(before[0]) : 1;
    comm.first = before.empty() ? 0 : translate_one(before[0]);
    for (std::size_t at = 0; at != before.size(); ++at) {
        const int member = translate_one(before[at]);
        if (at < std::size(comm.members)) {
            comm.members[at] = member;
        }
        if (member != comm.first + static_cast<int>(at) * comm.stride) {
            comm.stride = 0;
        }
    }
}

/// All waits as those of one job.
job_waits merged(const std::vector<waits_of_one> &jobs, const common_numbers &numbers) {
    job_waits all;
    constexpr int any_number = 1 << 21; // above those that ranks of other jobs can have
    for (std::size_t job = 0; job != jobs.size(); ++job) {
        for (rank_wait rank : jobs[job].ranks) {
            const wait_note said = rank.note;
            const auto common = [&](int number) { return numbers.of(job, said, number); };
            for (unsigned at = 0; at < rank.note.operation_count && at < wait_note::most_operations; ++at) {
                rank.note.operations[at].peer = common(said.operations[at].peer);
            }
            for (unsigned at = 0; at < rank.note.message_count && at < wait_note::most_messages; ++at) {
                rank.note.messages[at].source = common(said.messages[at].source);
            }
            for (unsigned at = 0; at < rank.note.comm_count && at < wait_note::most_comms; ++at) {
                translate(rank.note.comms[at], any_number, common);
            }
            all.push_back(rank);
        }
    }
    return all;
}

/// The program that a job's ranks run, as far as one has said.
std::string program_of(const waits_of_one &job) {
    for (const rank_wait &rank : job.ranks) {
        const std::string_view path{rank.note.file};
        if (!path.empty()) {
            return std::string{path.substr(path.rfind('/') + 1)};
        }
    }
    return "a program";
}

std::string numbered(int first, int count) {
    return count == 1 ? sentence("rank ", first) : sentence("ranks ", first, "-", first + count - 1);
}

} // namespace

std::string deadlock_report_of_jobs(const std::vector<waits_of_one> &jobs) {
    const common_numbers numbers{jobs};
    const job_waits all = merged(jobs, numbers);
    std::string made = sentence("lisle: deadlock: no rank of ", jobs.size(),
                                " jobs that have met can go on, and no message is under way\n");
    for (std::size_t job = 0; job != jobs.size(); ++job) {
        const auto count = static_cast<int>(jobs[job].ranks.size());
        made += sentence("  ", numbered(numbers.first_of(job), count), " below: ", numbered(0, count), " of ",
                         program_of(jobs[job]), job == 0 ? "\n" : ", another job\n");
    }
    return made + wait_rows(all) + begun_operations(all) + wait_cycles(all) + near_misses(all) +
           remark_on_sends(all);
}

} // namespace lisle
