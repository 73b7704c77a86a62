// SPDX-License-Identifier: Apache-2.0
// The fence of a job on several hosts, as the supervisor of one host sees it: its processes come to the gate
// of their table; what they have put goes to the others, and when that of the others has come the gate opens.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "launch/common/descriptor.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

class fence_relay {
  public:
    /// @param own indices of the processes of this host
    fence_relay(job_table &table, std::vector<int> own);
    ~fence_relay();
    fence_relay(const fence_relay &) = delete;
    fence_relay &operator=(const fence_relay &) = delete;

    /// To be polled for reading: becomes ready when all processes of this host wait at the fence, or one of
    /// them ends the job.
    [[nodiscard]] int news() const noexcept { return news_.get(); }
    /// Called when news() is ready. True: they wait at the fence.
    [[nodiscard]] bool take_news();
    /// What they have put since the last fence, for all hosts.
    [[nodiscard]] std::string take_notices();
    /// Opens the fence. @param notices take_notices() of all hosts, in any order
    void open(std::string_view notices);

  private:
    void watch();

    job_table &table_;
    std::vector<int> own_;
    std::vector<std::size_t> told_; ///< bytes of each of them that the others have
    bool waiting_ = false;          ///< its processes wait at the fence, and the others know
    descriptor news_;
    std::atomic<bool> over_{false}; ///< release before the bell rings, acquire behind it
    std::jthread watcher_;          ///< sleeps at the gate's bell, and wakes what polls
};

} // namespace lisle::launch
