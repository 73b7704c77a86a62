// SPDX-License-Identifier: Apache-2.0
#include "launch/host/process/fork_handlers.hpp"

#include "launch/host/image/loaded_code.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>

namespace lisle::host {

namespace {

using handler = fork_handlers::handler;
const real<"__register_atfork", int(handler, handler, handler, void *)> real_register;

} // namespace

void fork_handlers::add(handler before, handler in_parent, handler in_child) {
    const std::scoped_lock lock(mutex_);
    entries_.push_back({before, in_parent, in_child});
}

void fork_handlers::run(handler entry::*which, bool last_first) {
    std::vector<entry> entries;
    {
        const std::scoped_lock lock(mutex_);
        entries = entries_;
    }
    if (last_first) {
        std::ranges::reverse(entries);
    }
    for (const entry &each : entries) {
        if (each.*which != nullptr) {
            (each.*which)();
        }
    }
}

void fork_handlers::run_before() {
    run(&entry::before, true);
}
void fork_handlers::run_in_parent() {
    run(&entry::in_parent, false);
}
void fork_handlers::run_in_child() {
    run(&entry::in_child, false);
}

} // namespace lisle::host

using namespace lisle::host;

// What pthread_atfork calls, which every file has linked in. Shared libraries' handlers stay with the
// process.
extern "C" int __register_atfork(handler before, handler in_parent, handler in_child, void *file) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr || !rank_code.of(*rank).owns(file)) {
        return real_register(before, in_parent, in_child, file);
    }
    rank_fork_handlers.of(*rank).add(before, in_parent, in_child);
    return 0;
}
