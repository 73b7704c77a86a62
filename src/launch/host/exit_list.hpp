// SPDX-License-Identifier: Apache-2.0
// What one rank wants to be called when it ends, last in, first out, as atexit promises. Functions may
// register further ones while they run. Thread-safe; no lock is held while a function runs.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace lisle::host {

class exit_list {
  public:
    /// `entry` gets the exit status.
    void push(std::function<void(int)> entry) {
        const std::scoped_lock lock(mutex_);
        entries_.push_back(std::move(entry));
    }

    /// Calls and removes entries until there are none.
    void run(int status) {
        for (std::unique_lock lock(mutex_); !entries_.empty(); lock.lock()) {
            const std::function<void(int)> entry = std::move(entries_.back());
            entries_.pop_back();
            lock.unlock();
            entry(status);
        }
    }

  private:
    std::mutex mutex_; ///< protects entries_
    std::vector<std::function<void(int)>> entries_;
};

} // namespace lisle::host
