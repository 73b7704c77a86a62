// SPDX-License-Identifier: Apache-2.0
// Ranks that wait for each other in a ring. A standstill has a ring, or a rank that waits for one which has
// ended. A ring through a rank that any of several ranks could wake may still end, so rings in which each
// rank needs the next one come first.
#include <algorithm>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

using state = wait_table::state;

constexpr std::size_t most_cycles = 3;
constexpr std::size_t most_named = 6;

std::string link(const job_waits &job, int from, int to) {
    return sentence("rank ", from, " waits in ", job[static_cast<std::size_t>(from)].call(), " for ",
                    from == to ? std::string{"itself"} : sentence("rank ", to));
}

std::string in_words(const job_waits &job, const std::vector<int> &ring) {
    std::string text;
    const bool all = ring.size() <= most_named;
    for (std::size_t i = 0; i < (all ? ring.size() : most_named - 1); ++i) {
        text += (i != 0 ? ", " : "") + link(job, ring[i], ring[(i + 1) % ring.size()]);
    }
    if (!all) {
        text += sentence(", and so on until ", link(job, ring.back(), ring.front()), " (a ring of ",
                         ring.size(), " ranks)");
    }
    return text + ".\n";
}

/// Depth first through the waits; a way that comes back to itself is a ring.
class ring_search {
  public:
    using links = std::vector<int> (*)(const job_waits &, int);
    /// @param next the ranks that a rank waits for
    ring_search(const job_waits &job, links next) : job_{job}, next_{next}, mark_(job.size(), mark::none) {}

    std::vector<std::vector<int>> rings() {
        for (int rank = 0; rank < static_cast<int>(job_.size()) && rings_.size() < most_cycles; ++rank) {
            if (mark_[static_cast<std::size_t>(rank)] == mark::none) {
                follow(rank);
            }
        }
        return std::move(rings_);
    }

  private:
    enum class mark : unsigned char { none, on_way, done };
    struct step {
        int rank;
        std::vector<int> awaited;
        std::size_t next = 0;
    };

    void enter(int rank) {
        mark_[static_cast<std::size_t>(rank)] = mark::on_way;
        way_.push_back({rank, next_(job_, rank)});
    }

    // Not recursive: a ring may be as long as the job.
    void follow(int start) {
        enter(start);
        while (!way_.empty()) {
            step &at = way_.back();
            if (at.next == at.awaited.size()) {
                mark_[static_cast<std::size_t>(at.rank)] = mark::done;
                way_.pop_back();
                continue;
            }
            const int next = at.awaited[at.next++];
            switch (mark_[static_cast<std::size_t>(next)]) {
            case mark::none:
                enter(next);
                break;
            case mark::on_way:
                note_ring(next);
                leave_way();
                return;
            case mark::done:
                break;
            }
        }
    }

    void note_ring(int first) {
        auto at =
            std::find_if(way_.begin(), way_.end(), [first](const step &each) { return each.rank == first; });
        std::vector<int> ring;
        for (; at != way_.end(); ++at) {
            ring.push_back(at->rank);
        }
        std::ranges::rotate(ring, std::ranges::min_element(ring));
        rings_.push_back(std::move(ring));
    }

    // One ring explains all that lead to it.
    void leave_way() {
        for (const step &each : way_) {
            mark_[static_cast<std::size_t>(each.rank)] = mark::done;
        }
        way_.clear();
    }

    const job_waits &job_;
    const links next_;
    std::vector<mark> mark_;
    std::vector<step> way_;
    std::vector<std::vector<int>> rings_;
};

std::string waits_for_ended(const job_waits &job) {
    std::string text;
    std::size_t lines = 0;
    for (int rank = 0; rank < static_cast<int>(job.size()) && lines < most_cycles; ++rank) {
        for (const int awaited : awaited_by(job, rank)) {
            if (job[static_cast<std::size_t>(awaited)].state == state::gone) {
                text += link(job, rank, awaited) + ", which has ended.\n";
                ++lines;
                break;
            }
        }
    }
    return text;
}

} // namespace

std::string wait_cycles(const job_waits &job) {
    std::string text;
    auto rings = ring_search{job, needed_by}.rings();
    if (rings.empty()) {
        rings = ring_search{job, awaited_by}.rings();
    }
    for (const auto &ring : rings) {
        text += in_words(job, ring);
    }
    return text + waits_for_ended(job);
}

} // namespace lisle
