// SPDX-License-Identifier: Apache-2.0
// What is kept for each worker thread, found through the fiber that it runs: the host has no thread-local
// objects of its own.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <list>
#include <mutex>
#include <pthread.h>

namespace lisle::host {

/// A namespace-scope object, as rank_slot: each worker has a T of its own, made when one of its fibers first
/// asks for it.
template <class T> class worker_slot {
  public:
    /// @pre the caller is a fiber
    [[nodiscard]] T &current() {
        T *&mine = of_fiber_.current();
        if (mine == nullptr) {
            mine = &find();
        }
        return *mine;
    }

  private:
    struct record {
        pthread_t thread;
        T value;
    };

    T &find() {
        const std::scoped_lock lock(mutex_);
        for (record &each : all_) {
            if (pthread_equal(each.thread, pthread_self()) != 0) {
                return each.value;
            }
        }
        return all_.emplace_back(record{pthread_self(), T{}}).value;
    }

    rank_slot<T *> of_fiber_; ///< a fiber's worker is always the same
    std::mutex mutex_;        ///< protects the list
    std::list<record> all_;
};

} // namespace lisle::host
