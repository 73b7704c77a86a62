// SPDX-License-Identifier: Apache-2.0
// What one rank wants to be called when it ends, last in, first out, as atexit promises. Functions may
// register further ones while they run. Thread-safe; no lock is held while a function runs.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <vector>

namespace lisle::host {

class exit_list {
  public:
    /// `call` gets the exit status. `owner`: the handle of the program or library to whose end it belongs, if
    /// that comes before.
    void push(std::function<void(int)> call, const void *owner = nullptr) {
        const std::scoped_lock lock(mutex_);
        entries_.push_back({std::move(call), owner});
    }

    /// Calls and removes entries until there are none.
    void run(int status) {
        run_if(status, [](const void *) { return true; });
    }

    /// The same for those of this owner only.
    void run_of(const void *owner) {
        run_if(0, [owner](const void *each) { return each == owner; });
    }

  private:
    struct entry {
        std::function<void(int)> call;
        const void *owner;
    };

    template <class Predicate> void run_if(int status, Predicate wanted) {
        for (std::unique_lock lock(mutex_);; lock.lock()) {
            const auto last = std::find_if(entries_.rbegin(), entries_.rend(),
                                           [&](const entry &each) { return wanted(each.owner); });
            if (last == entries_.rend()) {
                return;
            }
            const std::function<void(int)> call = std::move(last->call);
            entries_.erase(std::next(last).base());
            lock.unlock();
            call(status);
        }
    }

    std::mutex mutex_; ///< protects entries_
    std::vector<entry> entries_;
};

} // namespace lisle::host
