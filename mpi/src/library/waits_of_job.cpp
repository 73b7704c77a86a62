// SPDX-License-Identifier: Apache-2.0
#include "library/waits_of_job.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "diagnosis/wait_report.hpp"
#include "fabric/local/node_segment.hpp"
#include "library/jobs_watch.hpp"

namespace lisle {

struct waits_of_job::view {
    explicit view(fabric::local::node_segment mapped)
        : segment{std::move(mapped)}, table{segment.waits(), segment.bells(0, segment.ranks())} {}
    fabric::local::node_segment segment;
    wait_table table;
    stuck_watch watch{table};
};

waits_of_job::waits_of_job(const job_table &table) {
    const job_shape shape = table.shape();
    const bool one_node = std::ranges::all_of(shape.node_of_process, [](int node) { return node == 0; });
    if (one_node) {
        // The programs that this process starts are not to have it.
        const int own = fcntl(table.descriptor(), F_DUPFD_CLOEXEC, 0);
        view_ = std::make_unique<view>(fabric::local::node_segment::attach(own, table.end()));
    }
}

waits_of_job::~waits_of_job() = default;

std::string waits_of_job::report(const std::string &why) {
    if (!view_) {
        return {};
    }
    const std::uint32_t question = view_->table.ask_all();
    constexpr int looks = 30;
    for (int look = 0; look < looks && !view_->table.all_answered(question); ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return status_report(read_waits(view_->table, question), why);
}

bool waits_of_job::all_sleep() const {
    return view_ && lisle::all_sleep(view_->table);
}

stuck_watch::finding waits_of_job::look_for_stuck() {
    constexpr std::chrono::hours never{1};
    return view_ ? view_->watch.look() : stuck_watch::finding{.next = never};
}

} // namespace lisle
