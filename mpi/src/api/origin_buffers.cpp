// SPDX-License-Identifier: Apache-2.0
#include "api/origin_buffers.hpp"

#include <algorithm>
#include <utility>

#include "api/touched_memory.hpp"

namespace lisle::abi {

void origin_buffers::begin(access made, bool complete) {
    for (watched_memory &each : made.used.all()) {
        complete ? each.begin_with_result() : each.begin();
    }
    made.place = current_address();
    made.holder = holder_of(made.used);
    const std::scoped_lock guard{mutex_};
    if (accesses_.size() == most_accesses) {
        return;
    }
    watch_accesses(made.used, made.place);
    accesses_.push_back(std::move(made));
}

void origin_buffers::end(const rma::window_members *window, int target) {
    std::vector<access> ended;
    {
        const std::scoped_lock guard{mutex_};
        const auto left = std::ranges::stable_partition(accesses_, [=](const access &each) {
            return window == nullptr ? !each.has_request
                                     : each.window != window || (target >= 0 && each.target != target);
        });
        std::ranges::move(left, std::back_inserter(ended));
        accesses_.erase(left.begin(), left.end());
    }
    std::optional<stack_frames> stack;
    for (const access &each : ended) {
        unwatch_accesses(each.used);
        if (each.holder && !stack) {
            stack.emplace();
        }
        if (each.holder && stack->has_ended(*each.holder)) {
            report_loss(each.place, function_has_returned);
            continue;
        }
        for (const watched_memory &memory : each.used.all()) {
            if (memory.exists() && memory.changed()) {
                report_change({each.place, memory.how()});
            }
        }
    }
}

void origin_buffers::look(const watched_memory &used) {
    const std::scoped_lock guard{mutex_};
    for (const access &each : accesses_) {
        for (const watched_memory &theirs : each.used.all()) {
            if (const auto address = used.collides_with(theirs)) {
                report_collision(used.how(), {each.place, theirs.how()}, *address);
            }
        }
    }
}

} // namespace lisle::abi
