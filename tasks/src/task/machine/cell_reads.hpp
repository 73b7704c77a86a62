// SPDX-License-Identifier: Apache-2.0
// Reads of cells on this rank that have to wait. When nothing can come any more, all of them fail. Any
// thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "task/value/remote.hpp"

namespace lisle::tasks {

class cell_reads {
  public:
    /// Calls `then` with what the cell gives, now or later, or with a failure if fail_all() comes first.
    void read(cell &used, continuation then);
    void fail_all();

  private:
    struct waiting_read {
        std::atomic<bool> is_over{false}; ///< relaxed exchange: only decides who calls `then`
        continuation then;
    };
    std::mutex mutex_; ///< for what follows
    std::map<std::uint64_t, std::shared_ptr<waiting_read>> waiting_;
    std::uint64_t last_ = 0;
};

} // namespace lisle::tasks
