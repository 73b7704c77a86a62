// SPDX-License-Identifier: Apache-2.0
#include "file/helper.hpp"

#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/own_thread.hpp"
#include "execution/rank.hpp"
#include "mpi.h"
#include "protocol/engine.hpp"

namespace lisle::file {

helper::~helper() {
    {
        const std::scoped_lock guard{mutex_};
        ending_ = true;
    }
    news_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void helper::give(std::function<void()> work) {
    const std::scoped_lock guard{mutex_};
    if (!thread_.joinable()) {
        begin();
    }
    waiting_.push_back(std::move(work));
    news_.notify_one();
}

void helper::begin() {
    this_rank().engine().expect_completions_by_others();
    try {
        thread_ = begin_own_thread([this] { run(); });
    } catch (const std::system_error &error) {
        fail(MPI_ERR_OTHER, "the system gives no thread for non-blocking accesses to a file: ", error.what());
    }
}

void helper::run() {
    std::unique_lock guard{mutex_};
    for (;;) {
        news_.wait(guard, [this] { return !waiting_.empty() || ending_; });
        if (waiting_.empty()) {
            return;
        }
        const std::function<void()> work = std::move(waiting_.front());
        waiting_.pop_front();
        guard.unlock();
        work();
        guard.lock();
    }
}

} // namespace lisle::file
