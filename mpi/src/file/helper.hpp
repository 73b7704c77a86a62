// SPDX-License-Identifier: Apache-2.0
// The thread that reads and writes for non-blocking operations while its rank computes. An open file that has
// such operations has one, and ends it when it is closed.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lisle::file {

class helper {
  public:
    helper() = default;
    helper(const helper &) = delete;
    helper &operator=(const helper &) = delete;
    /// Returns when all queued functions have run.
    ~helper();

    /// Queues a function behind all earlier ones. It must not throw. Throws MPI_ERR_OTHER if the system gives
    /// no thread.
    void give(std::function<void()> work);

  private:
    void begin();
    void run();

    std::mutex mutex_; ///< protects what follows
    std::condition_variable news_;
    std::deque<std::function<void()>> waiting_;
    bool ending_ = false;
    std::thread thread_; ///< begun with the first work
};

} // namespace lisle::file
