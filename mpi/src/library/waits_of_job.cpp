// SPDX-License-Identifier: Apache-2.0
#include "library/waits_of_job.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "fabric/local/node_segment.hpp"
#include "library/jobs_watch.hpp"
#include "library/node_memory.hpp"

namespace lisle {

struct waits_of_job::view {
    explicit view(fabric::local::node_segment mapped)
        : segment{std::move(mapped)}, table{segment.waits(), segment.bells(0, segment.ranks())} {}
    [[nodiscard]] bool all_answered() const { return table.all_answered(question); }

    fabric::local::node_segment segment;
    wait_table table;
    stuck_watch watch{table};
    std::uint32_t question = 0;
};

waits_of_job::waits_of_job(const job_table &table)
    : table_{table}, places_{table.shape()}, nodes_(static_cast<std::size_t>(places_.nodes())) {
    if (places_.nodes() == 1) {
        // The programs that this process starts are not to have it.
        const int own = fcntl(table.descriptor(), F_DUPFD_CLOEXEC, 0);
        nodes_.front() = std::make_unique<view>(fabric::local::node_segment::attach(own, table.end()));
    }
}

waits_of_job::~waits_of_job() = default;

// The processes of each of several nodes make its memory, when they begin MPI.
void waits_of_job::open_nodes() {
    for (int node = 0; node < places_.nodes(); ++node) {
        auto &known = nodes_[static_cast<std::size_t>(node)];
        const int maker = places_.process_on(node, 0);
        if (known || table_.pid(maker) == 0) {
            continue;
        }
        if (auto opened = memory_made_by(table_, maker);
            opened && opened->ranks() == places_.ranks_on(node)) {
            known = std::make_unique<view>(std::move(*opened));
        }
    }
}

std::vector<known_wait> waits_of_job::ask() {
    open_nodes();
    for (const auto &each : nodes_) {
        if (each) {
            each->question = each->table.ask_all();
        }
    }
    const auto have_answered = [](const auto &each) { return !each || each->all_answered(); };
    constexpr int looks = 30;
    for (int look = 0; look < looks && !std::ranges::all_of(nodes_, have_answered); ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    std::vector<known_wait> all;
    for (int node = 0; node < places_.nodes(); ++node) {
        if (const auto &each = nodes_[static_cast<std::size_t>(node)]) {
            job_waits read = read_waits(each->table, each->question);
            for (int index = 0; index < each->table.ranks(); ++index) {
                all.push_back(
                    {places_.rank_on(node, index), std::move(read[static_cast<std::size_t>(index)])});
            }
        }
    }
    return all;
}

bool waits_of_job::all_sleep() const {
    return nodes_.size() == 1 && lisle::all_sleep(nodes_.front()->table);
}

stuck_watch::finding waits_of_job::look_for_stuck() {
    constexpr std::chrono::hours never{1};
    const bool one_node = nodes_.size() == 1;
    return one_node ? nodes_.front()->watch.look() : stuck_watch::finding{.next = never};
}

} // namespace lisle
