// SPDX-License-Identifier: Apache-2.0
#include "task/machine/cell_reads.hpp"

namespace lisle::tasks {

void cell_reads::read(cell &used, continuation then) {
    auto waiting = std::make_shared<waiting_read>();
    waiting->then = std::move(then);
    std::uint64_t number = 0;
    {
        const std::scoped_lock guard{mutex_};
        number = ++last_;
        waiting_.emplace(number, waiting);
    }
    used.get([this, waiting, number](value found) {
        if (!waiting->is_over.exchange(true, std::memory_order_relaxed)) {
            {
                const std::scoped_lock guard{mutex_};
                waiting_.erase(number);
            }
            waiting->then(std::move(found));
        }
    });
}

void cell_reads::fail_all() {
    std::map<std::uint64_t, std::shared_ptr<waiting_read>> all;
    {
        const std::scoped_lock guard{mutex_};
        all.swap(waiting_);
    }
    for (const auto &[number, waiting] : all) {
        if (!waiting->is_over.exchange(true, std::memory_order_relaxed)) {
            waiting->then(make<failure>("waits for a value that nothing is left to provide", place{}));
        }
    }
}

} // namespace lisle::tasks
