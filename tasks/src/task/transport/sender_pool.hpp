// SPDX-License-Identifier: Apache-2.0
// Threads that see to what takes its time, so that the caller need not.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lisle::tasks {

/// Threads that run what they are given; one for each action if there are none to share.
class sender_pool {
  public:
    explicit sender_pool(int threads) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }
    ~sender_pool() {
        {
            const std::scoped_lock guard{mutex_};
            is_stopped_ = true;
        }
        changed_.notify_all();
        for (std::thread &each : threads_) {
            each.join();
        }
        await_none();
    }
    void run(std::function<void()> action) {
        const std::scoped_lock guard{mutex_};
        ++under_way_;
        if (threads_.empty()) {
            std::thread{[this, action = std::move(action)] {
                finish(action);
            }}.detach(); // await_none() waits for it
        } else {
            queue_.push_back(std::move(action));
            is_urgent_ = true;
            changed_.notify_one();
        }
    }
    /// Within a millisecond or so. A thread that will look by itself is not called: that would cost more than
    /// most actions do.
    void run_soon(std::function<void()> action) {
        const std::scoped_lock guard{mutex_};
        ++under_way_;
        queue_.push_back(std::move(action));
        if (resting_ == 0) {
            changed_.notify_one();
        }
    }
    [[nodiscard]] bool is_empty() const {
        const std::scoped_lock guard{mutex_};
        return under_way_ == 0;
    }

  private:
    static constexpr std::chrono::milliseconds rest{1};

    void await_none() {
        std::unique_lock guard{mutex_};
        none_.wait(guard, [&] { return under_way_ == 0; });
    }
    void work() {
        for (;;) {
            std::unique_lock guard{mutex_};
            changed_.wait(guard, [&] { return is_stopped_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            while (!queue_.empty()) {
                const std::function<void()> action = std::move(queue_.front());
                queue_.pop_front();
                is_urgent_ = is_urgent_ && !queue_.empty();
                guard.unlock();
                finish(action);
                guard.lock();
            }
            ++resting_; // and then looks by itself
            changed_.wait_for(guard, rest, [&] { return is_stopped_ || is_urgent_; });
            --resting_;
        }
    }
    void finish(const std::function<void()> &action) {
        action();
        const std::scoped_lock guard{mutex_};
        if (--under_way_ == 0) {
            none_.notify_all();
        }
    }
    mutable std::mutex mutex_; ///< for all that follows
    std::condition_variable changed_, none_;
    std::deque<std::function<void()>> queue_;
    std::vector<std::thread> threads_;
    int under_way_ = 0, resting_ = 0;
    bool is_urgent_ = false; ///< something in the queue is not to wait until a thread has rested
    bool is_stopped_ = false;
};

} // namespace lisle::tasks
