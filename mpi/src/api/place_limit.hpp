// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

namespace lisle::abi {

/// For what is done a few times for each place of the program that calls, since it takes long. Thread-safe.
class place_limit {
  public:
    [[nodiscard]] bool wants(const void *place) {
        constexpr int enough = 8;
        const std::scoped_lock guard{mutex_};
        int &known = times_[place];
        return known < enough && ++known != 0;
    }

  private:
    std::mutex mutex_; ///< protects the table
    std::map<const void *, int> times_;
};

} // namespace lisle::abi
